/*
 * The host device: CUDA C that runs on the CPU. This header is what the compiler driver needs
 * (translate.c); runtime.h is what runs in a worker (fibers, launches, streams, memory).
 */
#ifndef KG_HOST_HOST_H
#define KG_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Turns CUDA C++ into C++ for the host compiler and our own headers (share/kg/include): launches
 * k<<<g, b, s, st>>>(...) become calls, __shared__ variables become per-block storage. Line numbers
 * are kept: line n of the source is line n of the output, after '#line 1 "name"'.
 *
 * What the host device lacks (inline PTX, wmma, TMA, CUB, cuBLAS ...) is KG_E_UNSUPPORTED, naming
 * the construct and its line. Errors of the program itself are left to the compiler.
 */
int kg_host_translate(const char *src, size_t len, const char *name, struct kg_buf *out,
                      struct kg_error *err);

/* Names of the __global__ functions that are defined in a source (for records and bare tasks);
 * writes them NUL-separated into out. */
void kg_host_kernels(const char *src, size_t len, struct kg_buf *out);

#endif
