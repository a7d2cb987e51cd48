/*
 * The code inside a model's answer. Pure: text in, text out; knows nothing of records or tasks.
 *
 * Fence rules (kg-record(5)): <think>...</think> is dropped (a lone </think> closes a thought that
 * a chat template opened, so all before it goes too); tags inside an open fence are code. A fenced
 * block starts at a line of three or more backticks or tildes and ends at a line of at least as
 * many; the last complete block whose info string names the backend's language is taken, else the
 * last complete block. An answer that ends inside a thought, or inside a block of the backend's
 * language, or inside its only block, was cut off: "truncated".
 *
 * KernelGYM's rules, for comparison with its results: the text after the first '# Kernel
 * Implementation', '```python # Kernel', '# Your implementation:' or '# Generated kernel:' (in this
 * order) up to '# End' (the second: the closing fence), else the last pair of fences wherever it
 * stands, else the whole answer.
 */
#ifndef KG_COMPILE_EXTRACT_H
#define KG_COMPILE_EXTRACT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* backend: "cuda" or "triton". Appends the code to out; -1 with err when there is none. */
int kg_extract_fenced(const char *text, size_t len, const char *backend, struct kg_buf *out,
                      struct kg_error *err);
int kg_extract_kernelgym(const char *text, size_t len, struct kg_buf *out, struct kg_error *err);

#endif
