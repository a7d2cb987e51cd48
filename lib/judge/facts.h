/*
 * From the facts of one call to findings, in a fixed order: the first finding is the
 * verdict of the call, the others stand beside it in verify.checks. Pure.
 */
#ifndef KG_JUDGE_FACTS_H
#define KG_JUDGE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/verdict.h"
#include "judge/runner.h"
#include "task/compare.h"
#include "task/task.h"

struct kg_output_facts {
    size_t arg;
    struct kg_cmp_stats stats; /* of the first snapshot */
    bool stale;                /* its bytes are those of an earlier call's answer */
    bool late;                 /* the second snapshot differs from the first */
    bool late_written;         /* what was unwritten in the first is written in the second */
};

/* What is known of one call. Memory and wait status are the judge's own; 'answer' holds claims. */
struct kg_facts {
    const struct kg_instance *in;
    const struct kg_answer *answer;
    bool mutated; /* bytes of an input changed */
    size_t mutated_arg;
    size_t guard_bytes; /* of guard zones that changed; 0: none */
    size_t guard_arg;
    int64_t guard_where; /* byte offset from the start of that payload */
    struct kg_output_facts out[KG_TASK_MAX_ARGS];
    size_t n_out; /* 0: nothing was compared */
    int refused;  /* what the task's check returned; 0: the answer is right, or it was not asked */
    /* of the follow-up of a numerical failure */
    bool nondeterministic, downgrade;
    bool no_kernel; /* the call launched none of the candidate's own kernels */
    bool async;     /* device work was started between calls */
};

struct kg_finding {
    enum kg_verdict verdict;
    char text[320]; /* one line */
};

#define KG_FINDINGS 12
struct kg_findings {
    struct kg_finding item[KG_FINDINGS];
    size_t n;
};

/* Appends what the facts show, in order; nothing for a call that is right. */
void kg_facts_judge(const struct kg_facts *f, struct kg_findings *out);

/* PASSED when there is none. */
enum kg_verdict kg_findings_verdict(const struct kg_findings *f);

/* All outputs were compared and are right. */
bool kg_facts_right(const struct kg_facts *f);
/* That one is. What check refuses, it refuses as a whole. */
bool kg_facts_output_right(const struct kg_facts *f, const struct kg_output_facts *o);

void kg_findings_add(struct kg_findings *f, enum kg_verdict v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
