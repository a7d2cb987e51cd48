/*
 * The reference of a task at work: a worker of its own, host pointers, every floating array and
 * scalar as double. The judge converts. It is the root of trust, so it runs apart from candidates,
 * and what it answers is taken as it is. Beside 'reference' the same worker runs what else its file
 * exports (kg-task(5)): init_NAME, which makes inputs, and check, which says what is right.
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
    double seconds;        /* for what is asked of it at once */
    double until;          /* clock at which its time is over */
    struct kg_space *host; /* its memory */
    struct kg_runner runner;
    struct kg_answer answer;
    const struct kg_instance *in;             /* what it is loaded for; NULL: nothing */
    const char *entries[KG_WIRE_ENTRIES + 1]; /* kg_call, the makers in order, kg_check */
    char names[KG_WIRE_ENTRIES][60];
    struct kg_mem mem[KG_TASK_MAX_ARGS];  /* by argument of the worker, struct kg_task.n_ref_args */
    bool made[KG_TASK_MAX_ARGS];          /* mem holds what an init_NAME made */
    uint64_t made_seed[KG_TASK_MAX_ARGS]; /* from this seed */
};

/* spec and path must live as long. */
void kg_ref_init(struct kg_ref *r, const struct kg_runner_spec *spec, const char *path,
                 double seconds);
/* What comes now has all of the seconds. */
void kg_ref_restart(struct kg_ref *r);
void kg_ref_release(struct kg_ref *r);

/* All of these: 0, or -1 with *v (REFERENCE_ERROR, JUDGE_FAULT) and err. */

/* Starts the worker when there is none, loads the reference for an instance and lends it memory. */
int kg_ref_load(struct kg_ref *r, const struct kg_instance *in, enum kg_verdict *v,
                struct kg_error *err);
/* The same, unless it is loaded for that very instance. */
int kg_ref_ready(struct kg_ref *r, const struct kg_instance *in, enum kg_verdict *v,
                 struct kg_error *err);
/* Before an instance ends that it may be loaded for. */
void kg_ref_forget(struct kg_ref *r, const struct kg_instance *in);
/* An array from elements of the argument's own type. */
void kg_ref_put(struct kg_ref *r, size_t arg, const void *native);
/* An array as elements of the argument's own type, rounded: in->args[arg].bytes bytes. */
void kg_ref_take(const struct kg_ref *r, size_t arg, void *native);

/* The content of an array whose initialiser is an init_NAME, into the reference's memory, and with
 * it that of all arrays that the function fills. The seed comes from NAME, c->seed and c->call
 * alone: there is no patched form. What was made last stays until the next load. */
int kg_ref_make(struct kg_ref *r, size_t arg, const struct kg_content *c, enum kg_verdict *v,
                struct kg_error *err);

/* All inputs of a call, or only the inout arrays among them, which a run has changed. Those with
 * initialisers of ours are made by 'space', the session's device, as for candidates. */
int kg_ref_inputs(struct kg_ref *r, struct kg_space *space, const struct kg_plan_call *c,
                  bool only_inout, enum kg_verdict *v, struct kg_error *err);

/* Asks check (kg_task.checked) about an answer: 0 is right. Before it: kg_ref_inputs, all OUT
 * arrays as the reference answers, inout arrays as they were, and kg_ref_put_got of every output.
 */
int kg_ref_check(struct kg_ref *r, const struct kg_content *scalars, int *result,
                 enum kg_verdict *v, struct kg_error *err);
void kg_ref_put_got(struct kg_ref *r, size_t arg, const void *native);
/* A cached answer (kg_ref_out) back into its place. */
void kg_ref_put_out(struct kg_ref *r, size_t arg, const void *out);

int kg_ref_run(struct kg_ref *r, const struct kg_content *scalars, enum kg_verdict *v,
               struct kg_error *err);
/* An output: doubles for floating types, else elements of the argument's type. */
const void *kg_ref_out(const struct kg_ref *r, size_t arg);
size_t kg_ref_out_bytes(const struct kg_instance *in, size_t arg);

#endif
