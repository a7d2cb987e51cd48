#include "host/block.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

/* The built-in variables of the thread that runs on this OS thread (kg/builtin.h names them). */
__thread struct kg_dim3 kg_host_thread_idx, kg_host_block_idx, kg_host_block_dim, kg_host_grid_dim;

__thread char *kg_host_shared_base;
__thread size_t kg_host_shared_size;
__thread unsigned kg_host_spins;

static __thread struct kg_thread *self;
static __thread struct kg_block *running; /* self's block: known without waiting for self */

/* Thread-local variables are reached in functions of their own: a fiber may go on in another OS
 * thread between two launches, and no address of such a variable may survive that. */
__attribute__((noinline)) struct kg_thread *kg_thread_here(void)
{
    return self;
}

static __attribute__((noinline)) void show(struct kg_thread *t)
{
    self = t;
    kg_host_thread_idx = t->index;
    kg_host_spins = 0;
}

static __attribute__((noinline)) void show_block(struct kg_block *b)
{
    const struct kg_host_call *c = &b->launch->call;
    running = b;
    kg_host_shared_base = b->shared;
    kg_host_shared_size = KG_SHARED_AREA;
    kg_host_spins = 0;
    kg_host_block_idx = b->index;
    kg_host_block_dim = c->block;
    kg_host_grid_dim = c->grid;
}

static __attribute__((noinline)) void show_nothing(void)
{
    self = NULL;
    kg_host_shared_size = 0;
}

static bool aborted(const struct kg_launch *l)
{
    return __atomic_load_n(&l->error, __ATOMIC_RELAXED) != 0;
}

/* ---- who runs next ----------------------------------------------------------------------- */

static void push(struct kg_queue *q, struct kg_thread *t)
{
    t->next = NULL;
    if (q->head)
        q->tail->next = t;
    else
        q->head = t;
    q->tail = t;
}

/* Waiting for memory is most of what a switch costs: what the next three need is brought near. */
static inline void prefetch(const struct kg_thread *t)
{
    if (!t)
        return;
    kg_fiber_prefetch(t->fiber);
    if ((t = t->next)) {
        __builtin_prefetch(t->fiber);
        __builtin_prefetch(t->next);
    }
}

static inline struct kg_thread *pop(struct kg_queue *q)
{
    struct kg_thread *t = q->head;
    if (t) {
        q->head = t->next;
        prefetch(t->next);
    }
    return t;
}

void kg_block_ready(struct kg_thread *t)
{
    t->state = KG_THREAD_RUNS;
    push(&t->block->run, t);
}

static void fiber_main(void);

/* A fiber for threads that have not started; NULL: no memory, and the launch is aborted. */
static struct kg_fiber *fresh_fiber(struct kg_block *b)
{
    struct kg_cpu *c = b->cpu;
    if (!c->free_fibers) {
        struct kg_fiber *list = c->n_fibers < c->max_fibers ? kg_fiber_new(KG_WARP) : NULL;
        if (!list) {
            kg_launch_abort(b->launch, KG_HOST_NO_MEMORY,
                            "no memory for the stacks of the threads of a block");
            return NULL;
        }
        for (struct kg_fiber *f = list, *next; f; f = next) {
            next = f->next;
            kg_fiber_prepare(f, fiber_main);
            f->next = c->free_fibers;
            c->free_fibers = f;
            c->n_fibers++;
        }
    }
    struct kg_fiber *f = c->free_fibers;
    c->free_fibers = f->next;
    c->fresh = f;
    return f;
}

/* The fiber to go on with when the running one cannot; the scheduler's when there is none. */
static struct kg_fiber *next_fiber(struct kg_block *b)
{
    struct kg_thread *t = pop(&b->run);
    if (t) {
        t->state = KG_THREAD_RUNS;
        return t->fiber;
    }
    struct kg_fiber *f = b->started < b->n_threads ? fresh_fiber(b) : NULL;
    return f ? f : &b->cpu->os;
}

static inline void leave(struct kg_thread *t, struct kg_fiber *to)
{
    if (to != t->fiber) {
        kg_fiber_switch(t->fiber, to);
        show(t);
    }
}

static inline void park(struct kg_thread *t)
{
    struct kg_block *b = t->block;
    b->idle = 0;
    leave(t, next_fiber(b));
}

void kg_block_park(struct kg_thread *t)
{
    park(t);
}

/* ---- the life of a thread ---------------------------------------------------------------- */

static void release_barrier(struct kg_block *b);

static inline void exit_thread(struct kg_thread *t)
{
    struct kg_block *b = t->block;
    struct kg_warp *w = &b->warps[t->linear / KG_WARP];
    t->state = KG_THREAD_EXITED;
    w->live &= ~(1u << (t->linear % KG_WARP));
    b->live--;
    b->idle = 0;
    if (w->n_pending)
        kg_warp_exited(b, t->linear / KG_WARP);
    if (b->barrier_arrived && b->barrier_arrived == b->live)
        release_barrier(b);
}

