/*
 * What kg puts behind a candidate's source: kg_call, and the checks that the entry point has the
 * parameters of the task. The checks are static assertions on decltype(&entry) in a file of its own
 * name, so that every compiler (g++, nvcc, NVRTC) reports a mismatch in a form that kg_shim_explain
 * turns into one line with the parameter, the task's type and the candidate's.
 */
#ifndef KG_COMPILE_SHIM_H
#define KG_COMPILE_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/verdict.h"
#include "task/task.h"

#define KG_SHIM_FILE "kg_call" /* the shim's file name in compiler messages */

enum kg_shim_kind {
    KG_SHIM_ENTRY,       /* kg_call calls the host function */
    KG_SHIM_BARE_HOST,   /* kg_call launches the kernel on the host device */
    KG_SHIM_BARE_DEVICE, /* the checks alone */
    KG_SHIM_REFERENCE, /* in C: kg_call calls 'reference', floating values as double; kg_init_NAME,
                          kg_check where the task has them */
};

void kg_shim_write(const struct kg_task *t, enum kg_shim_kind kind, struct kg_buf *out);

/* "void solve(const float *x, float *y, int rows)" */
void kg_shim_signature(const struct kg_task *t, struct kg_buf *out);

/*
 * Does the compiler's log hold a complaint of the shim? Then true, with the verdict (COMPILE_ERROR;
 * LOAD_ERROR when there is no entry point) and one line of text.
 */
bool kg_shim_explain(const struct kg_task *t, const char *log, enum kg_verdict *verdict,
                     struct kg_buf *message);

#endif
