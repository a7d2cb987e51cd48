/*
 * NVRTC, the vendor's compiler as a library, opened at run time. It needs neither driver nor GPU.
 * The compiler runs in the calling process: give it untrusted sources only in a process that may be
 * lost (libexec/kg/kg-nvrtc). Not thread-safe before kg_nvrtc_open has returned.
 */
#ifndef KG_DEVICE_NVRTC_H
#define KG_DEVICE_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* path: the library's file. */
int kg_nvrtc_open(const char *path, struct kg_error *err);

/* 13, 0. Zeros before kg_nvrtc_open. */
void kg_nvrtc_version(int *major, int *minor);

struct kg_nvrtc_source {
    const char *text;   /* NUL-terminated */
    const char *file;   /* its name in messages */
    const char *kernel; /* the kernel whose symbol is asked for, or NULL */
    const char *const *options;
    int n_options;
};

/*
 * Compiles to a cubin. Returns 0 whether the compiler accepts the source or not: *ok says which,
 * log has its words. -1 with err: the library itself failed. symbol: the kernel's name in the cubin
 * (C++ names are mangled), empty when not asked for.
 */
int kg_nvrtc_compile(const struct kg_nvrtc_source *s, bool *ok, struct kg_buf *cubin,
                     struct kg_buf *log, struct kg_buf *symbol, struct kg_error *err);

#endif