/* The next thread of the block becomes the running one. */
static inline struct kg_thread *start_thread(struct kg_block *b, struct kg_fiber *f)
{
    struct kg_thread *t = &b->threads[b->started];
    t->index = b->next_index;
    t->linear = (uint16_t)b->started++;
    t->block = b;
    t->fiber = f;
    t->state = KG_THREAD_RUNS;
    const struct kg_dim3 *dim = &b->launch->call.block;
    if (++b->next_index.x == dim->x) {
        b->next_index.x = 0;
        if (++b->next_index.y == dim->y) {
            b->next_index.y = 0;
            b->next_index.z++;
        }
    }
    return t;
}

/* May the running fiber begin another thread? First those that have begun get on. */
static inline bool may_start(const struct kg_block *b)
{
    return b->started < b->n_threads && !b->run.head && !aborted(b->launch);
}

int kg_host_next(void)
{
    struct kg_block *b = running;
    if (!may_start(b))
        return 0; /* the fiber's loop lets it exit */
    struct kg_thread *t = self;
    struct kg_fiber *f = t->fiber;
    exit_thread(t);
    if (b->run.head) {
        self = NULL;
        return 0;
    }
    t = start_thread(b, f);
    self = t;
    kg_host_thread_idx = t->index;
    return 1;
}

static void fiber_main(void)
{
    kg_fiber_entered();
    struct kg_cpu *c = kg_cpu_here();
    struct kg_fiber *f = c->fresh;
    for (;;) {
        struct kg_block *b = c->block;
        const struct kg_host_call *call = &b->launch->call;
        while (may_start(b)) {
            show(start_thread(b, f));
            call->invoke(call->arg);
            struct kg_thread *t = kg_thread_here();
            if (t)
                exit_thread(t);
        }
        struct kg_thread *t = pop(&b->run);
        if (t)
            t->state = KG_THREAD_RUNS;
        f->next = c->free_fibers;
        c->free_fibers = f;
        kg_fiber_switch(f, t ? t->fiber : &c->os);
    }
}

/* ---- blocks ------------------------------------------------------------------------------ */

void kg_block_start(struct kg_block *b, struct kg_launch *l, struct kg_cpu *c, uint64_t number)
{
    const struct kg_host_call *call = &l->call;
    b->launch = l;
    b->cpu = c;
    b->index.x = (unsigned)(number % call->grid.x);
    b->index.y = (unsigned)(number / call->grid.x % call->grid.y);
    b->index.z = (unsigned)(number / call->grid.x / call->grid.y);
    b->n_threads = b->live = call->block.x * call->block.y * call->block.z;
    b->started = b->barrier_arrived = b->idle = b->n_vars = 0;
    b->stalled = false;
    b->next_index = (struct kg_dim3){0, 0, 0};
    b->run = b->barrier = (struct kg_queue){NULL, NULL};
    b->shared_used = call->shared;
    kg_fill_garbage(b->shared, call->shared);
    for (unsigned w = 0; w * KG_WARP < b->n_threads; w++) {
        unsigned lanes = b->n_threads - w * KG_WARP;
        b->warps[w].live = lanes >= KG_WARP ? ~0u : (1u << lanes) - 1;
        b->warps[w].waiting = b->warps[w].at_barrier = 0;
        b->warps[w].n_pending = 0;
    }
}

static void where_threads_wait(struct kg_block *b, struct kg_buf *out)
{
    bool told[KG_HOST_MAX_THREADS] = {false};
    unsigned groups = 0;
    for (unsigned i = 0; i < b->started; i++) {
        struct kg_thread *t = &b->threads[i];
        if (told[i] || t->state == KG_THREAD_EXITED)
            continue;
        unsigned n = 0;
        for (unsigned k = i; k < b->started; k++) {
            struct kg_thread *o = &b->threads[k];
            if (o->state != t->state || o->line != t->line ||
                (t->state == KG_THREAD_WARP && o->op != t->op))
                continue;
            told[k] = true;
            n++;
        }
        if (groups++ == 4) {
            kg_buf_adds(out, ", others elsewhere");
            return;
        }
        kg_buf_addf(out, "%s%u thread%s (first: %u,%u,%u) in %s", groups > 1 ? ", " : "", n,
                    n == 1 ? "" : "s", t->index.x, t->index.y, t->index.z,
                    t->state == KG_THREAD_BARRIER ? "__syncthreads()" : kg_warp_op_name(t->op));
        if (t->line > 0)
            kg_buf_addf(out, " at line %d", t->line);
    }
}

static void diverged(struct kg_block *b)
{
    struct kg_buf where;
    kg_buf_init(&where, 400);
    where_threads_wait(b, &where);
    kg_launch_abort(b->launch, KG_HOST_DIVERGENT_BARRIER,
                    "divergent barrier in '%.100s', block (%u,%u,%u): %s", b->launch->call.name,
                    b->index.x, b->index.y, b->index.z, kg_buf_str(&where));
    kg_buf_release(&where);
}

