/*
 * The reference of a task at work: a worker of its own, host pointers, every floating array and
 * scalar as double. The judge converts. It is the root of trust, so it runs apart from candidates,
 * and what it answers is taken as it is.
 */
#ifndef KG_JUDGE_REF_H
#define KG_JUDGE_REF_H

#include <stdbool.h>

#include "base/error.h"
#include "base/verdict.h"
#include "judge/plan.h"
#include "judge/runner.h"
#include "judge/space.h"

struct kg_ref {
    const struct kg_runner_spec *spec;
    const char *path;      /* of the built reference */
    double until;          /* clock at which its time is over */
    struct kg_space *host; /* its memory */
    struct kg_runner runner;
    struct kg_answer answer;
    const struct kg_instance *in; /* what it is loaded for; NULL: nothing */
    const char *entries[KG_WIRE_ENTRIES + 1];
    char names[KG_WIRE_ENTRIES][60];
    struct kg_mem mem[KG_TASK_MAX_ARGS];
};

/* spec and path must live as long. */
void kg_ref_init(struct kg_ref *r, const struct kg_runner_spec *spec, const char *path,
                 double seconds);
void kg_ref_release(struct kg_ref *r);

/* All of these: 0, or -1 with *v (REFERENCE_ERROR, JUDGE_FAULT) and err. */

/* Starts the worker when there is none, loads the reference for an instance and lends it memory. */
int kg_ref_load(struct kg_ref *r, const struct kg_instance *in, enum kg_verdict *v,
                struct kg_error *err);
/* An input from elements of the argument's own type. */
void kg_ref_put(struct kg_ref *r, size_t arg, const void *native);
int kg_ref_run(struct kg_ref *r, const struct kg_content *scalars, enum kg_verdict *v,
               struct kg_error *err);
/* An output: doubles for floating types, else elements of the argument's type. */
const void *kg_ref_out(const struct kg_ref *r, size_t arg);
size_t kg_ref_out_bytes(const struct kg_instance *in, size_t arg);

#endif
