/*
 * What code that was translated for the host device calls: the C interface between the headers of
 * share/kg/include and the runtime in the worker (lib/host). One text for both sides.
 *
 * Functions that give an int return cudaError_t's numbers. 'line' is the line of the caller in the
 * candidate's source, for messages; 0: not known.
 */
#ifndef KG_ABI_H
#define KG_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kg_dim3 {
    unsigned x, y, z;
};

/* ---- launches ---------------------------------------------------------------------------- */

struct kg_host_call {
    const char *name;          /* as the source spells it */
    const void *function;      /* address of the kernel, NULL: not known; keys function attributes */
    void (*invoke)(void *arg); /* runs a thread, or more (kg_host_next) */
    void *arg;
    struct kg_dim3 grid, block;
    size_t shared;             /* dynamic bytes */
    void *stream;
    int cooperative;           /* all blocks must be resident together */
    int line;
};

int kg_host_call(const struct kg_host_call *call);

/* A bare kernel by its address: what kg-compile adds as kg_call of a bare task. */
int kg_host_launch(const char *name, void (*invoke)(void *arg), void *arg, const unsigned grid[3],
                   const unsigned block[3], size_t dynamic_shared, void *stream);

/* In 'invoke', after a thread: 1: now it is the next thread of the block, go on with that; 0: return.
 * An 'invoke' need not ask, but a loop inside it saves a call a thread. */
int kg_host_next(void);

/* ---- inside a kernel --------------------------------------------------------------------- */

enum kg_barrier_kind { KG_BARRIER_SYNC, KG_BARRIER_COUNT, KG_BARRIER_AND, KG_BARRIER_OR };
int kg_host_barrier(int kind, int predicate, int line);

enum kg_warp_op {
    KG_WARP_SYNC,
    KG_WARP_ACTIVE, /* which lanes are here: waits until no lane of the warp can run on */
    KG_WARP_SHFL,   /* arg: source lane */
    KG_WARP_UP,     /* arg: delta */
    KG_WARP_DOWN,
    KG_WARP_XOR,    /* arg: lane mask */
    KG_WARP_BALLOT, /* value: predicate */
    KG_WARP_ALL,
    KG_WARP_ANY,
    KG_WARP_MATCH_ANY,
    KG_WARP_MATCH_ALL,
    KG_WARP_ADD,    /* 32-bit unsigned value */
    KG_WARP_MIN_U,
    KG_WARP_MAX_U,
    KG_WARP_MIN_S,
    KG_WARP_MAX_S,
    KG_WARP_AND,
    KG_WARP_OR,
    KG_WARP_XOR_BITS,
};
uint64_t kg_host_warp(int op, uint32_t mask, uint64_t value, int arg, int width, int line);

unsigned kg_host_lane(void);            /* 0 to 31 */
unsigned kg_host_thread_rank(void);     /* in the block, x fastest */
void kg_host_yield(int line);           /* a spin: lets others run */
void kg_host_together(int line);        /* waits for the lanes of the warp that can come here */
int kg_host_grid_sync(int line);        /* cooperative launches only */
int kg_host_is_cooperative(void);
void *kg_host_dynamic_shared(void);
size_t kg_host_dynamic_shared_bytes(void);
/* The block's storage of one __shared__ variable: 'key' is unique for the variable. */
void *kg_host_static_shared(const void *key, size_t bytes, size_t align);
int kg_host_in_kernel(void);

/* Of the block that runs on this OS thread: its shared memory (kg_host_shared_size bytes, 0 outside of
 * kernels), and how often its threads have spun since they last let others run. */
#define KG_TLS __attribute__((tls_model("initial-exec")))
extern __thread char *kg_host_shared_base KG_TLS;
extern __thread size_t kg_host_shared_size KG_TLS;
extern __thread unsigned kg_host_spins KG_TLS;
#define KG_HOST_PATIENCE 128

/* In loops that may wait for somebody: cheap, but lets others run now and then. */
static inline void kg_host_spin(void)
{
    if (++kg_host_spins >= KG_HOST_PATIENCE)
        kg_host_yield(0);
}

/* Is p in the shared memory of the running block? Such atomics need no lock. */
static inline int kg_host_is_shared(const volatile void *p)
{
    return (uintptr_t)p - (uintptr_t)kg_host_shared_base < kg_host_shared_size;
}

void kg_host_trap(int error, const char *why, int line) __attribute__((noreturn));
long long kg_host_clock(void);          /* a cycle counter */
unsigned long long kg_host_globaltimer(void); /* ns */
unsigned kg_host_smid(void);

/* ---- the runtime API --------------------------------------------------------------------- */

int kg_host_fail(int error, const char *what);    /* records it as last error; returns it */
int kg_host_last_error(int clear);
const char *kg_host_error_name(int error);
const char *kg_host_error_text(int error);
int kg_host_malloc(void **p, size_t n);
int kg_host_free(void *p);
int kg_host_memcpy(void *dst, const void *src, size_t n, int kind);
int kg_host_memset(void *dst, int value, size_t n);
int kg_host_memcpy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                      size_t height, int kind); /* width: bytes of a row */
int kg_host_memset_2d(void *dst, size_t pitch, int value, size_t width, size_t height);
int kg_host_pointer_range(const void *p, void **base, size_t *size); /* 0: no such allocation */
int kg_host_stream_create(void **stream);
int kg_host_stream_destroy(void *stream);
int kg_host_stream_check(void *stream);
int kg_host_event_create(void **event);
int kg_host_event_destroy(void *event);
int kg_host_event_record(void *event);
int kg_host_event_check(void *event);
int kg_host_event_elapsed(float *ms, void *start, void *end);
int kg_host_set_shared_limit(const void *function, int bytes);
size_t kg_host_shared_limit(const void *function); /* dynamic bytes that it may be launched with */
int kg_host_max_blocks_per_sm(int block_threads, size_t shared);
size_t kg_host_memory_total(void);
size_t kg_host_memory_free(void);
int kg_host_processors(void);           /* OS threads of the pool */
int kg_host_synchronize(void);

#ifdef __cplusplus
}
#endif

#endif