static bool settle(struct kg_block *b)
{
    bool any = false;
    for (unsigned w = 0; w * KG_WARP < b->n_threads; w++)
        any |= kg_warp_settle(b, w, true);
    return any;
}

static enum kg_block_end run_fibers(struct kg_block *b)
{
    while (!aborted(b->launch)) {
        if (!b->run.head && b->started == b->n_threads) {
            if (!b->live)
                return KG_BLOCK_DONE;
            if (!settle(b))
                diverged(b);
            continue;
        }
        struct kg_fiber *f = next_fiber(b);
        if (f != &b->cpu->os)
            kg_fiber_switch(&b->cpu->os, f);
        if (b->stalled) {
            b->stalled = false;
            b->idle = 0;
            if (!settle(b) && !aborted(b->launch))
                return KG_BLOCK_STALLED;
        }
    }
    return KG_BLOCK_ABORTED;
}

enum kg_block_end kg_block_run(struct kg_block *b)
{
    b->cpu->block = b;
    show_block(b);
    enum kg_block_end end = run_fibers(b);
    show_nothing();
    return end;
}

void kg_block_drop(struct kg_block *b)
{
    struct kg_cpu *c = b->cpu;
    for (unsigned i = 0; i < b->started; i++) {
        struct kg_thread *t = &b->threads[i];
        if (t->state == KG_THREAD_EXITED)
            continue;
        kg_fiber_prepare(t->fiber, fiber_main);
        t->fiber->next = c->free_fibers;
        c->free_fibers = t->fiber;
    }
}

void kg_host_trap(int error, const char *why, int line)
{
    struct kg_thread *t = kg_thread_here();
    struct kg_block *b = t->block;
    char place[32] = "";
    if (line > 0)
        snprintf(place, sizeof place, " at line %d", line);
    kg_launch_abort(b->launch, error, "%s%s in '%.100s', block (%u,%u,%u), thread (%u,%u,%u)", why,
                    place, b->launch->call.name, b->index.x, b->index.y, b->index.z, t->index.x,
                    t->index.y, t->index.z);
    for (;;)
        kg_fiber_switch(t->fiber, &b->cpu->os);
}

/* ---- barriers, yields -------------------------------------------------------------------- */

static void release_barrier(struct kg_block *b)
{
    b->barrier_result = b->barrier_kind == KG_BARRIER_AND
                            ? b->barrier_sum == (int)b->barrier_arrived
                            : b->barrier_sum;
    if (b->barrier_kind == KG_BARRIER_OR)
        b->barrier_result = b->barrier_sum != 0;
    b->barrier_arrived = 0;
    if (b->barrier.head) {
        if (b->run.head)
            b->run.tail->next = b->barrier.head;
        else
            b->run.head = b->barrier.head;
        b->run.tail = b->barrier.tail;
        b->barrier.head = NULL;
    }
    for (unsigned w = 0; w * KG_WARP < b->n_threads; w++) {
        b->warps[w].waiting &= ~b->warps[w].at_barrier;
        b->warps[w].at_barrier = 0;
    }
}

int kg_host_barrier(int kind, int predicate, int line)
{
    struct kg_thread *t = kg_thread_here();
    if (!t) {
        kg_host_fail(KG_HOST_DIVERGENT_BARRIER, "__syncthreads() outside of a kernel");
        return 0;
    }
    struct kg_block *b = t->block;
    struct kg_warp *w = &b->warps[t->linear / KG_WARP];
    if (!b->barrier_arrived++) {
        b->barrier_kind = kind;
        b->barrier_sum = 0;
    }
    b->barrier_sum += predicate != 0;
    t->line = line;
    if (b->barrier_kind != kind || (w->at_barrier && w->barrier_line != line)) {
        t->state = KG_THREAD_BARRIER;
        diverged(b);
        kg_host_trap(KG_HOST_DIVERGENT_BARRIER, "divergent barrier", line);
    }
    if (b->barrier_arrived == b->live) {
        release_barrier(b);
        return b->barrier_result;
    }
    uint32_t bit = 1u << (t->linear % KG_WARP);
    t->state = KG_THREAD_BARRIER;
    w->at_barrier |= bit;
    w->barrier_line = line;
    w->waiting |= bit;
    push(&b->barrier, t);
    if (w->n_pending)
        kg_warp_settle(b, t->linear / KG_WARP, false);
    park(t);
    return b->barrier_result;
}

void kg_host_yield(int line)
{
    struct kg_thread *t = kg_thread_here();
    kg_host_spins = 0;
    if (!t)
        return;
    struct kg_block *b = t->block;
    t->line = line;
    struct kg_fiber *to = NULL;
    if (++b->idle > 2 * b->live + 64 || aborted(b->launch)) {
        b->stalled = true;
        to = &b->cpu->os;
    } else if (b->started < b->n_threads) {
        to = fresh_fiber(b);
    }
    push(&b->run, t);
    leave(t, to ? to : next_fiber(b));
}
