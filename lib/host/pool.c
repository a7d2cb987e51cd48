/*
 * Launches: checks as on a GPU, then blocks over a pool of OS threads, in the order of their
 * numbers. The launching thread takes part. A launch returns when its last block has ended.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/msg.h"
#include "host/block.h"

#define MAX_FIBERS 28000 /* of all pool threads: two mappings each, and 65530 are allowed */
#define MAX_CPUS   26    /* each may need the fibers of a whole block */
#define SMALL      2048  /* threads of a launch below which waking the pool does not pay */

static struct {
    pthread_mutex_t launching; /* one launch at a time */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    int wanted, n_cpus; /* 0: not decided, not started */
    bool inert;
    struct kg_launch *launch;
    struct kg_cpu cpus[MAX_CPUS];
} pool = {.launching = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static __thread struct kg_cpu *here;

__attribute__((noinline)) struct kg_cpu *kg_cpu_here(void)
{
    return here;
}

void kg_launch_abort(struct kg_launch *l, int error, const char *fmt, ...)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!l->error) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(l->text, sizeof l->text, fmt, ap);
        va_end(ap);
        __atomic_store_n(&l->error, error, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- blocks of one OS thread -------------------------------------------------------------- */

struct residents { /* begun blocks whose threads only spin; oldest first */
    struct kg_block *first, *last;
    unsigned n, in_a_row; /* in_a_row: how often that was so since a block got on */
};

static bool blocks_left(const struct kg_launch *l)
{
    return __atomic_load_n(&l->next_block, __ATOMIC_RELAXED) < l->n_blocks &&
           !__atomic_load_n(&l->error, __ATOMIC_RELAXED);
}

static struct kg_block *new_block(void)
{
    void *at = NULL;
    if (posix_memalign(&at, 64, sizeof(struct kg_block)) != 0)
        at = NULL;
    struct kg_block *b = at ? memset(at, 0, sizeof *b) : NULL;
    if (!b)
        return NULL;
    void *p = mmap(NULL, KG_SHARED_AREA, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    b->shared = p == MAP_FAILED ? kg_mem_alloc(KG_SHARED_AREA) : p;
    return b;
}

static struct kg_block *take_block(struct kg_cpu *c, struct kg_launch *l)
{
    if (!blocks_left(l))
        return NULL;
    uint64_t n = __atomic_fetch_add(&l->next_block, 1, __ATOMIC_RELAXED);
    if (n >= l->n_blocks)
        return NULL;
    struct kg_block *b = c->free_blocks;
    if (b)
        c->free_blocks = b->next;
    else
        b = new_block();
    if (!b) {
        kg_launch_abort(l, KG_HOST_NO_MEMORY, "no memory for a block");
        return NULL;
    }
    kg_block_start(b, l, c, n);
    return b;
}

static struct kg_block *oldest(struct residents *r)
{
    struct kg_block *b = r->first;
    if (b) {
        r->first = b->next;
        r->n--;
    }
    return b;
}

static void keep(struct residents *r, struct kg_block *b)
{
    b->next = NULL;
    if (r->first)
        r->last->next = b;
    else
        r->first = b;
    r->last = b;
    r->n++;
    r->in_a_row++;
}

static void end_block(struct kg_cpu *c, struct kg_block *b, enum kg_block_end end)
{
    struct kg_launch *l = b->launch;
    if (end != KG_BLOCK_DONE)
        kg_block_drop(b);
    size_t used = b->shared_used - l->call.shared;
    size_t seen = __atomic_load_n(&l->static_shared, __ATOMIC_RELAXED);
    while (used > seen && !__atomic_compare_exchange_n(&l->static_shared, &seen, used, true,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    b->next = c->free_blocks;
    c->free_blocks = b;
}

static void run_blocks(struct kg_cpu *c, struct kg_launch *l)
{
    struct residents r = {NULL, NULL, 0, 0};
    unsigned threads = l->call.block.x * l->call.block.y * l->call.block.z;
    size_t most = c->max_fibers / threads;
    here = c;
    for (;;) {
        struct kg_block *b = NULL;
        if (!r.n || (r.in_a_row && r.n < most))
            b = take_block(c, l);
        if (!b)
            b = oldest(&r);
        if (!b)
            break;
        enum kg_block_end end = kg_block_run(b);
        if (end == KG_BLOCK_STALLED) {
            keep(&r, b);
            if (r.in_a_row >= r.n && (!blocks_left(l) || r.n >= most))
                sched_yield();
            continue;
        }
        r.in_a_row = 0;
        end_block(c, b, end);
    }
    here = NULL;
}

/* ---- the pool ----------------------------------------------------------------------------- */

/* So that a handler for faults on a fiber's guard page has a stack to run on. */
static void own_signal_stack(struct kg_cpu *c)
{
    stack_t s = {.ss_size = 64 * 1024};
    s.ss_sp = c->signal_stack = kg_mem_alloc(s.ss_size);
    sigaltstack(&s, NULL);
}

static void *helper(void *arg)
{
    struct kg_cpu *c = arg;
    own_signal_stack(c);
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.launch || !blocks_left(pool.launch))
            pthread_cond_wait(&pool.work, &pool.lock);
        struct kg_launch *l = pool.launch;
        l->running++;
        pthread_mutex_unlock(&pool.lock);
        run_blocks(c, l);
        pthread_mutex_lock(&pool.lock);
        if (--l->running == 0)
            pthread_cond_signal(&pool.done);
    }
    return NULL;
}

static int default_threads(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set);
}

int kg_host_processors(void)
{
    if (!pool.wanted)
        kg_host_set_threads(default_threads());
    return pool.wanted;
}

void kg_host_set_threads(int n)
{
    if (!pool.n_cpus)
        pool.wanted = n < 1 ? 1 : n > MAX_CPUS ? MAX_CPUS : n;
}

void kg_host_set_inert(int inert)
{
    pool.inert = inert != 0;
}

static void start_pool(void)
{
    int n = kg_host_processors();
    kg_fiber_plan((size_t)n * (KG_HOST_MAX_THREADS + KG_WARP));
    for (int i = 0; i < n; i++) {
        struct kg_cpu *c = &pool.cpus[i];
        c->number = i;
        c->max_fibers = MAX_FIBERS / (size_t)n;
        if (c->max_fibers < KG_HOST_MAX_THREADS + KG_WARP)
            c->max_fibers = KG_HOST_MAX_THREADS + KG_WARP;
        pool.n_cpus = i + 1;
        if (i > 0 && pthread_create(&c->thread, NULL, helper, c) != 0) {
            pool.n_cpus = i; /* a limit on threads: go on with fewer */
            break;
        }
    }
}

static void run_launch(struct kg_launch *l)
{
    uint64_t threads = l->n_blocks * l->call.block.x * l->call.block.y * l->call.block.z;
    bool alone = l->n_blocks == 1 || threads < SMALL || pool.n_cpus == 1;
    if (!alone) {
        pthread_mutex_lock(&pool.lock);
        pool.launch = l;
        pthread_cond_broadcast(&pool.work);
        pthread_mutex_unlock(&pool.lock);
    }
    run_blocks(&pool.cpus[0], l);
    if (!alone) {
        pthread_mutex_lock(&pool.lock);
        pool.launch = NULL;
        while (l->running)
            pthread_cond_wait(&pool.done, &pool.lock);
        pthread_mutex_unlock(&pool.lock);
    }
}

/* ---- launches ------------------------------------------------------------------------------ */

static int refuse(const struct kg_host_call *c, int error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static int refuse(const struct kg_host_call *c, int error, const char *fmt, ...)
{
    char why[256], text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    int n = snprintf(text, sizeof text, "launch of '%.128s'", c->name);
    if (c->line > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, " at line %d", c->line);
    snprintf(text + n, sizeof text - (size_t)n, ": %s", why);
    return kg_host_fail(error, text);
}

static int check_sizes(const struct kg_host_call *c)
{
    const struct kg_dim3 *g = &c->grid, *b = &c->block;
    if (!g->x || !g->y || !g->z || g->x > 2147483647u || g->y > 65535 || g->z > 65535)
        return refuse(c, KG_HOST_INVALID_CONFIG, "invalid grid (%u,%u,%u)", g->x, g->y, g->z);
    if (!b->x || !b->y || !b->z || b->x > 1024 || b->y > 1024 || b->z > 64 ||
        (uint64_t)b->x * b->y * b->z > KG_HOST_MAX_THREADS)
        return refuse(c, KG_HOST_INVALID_CONFIG, "invalid block (%u,%u,%u), at most %d threads",
                      b->x, b->y, b->z, KG_HOST_MAX_THREADS);
    return 0;
}

static int check(const struct kg_host_call *c, size_t limit)
{
    if (kg_thread_here())
        kg_host_trap(KG_HOST_NOT_SUPPORTED, "a launch from a kernel is not supported on host",
                     c->line);
    int e = kg_host_synchronize(); /* after a kernel has failed nothing runs, as on a GPU */
    if (!e)
        e = check_sizes(c);
    if (e)
        return e;
    if (c->shared > limit)
        return refuse(c, KG_HOST_INVALID_VALUE,
                      "%zu bytes of dynamic shared memory, at most %zu without "
                      "cudaFuncAttributeMaxDynamicSharedMemorySize",
                      c->shared, limit);
    if (kg_host_stream_check(c->stream))
        return refuse(c, KG_HOST_INVALID_HANDLE, "no such stream");
    unsigned threads = c->block.x * c->block.y * c->block.z;
    uint64_t resident = (uint64_t)kg_host_max_blocks_per_sm((int)threads, c->shared) *
                        (uint64_t)kg_host_processors();
    if (c->cooperative && (uint64_t)c->grid.x * c->grid.y * c->grid.z > resident)
        return refuse(c, KG_HOST_COOPERATIVE_TOO_LARGE,
                      "more blocks than can be resident together (%llu)",
                      (unsigned long long)resident);
    return 0;
}

int kg_host_call(const struct kg_host_call *call)
{
    struct kg_launch l = {.call = *call};
    size_t opted = kg_host_shared_limit(call->function);
    l.limit = opted > KG_SHARED_PLAIN ? KG_HOST_MAX_SHARED : KG_SHARED_PLAIN;
    int e = check(call, opted);
    if (e)
        return e;
    l.n_blocks = (uint64_t)call->grid.x * call->grid.y * call->grid.z;
    pthread_mutex_lock(&pool.launching);
    if (!pool.n_cpus)
        start_pool();
    double start = kg_clock_now();
    if (!pool.inert)
        run_launch(&l);
    double end = kg_clock_now();
    pthread_mutex_unlock(&pool.launching);
    kg_runtime_record(&l, start, end);
    return l.error ? kg_host_fail(l.error, l.text) : 0;
}

int kg_host_launch(const char *name, void (*invoke)(void *arg), void *arg, const unsigned grid[3],
                   const unsigned block[3], size_t dynamic_shared, void *stream)
{
    struct kg_host_call call = {
        .name = name,
        .function = (const void *)(uintptr_t)invoke,
        .invoke = invoke,
        .arg = arg,
        .grid = {grid[0], grid[1], grid[2]},
        .block = {block[0], block[1], block[2]},
        .shared = dynamic_shared,
        .stream = stream,
    };
    return kg_host_call(&call);
}

/* How many blocks of that size one pool thread could hold at once: threads as on a GPU (2048), and
 * shared memory (228 KiB). */
int kg_host_max_blocks_per_sm(int block_threads, size_t shared)
{
    if (block_threads < 1 || block_threads > KG_HOST_MAX_THREADS || shared > KG_HOST_MAX_SHARED)
        return 0;
    int by_threads = 2048 / ((block_threads + KG_WARP - 1) / KG_WARP * KG_WARP);
    if (by_threads > 32)
        by_threads = 32;
    size_t by_shared = (size_t)228 * 1024 / (shared + 1024);
    int room = MAX_FIBERS / kg_host_processors() / block_threads;
    int most = by_shared < (size_t)by_threads ? (int)by_shared : by_threads;
    return room < most ? room : most;
}

/* ---- shared memory, grid barrier ------------------------------------------------------------ */

int kg_host_in_kernel(void)
{
    return kg_thread_here() != NULL;
}

static struct kg_block *block_here(const char *what)
{
    struct kg_thread *t = kg_thread_here();
    if (!t)
        kg_host_fail(KG_HOST_LAUNCH_FAILURE, what);
    return t ? t->block : NULL;
}

/* Code of a kernel that is called as a plain function gets memory to work on, and an error. */
static char *stray_shared(void)
{
    static char area[KG_SHARED_AREA] __attribute__((aligned(128)));
    return area;
}

void *kg_host_dynamic_shared(void)
{
    struct kg_block *b = block_here("shared memory used outside of a kernel");
    return b ? b->shared : stray_shared();
}

size_t kg_host_dynamic_shared_bytes(void)
{
    struct kg_thread *t = kg_thread_here();
    return t ? t->block->launch->call.shared : 0;
}

void *kg_host_static_shared(const void *key, size_t bytes, size_t align)
{
    struct kg_block *b = block_here("shared memory used outside of a kernel");
    if (!b)
        return stray_shared();
    for (unsigned i = 0; i < b->n_vars; i++)
        if (b->vars[i].key == key)
            return b->shared + b->vars[i].offset;
    size_t at = (b->shared_used + align - 1) / align * align;
    struct kg_launch *l = b->launch;
    if (bytes > l->limit || at + bytes > l->limit || b->n_vars == KG_MAX_SHARED_VARS)
        kg_host_trap(KG_HOST_INVALID_VALUE, "too much shared memory (static and dynamic)", 0);
    b->vars[b->n_vars++] = (struct kg_shared_var){key, at};
    b->shared_used = at + bytes;
    kg_fill_garbage(b->shared + at, bytes);
    return b->shared + at;
}

int kg_host_is_cooperative(void)
{
    struct kg_thread *t = kg_thread_here();
    return t && t->block->launch->call.cooperative;
}

int kg_host_grid_sync(int line)
{
    struct kg_block *b = block_here("grid.sync() outside of a kernel");
    if (!b)
        return KG_HOST_LAUNCH_FAILURE;
    struct kg_launch *l = b->launch;
    if (!l->call.cooperative)
        kg_host_trap(KG_HOST_LAUNCH_FAILURE, "grid.sync() needs cudaLaunchCooperativeKernel", line);
    kg_host_barrier(KG_BARRIER_SYNC, 0, line);
    if (kg_host_thread_rank() == 0) {
        uint64_t round = __atomic_load_n(&l->grid_round, __ATOMIC_ACQUIRE);
        if (__atomic_add_fetch(&l->grid_arrived, 1, __ATOMIC_ACQ_REL) == l->n_blocks) {
            __atomic_store_n(&l->grid_arrived, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&l->grid_round, round + 1, __ATOMIC_RELEASE);
        }
        while (__atomic_load_n(&l->grid_round, __ATOMIC_ACQUIRE) == round)
            kg_host_yield(line);
    }
    kg_host_barrier(KG_BARRIER_SYNC, 0, line);
    return 0;
}

unsigned kg_host_smid(void)
{
    struct kg_cpu *c = kg_cpu_here();
    return c ? (unsigned)c->number : 0;
}
