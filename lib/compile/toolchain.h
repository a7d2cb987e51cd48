/*
 * The compilers of this machine: where they are, and who they are. A compiler's identity is its
 * path, size and time of change (and those of the parts it starts): no process has to run to know
 * that a cached artifact is still its own.
 */
#ifndef KG_COMPILE_TOOLCHAIN_H
#define KG_COMPILE_TOOLCHAIN_H

#include "base/buf.h"
#include "base/error.h"

struct kg_toolchain {
    char *cuda_home;       /* NULL: no toolkit */
    const char *cuda_from; /* "--cuda-home", "CUDA_HOME", "built in", "PATH" */
    char *nvcc, *nvrtc;    /* NULL: not there */
    char *cxx, *cc;
    char *host_include;                        /* kg's stand-ins for NVIDIA's headers */
    char *nvrtc_include;                       /* kg's standard headers for NVRTC, which has none */
    char *nvcc_id, *nvrtc_id, *cxx_id, *cc_id; /* for cache keys */
};

/* Looked up once for each cuda_home (NULL: CUDA_HOME; unset: the built-in one, then PATH) and kept
 * for the life of the process. Thread-safe; never NULL. */
const struct kg_toolchain *kg_toolchain_get(const char *cuda_home);

/* Appends path, size and time of a file, following links. */
void kg_toolchain_identity(const char *path, struct kg_buf *out);

/* 'name: value' lines. */
void kg_toolchain_env(const struct kg_toolchain *t, struct kg_buf *out);

#endif
