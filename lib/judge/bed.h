/*
 * A bed: the memory of one task at one size, for a candidate and a baseline that run on the same
 * inputs. Inputs lie in two sets of slots, which both may only read; outputs (and inout arrays) of
 * the candidate in two sets of its own, the baseline's in one. Snapshots and wanted answers lie in
 * memory that no worker can map.
 */
#ifndef KG_JUDGE_BED_H
#define KG_JUDGE_BED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "judge/plan.h"
#include "judge/runner.h"
#include "judge/space.h"
#include "task/compare.h"

#define KG_BED_SETS 2

/* Makes the content of an array whose initialiser is a function of the reference file. */
struct kg_init_maker {
    int (*make)(void *ctx, const struct kg_instance *in, size_t arg, const struct kg_content *c,
                void *dst, struct kg_error *err);
    void *ctx;
};

struct kg_bed {
    struct kg_space *space;
    struct kg_instance in;
    struct kg_tolerance tol[KG_TASK_MAX_ARGS];
    size_t out[KG_TASK_MAX_ARGS], n_out; /* arguments that are compared: OUT and INOUT */
    struct kg_mem input[KG_BED_SETS][KG_TASK_MAX_ARGS]; /* IN */
    struct kg_mem own[KG_BED_SETS][KG_TASK_MAX_ARGS];   /* OUT, INOUT of the candidate */
    struct kg_mem theirs[KG_TASK_MAX_ARGS];             /* OUT, INOUT of the baseline */
    struct kg_mem copy[KG_TASK_MAX_ARGS];  /* IN, writable: made when a worker wrote to an input */
    struct kg_mem snap[KG_TASK_MAX_ARGS];  /* first snapshot */
    struct kg_mem late[KG_TASK_MAX_ARGS];  /* second */
    struct kg_mem first[KG_TASK_MAX_ARGS]; /* the answer that a repeated call is held against */
    struct kg_mem want[KG_TASK_MAX_ARGS];  /* the truth, as double for floating outputs */
    struct kg_init_maker maker;
};

/* rtol, atol < 0: the task's. What a bed needs is checked against the device's free memory: an
 * error KG_E_UNSUPPORTED gives both numbers when the candidate would be left less than twice inputs
 * and outputs. */
int kg_bed_init(struct kg_bed *b, struct kg_space *space, const struct kg_task *t,
                const struct kg_case *c, double rtol, double atol, struct kg_error *err);
void kg_bed_release(struct kg_bed *b);

/* Who gets slots. */
enum kg_bed_for { KG_BED_CANDIDATE, KG_BED_BASELINE };
int kg_bed_lend(struct kg_bed *b, struct kg_runner *r, enum kg_bed_for who, double seconds,
                struct kg_answer *a, struct kg_error *err);
/* The same for a candidate, set 'set' only, with writable copies of that set's inputs. */
int kg_bed_lend_copies(struct kg_bed *b, struct kg_runner *r, int set, double seconds,
                       struct kg_answer *a, struct kg_error *err);

/* The call's inputs into its set of slots; inout arrays into the candidate's and the baseline's.
 * all false: the set holds the inputs of the call that c is the patched form of, and only the
 * patched argument is made again. */
int kg_bed_publish(struct kg_bed *b, const struct kg_plan_call *c, bool all, struct kg_error *err);
/* Only the inout arrays, before the same call is made again in set 'set'. */
int kg_bed_publish_inout(struct kg_bed *b, const struct kg_plan_call *c, int set,
                         struct kg_error *err);

/* Poison into outputs and pattern into guards, each slot with a key of its own made from 'key'. */
int kg_bed_poison(struct kg_bed *b, enum kg_bed_for who, int set, uint64_t key,
                  struct kg_error *err);
uint64_t kg_bed_key(uint64_t key, size_t arg, const char *what);

/* Guards of everything in a set that the candidate can reach. */
int kg_bed_guards(struct kg_bed *b, int set, uint64_t key, size_t *bytes, size_t *arg,
                  int64_t *where, struct kg_error *err);

/* Keyed hashes of the inputs of a set. */
int kg_bed_hash_inputs(struct kg_bed *b, int set, uint64_t key, uint64_t *hash,
                       struct kg_error *err);

/* The candidate's outputs of a set into snap or late. */
int kg_bed_snapshot(struct kg_bed *b, int set, struct kg_mem *into, struct kg_error *err);

/* The first snapshot into 'first', to hold a repeated call against it. */
int kg_bed_keep(struct kg_bed *b, struct kg_error *err);

/* How many elements of an output count (count: {array, from}); 'from' is the memory of the wanted
 * answers by argument. */
int kg_bed_count(struct kg_bed *b, size_t arg, const struct kg_mem *from,
                 const struct kg_plan_call *c, size_t *n, struct kg_error *err);

#endif
