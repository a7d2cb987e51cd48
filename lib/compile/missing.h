/*
 * What a candidate uses that CUDA has and the host device lacks: a gap of ours, never the
 * candidate's fault. The translator finds most; this finds the rest in the words of the
 * host compiler: an unknown header or name that the installed toolkit knows (or, without a toolkit,
 * that is spelled like one of CUDA's).
 */
#ifndef KG_COMPILE_MISSING_H
#define KG_COMPILE_MISSING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "compile/toolchain.h"

/* raw: the compiler's words; src: the candidate, whose #includes say which headers count. true: the
 * first error is such a gap; message names it and its line. */
bool kg_missing_on_host(const struct kg_toolchain *t, const char *raw, size_t n, const char *src,
                        size_t len, struct kg_buf *message);

#endif
