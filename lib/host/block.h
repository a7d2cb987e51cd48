/*
 * Inside of the host device: one launch, its blocks, their threads and warps. Not for other
 * modules.
 *
 * A block lives on one OS thread (a kg_cpu) from its first to its last thread. Its threads run on
 * fibers. A thread that never waits needs no fiber of its own: threads are run one after the other
 * on one fiber, and the next fiber is taken only when a thread parks. When the threads of a block
 * only spin, the OS thread goes on with another block beside it, in the order of their numbers.
 *
 * Waiting is as on hardware of compute capability 7.0 and later: __syncthreads() is enforced for
 * each thread and counts those that have exited as arrived; warp operations wait for the lanes
 * named in their mask, without those that have exited. Where nothing can run any more, or lanes of
 * one warp wait at different __syncthreads(), the launch ends as cudaErrorLaunchFailure with a text
 * that says "divergent barrier" and where the threads are.
 */
#ifndef KG_HOST_BLOCK_H
#define KG_HOST_BLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../share/kg/include/kg/abi.h"
#include "host/fiber.h"
#include "host/runtime.h"

#define KG_WARP            32
#define KG_MAX_WARPS       (KG_HOST_MAX_THREADS / KG_WARP)
#define KG_SHARED_PLAIN    ((size_t)48 * 1024) /* without opting in */
#define KG_MAX_SHARED_VARS 256

enum kg_thread_state { KG_THREAD_RUNS, KG_THREAD_BARRIER, KG_THREAD_WARP, KG_THREAD_EXITED };

/* One cache line: a block may have a thousand, all of them live. */
struct kg_thread {
    struct kg_dim3 index;
    uint16_t linear;
    uint8_t state; /* enum kg_thread_state */
    struct kg_block *block;
    struct kg_fiber *fiber;
    struct kg_thread *next; /* run queue, or queue of the barrier */
    uint64_t value;         /* of the warp operation it waits in: operand, then result */
    int line;               /* where it waits */
    uint32_t mask;
    int arg;
    uint8_t op, width;
} __attribute__((aligned(64)));

struct kg_pending { /* a warp operation that some lanes have reached */
    int op, line;
    uint32_t mask, arrived;
};

struct kg_warp {
    uint32_t live;    /* lanes that have not exited; those not yet started count */
    uint32_t waiting; /* parked lanes */
    uint32_t at_barrier;
    int barrier_line;
    unsigned n_pending;
    struct kg_pending pending[KG_WARP];
};

struct kg_queue {
    struct kg_thread *head, *tail;
};

struct kg_shared_var {
    const void *key;
    size_t offset;
};

struct kg_block {
    struct kg_launch *launch;
    struct kg_cpu *cpu;
    struct kg_dim3 index;
    unsigned n_threads, started, live;
    struct kg_dim3 next_index; /* of the thread started next */
    struct kg_queue run, barrier;
    unsigned barrier_arrived;
    int barrier_kind, barrier_sum, barrier_result;
    unsigned idle; /* yields since anything else happened */
    bool stalled;
    char *shared; /* KG_SHARED_AREA bytes */
    size_t shared_used;
    unsigned n_vars;
    struct kg_shared_var vars[KG_MAX_SHARED_VARS];
    struct kg_warp warps[KG_MAX_WARPS];
    struct kg_thread threads[KG_HOST_MAX_THREADS];
    struct kg_block *next; /* resident or free list */
};

#define KG_SHARED_AREA ((size_t)KG_HOST_MAX_SHARED + 29 * 1024)

struct kg_launch {
    struct kg_host_call call;
    uint64_t n_blocks, next_block; /* next_block: atomic */
    int error;                     /* atomic; the first one stays, and ends the launch */
    char text[512];
    size_t limit;                      /* shared bytes, static and dynamic */
    size_t static_shared;              /* atomic: most that a block used */
    uint64_t grid_arrived, grid_round; /* atomic; grid barrier */
    int running;                       /* OS threads in it; under the pool's lock */
};

struct kg_cpu { /* an OS thread of the pool */
    pthread_t thread;
    int number;
    void *signal_stack;
    struct kg_fiber os; /* its own stack: the scheduler */
    struct kg_fiber *free_fibers, *fresh;
    size_t n_fibers, max_fibers;
    struct kg_block *block; /* the one running */
    struct kg_block *free_blocks;
};

enum kg_block_end { KG_BLOCK_DONE, KG_BLOCK_STALLED, KG_BLOCK_ABORTED };

/* The thread that runs on this OS thread; NULL outside of kernels. */
struct kg_thread *kg_thread_here(void);

/* The scheduler of this OS thread; only while it runs blocks. */
struct kg_cpu *kg_cpu_here(void);

void kg_block_start(struct kg_block *b, struct kg_launch *l, struct kg_cpu *c, uint64_t number);
enum kg_block_end kg_block_run(struct kg_block *b);
void kg_block_drop(struct kg_block *b); /* gives back the fibers of an aborted block */

/* For warp.c. */
void kg_block_park(struct kg_thread *t); /* returns when t is in the run queue and its turn comes */
void kg_block_ready(struct kg_thread *t);
void kg_warp_exited(struct kg_block *b, unsigned warp);
/* Completes an ACTIVE operation whose warp cannot run on; with 'force' any. False: there is none.
 */
bool kg_warp_settle(struct kg_block *b, unsigned warp, bool force);
const char *kg_warp_op_name(int op);

/* Ends the launch with an error, unless it has one already. */
void kg_launch_abort(struct kg_launch *l, int error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* runtime.c */
void kg_runtime_error(int error,
                      const char *text); /* remembers it for the API and for the worker */
void kg_runtime_record(const struct kg_launch *l, double start_s, double end_s);
void kg_runtime_record_other(enum kg_host_work work, double start_s); /* until now */
void kg_runtime_allocated(double start_s);                            /* from then until now */
void kg_fill_garbage(void *p, size_t n); /* what uninitialised memory holds */

#endif
