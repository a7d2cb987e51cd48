/*
 * Which calls a session makes for one case: which content, at which addresses, in which order.
 * Pure but for the secret that it draws from.
 *
 * Calls come in units. A unit starts with fresh content, at the address of the call before or at
 * the other set of slots; it may go on with the same address and one row or element changed. The
 * units are shuffled, and a case has at least one of each of the three patterns where its inputs
 * allow it.
 */
#ifndef KG_JUDGE_PLAN_H
#define KG_JUDGE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/secret.h"
#include "task/gen.h"
#include "task/task.h"

enum kg_pattern {
    KG_PATTERN_FIRST,   /* first call of the case */
    KG_PATTERN_SAME,    /* same address, new content */
    KG_PATTERN_NEW,     /* new address, new content */
    KG_PATTERN_PATCHED, /* same address, one row or element changed */
};

#define KG_PLAN_TRUTH       3 /* truth calls of a case; the timed size has KG_PLAN_TRUTH_TIMED */
#define KG_PLAN_TRUTH_TIMED 2
#define KG_PLAN_MAX         64

struct kg_plan_call {
    int truth;                 /* index of the truth's call; -1: compared with the baseline */
    struct kg_content content; /* patch: only in argument 'patch_arg', elsewhere without */
    int patch_arg;             /* -1: no patch */
    enum kg_pattern pattern;
    int set; /* slot set, 0 or 1 */
};

struct kg_plan {
    size_t n;
    struct kg_plan_call call[KG_PLAN_MAX];
};

/* The truth's calls of a case: content 0, content 1, and content 1 with a patch (content 1 again,
 * unpatched, when no input can be patched). n is KG_PLAN_TRUTH or KG_PLAN_TRUTH_TIMED. */
void kg_plan_truth(const struct kg_instance *in, uint64_t seed, size_t n,
                   struct kg_plan_call out[KG_PLAN_TRUTH]);

/* All of the truth's calls, and at least one, at most 'extra' more of fresh content; least: least
 * number of calls. */
void kg_plan_case(const struct kg_instance *in, const struct kg_plan_call *truth, size_t n_truth,
                  size_t least, struct kg_secret *s, struct kg_plan *out);

/* A fresh call, for timed rounds: any of the patterns after the call 'prev' (NULL: the first). */
void kg_plan_fresh(const struct kg_instance *in, const struct kg_plan_call *prev,
                   struct kg_secret *s, struct kg_plan_call *out);

/* The content of one argument of a planned call. */
struct kg_content kg_plan_content(const struct kg_plan_call *c, size_t arg);

/* An argument that a patch changes: an array that goes in, with random content; -1: none. */
int kg_plan_patchable(const struct kg_instance *in, uint64_t pick);

#endif
