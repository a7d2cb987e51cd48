/*
 * Source to something that runs. One call for kg-compile and for the stages that build what is
 * missing. Thread-safe; results are cached by content (source, task interface, target, options,
 * compiler version) under $XDG_CACHE_HOME/kg/artifacts, one lock a key, bounded by size.
 *
 * Targets: "host" (translated, host C++ compiler, a shared object), "sm_90" and the like (bare
 * kernels: NVRTC to a cubin; 'solve': nvcc to a shared object with -cudart shared). Sources are
 * untrusted: compilers run with limits and, where the kernel allows, in the sandbox of proc.h.
 */
#ifndef KG_COMPILE_COMPILE_H
#define KG_COMPILE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/proc.h"
#include "base/verdict.h"
#include "record/record.h"
#include "task/task.h"

#define KG_COMPILE_LOG_MAX 16384 /* head and tail of the compiler's words kept in a record */

/*
 * What a built candidate exports.
 *
 * 'solve' (host and nvcc) and bare kernels on host: extern "C" void kg_call(void **a), where a[i]
 * points to the value of argument i of the task (for an array: to a pointer), as cuLaunchKernel
 * takes them. A bare kernel on host finds in a[n_args] the address of its launch:
 *     struct { unsigned grid[3], block[3]; unsigned long long shared; }  (as struct kg_wire_dims)
 * References: the same, with floating-point arrays and scalars as double; they may also have void
 * kg_init_NAME(void **a) and int kg_check(void **a), with more arguments behind those of the task
 * (struct kg_task, ref_got).
 * Bare kernels on a GPU: a cubin; kg_compile_result.entry is the kernel's symbol in it.
 */
struct kg_compile_kernel {
    char name[256];
    int64_t registers, shared_bytes, local_bytes, const_bytes, spill_bytes; /* -1: not known */
};

enum kg_compile_kind {
    KG_SOURCE_CANDIDATE, /* C++ of a candidate or baseline: entry or bare kernel of the task */
    KG_SOURCE_REFERENCE, /* C of the reference: reference, init_*, check; host only, trusted */
};

struct kg_compile_opts {
    const char *target; /* "host", "sm_90" */
    double timeout_s;   /* default 60 */
    bool no_cache;
    int64_t cache_bytes; /* bound of the cache; 0: 4 GiB */
    bool sanitize;       /* host: AddressSanitizer */
    enum kg_sandbox_mode sandbox;
    const char *cuda_home; /* NULL: CUDA_HOME, the built-in one, or nvcc's place */
};

struct kg_compile_result {
    /* PASSED, COMPILE_ERROR, LOAD_ERROR (no entry point), NO_CODE, UNSUPPORTED, JUDGE_FAULT */
    enum kg_verdict verdict;
    int code; /* enum kg_code of a JUDGE_FAULT: KG_E_MISSING when there is no compiler (exit 3) */
    char message[512];            /* one line when not PASSED: the first error with its line */
    char artifact[KG_SHA256_HEX]; /* content hash of the built file */
    char *path;                   /* the built file in the cache (malloc) */
    char entry[1024];             /* bare kernels on a GPU: the kernel's symbol */
    bool cached;
    double compile_ms; /* of this call */
    struct kg_compile_kernel *kernels;
    size_t n_kernels;
    struct kg_buf log;   /* bounded, valid UTF-8 */
    struct kg_buf notes; /* e.g. what had to be done without; may be empty */
    unsigned layers;     /* enum kg_proc_layer of the compiler's process */
};

/* Never fails otherwise than by a verdict; release the result in any case. */
void kg_compile(const struct kg_task *t, enum kg_compile_kind kind, const char *src, size_t len,
                const struct kg_compile_opts *o, struct kg_compile_result *out);
void kg_compile_result_release(struct kg_compile_result *r);

/*
 * The candidate source of a record: kernel_code, else extracted from response (kg-record(5)). Lives
 * in r->arena. NULL: *verdict is NO_CODE and err says why.
 */
enum kg_extract { KG_EXTRACT_FENCED, KG_EXTRACT_KERNELGYM };
const char *kg_compile_source(struct kg_record *r, enum kg_extract how, size_t *len,
                              struct kg_error *err);

/* The record's 'backend'; NULL where it has none or null. Another type than a string is a fault of
 * it. */
const char *kg_compile_backend(struct kg_record *r);

/* Writes the 'compile' object, and the verdict fields: on success 'compiled: true' and no status.
 */
void kg_compile_write(struct kg_record *r, const struct kg_compile_opts *o,
                      const struct kg_compile_result *res);

/* "sm_90" of the first visible GPU, or "host": what --target auto means for a device name. */
int kg_compile_target(const char *device, char target[16], struct kg_error *err);

/* Is it "host" or "sm_NN"? KG_E_USAGE otherwise. */
int kg_compile_target_check(const char *target, struct kg_error *err);

/* What was found and from where, one 'name: value' a line, for --env. */
void kg_compile_env(struct kg_buf *out);

#endif
