/*
 * The trusted programs of tasks, baseline, reference and the empty candidate, built once a process
 * and shared by its threads.
 */
#ifndef KG_JUDGE_PROGRAMS_H
#define KG_JUDGE_PROGRAMS_H

#include "base/error.h"
#include "base/verdict.h"
#include "compile/compile.h"

enum kg_program_kind {
    KG_PROGRAM_BASELINE,
    KG_PROGRAM_REFERENCE,
    KG_PROGRAM_EMPTY, /* made here: the task's interface, and one empty kernel */
};

struct kg_program {
    const struct kg_task *task;
    enum kg_program_kind kind;
    struct kg_compile_result built;
    bool ready;
    struct kg_program *next;
};

struct kg_programs; /* thread-safe */

/* o: as for candidates; its strings are not copied. */
struct kg_programs *kg_programs_new(const struct kg_compile_opts *o);
void kg_programs_free(struct kg_programs *p);

/* Owned by p. NULL with *v (REFERENCE_ERROR: it does not build, or the task has none; UNSUPPORTED;
 * JUDGE_FAULT) and err, whose code is KG_E_MISSING when there is no compiler. */
const struct kg_program *kg_programs_get(struct kg_programs *p, const struct kg_task *t,
                                         enum kg_program_kind kind, enum kg_verdict *v,
                                         struct kg_error *err);

#endif
