/*
 * Device memory, streams and events of the host device. Device memory is this process' memory; work
 * on streams is done when it is asked for, so every stream is always idle.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/block.h"

#define ALIGN     512
#define HUGE_PAGE ((size_t)2 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- memory --------------------------------------------------------------------------------- */

struct allocation {
    void *p;
    size_t n;
};

static struct allocation *allocations;
static size_t n_allocations, cap_allocations, allocated;

size_t kg_host_memory_total(void)
{
    size_t total = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY && r.rlim_cur < total)
        total = (size_t)r.rlim_cur;
    return total;
}

size_t kg_host_memory_free(void)
{
    size_t total = kg_host_memory_total();
    return allocated < total ? total - allocated : 0;
}

/* Large ones in large pages, where the system has them: touching them is what allocating costs. */
static void *allocate(size_t n)
{
    void *p = NULL;
    bool large = n >= 2 * HUGE_PAGE;
    if (posix_memalign(&p, large ? HUGE_PAGE : ALIGN, n) != 0)
        return NULL;
    if (large)
        madvise(p, n / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return p;
}

int kg_host_malloc(void **p, size_t n)
{
    if (!p)
        return kg_host_fail(KG_HOST_INVALID_VALUE, "cudaMalloc: no place for the pointer");
    *p = NULL;
    if (n == 0)
        return 0;
    double start = kg_clock_now();
    void *got = n > kg_host_memory_free() ? NULL : allocate(n);
    if (!got)
        return kg_host_fail(KG_HOST_NO_MEMORY, "cudaMalloc");
    kg_fill_garbage(got, n);
    pthread_mutex_lock(&lock);
    allocations = kg_mem_grow(allocations, n_allocations, &cap_allocations, sizeof *allocations);
    allocations[n_allocations++] = (struct allocation){got, n};
    allocated += n;
    pthread_mutex_unlock(&lock);
    *p = got;
    kg_runtime_allocated(start);
    return 0;
}

int kg_host_free(void *p)
{
    if (!p)
        return 0;
    double start = kg_clock_now();
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = n_allocations; i-- > 0 && !found;) {
        if (allocations[i].p == p) {
            allocated -= allocations[i].n;
            allocations[i] = allocations[--n_allocations];
            found = true;
        }
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        return kg_host_fail(KG_HOST_INVALID_VALUE, "cudaFree: not a pointer of cudaMalloc");
    free(p);
    kg_runtime_allocated(start);
    return 0;
}

int kg_host_pointer_range(const void *p, void **base, size_t *size)
{
    int found = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_allocations && !found; i++) {
        if ((uintptr_t)p - (uintptr_t)allocations[i].p < allocations[i].n) {
            *base = allocations[i].p;
            *size = allocations[i].n;
            found = 1;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

int kg_host_memcpy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                      size_t height, int kind)
{
    if (kind < 0 || kind > 4)
        return kg_host_fail(KG_HOST_INVALID_DIRECTION, "cudaMemcpy");
    if (width > dpitch || width > spitch)
        return kg_host_fail(KG_HOST_INVALID_PITCH, "cudaMemcpy2D");
    if (!width || !height)
        return 0;
    if (!dst || !src)
        return kg_host_fail(KG_HOST_INVALID_VALUE, "cudaMemcpy: null pointer");
    double start = kg_clock_now();
    for (size_t y = 0; y < height; y++)
        memmove((char *)dst + y * dpitch, (const char *)src + y * spitch, width);
    kg_runtime_record_other(KG_HOST_COPY, start);
    return 0;
}

int kg_host_memcpy(void *dst, const void *src, size_t n, int kind)
{
    return kg_host_memcpy_2d(dst, n, src, n, n, 1, kind);
}

int kg_host_memset_2d(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    if (!width || !height)
        return 0;
    if (!dst || width > pitch)
        return kg_host_fail(KG_HOST_INVALID_VALUE, dst ? "cudaMemset2D: rows wider than the pitch"
                                                       : "cudaMemset: null pointer");
    double start = kg_clock_now();
    for (size_t y = 0; y < height; y++)
        memset((char *)dst + y * pitch, value, width);
    kg_runtime_record_other(KG_HOST_SET, start);
    return 0;
}

int kg_host_memset(void *dst, int value, size_t n)
{
    return kg_host_memset_2d(dst, n, value, n, 1);
}

/* ---- handles of streams and events ------------------------------------------------------- */

enum kind { STREAM, EVENT };

struct handle {
    enum kind kind;
    bool recorded;
    double time_s;
};

static struct handle **handles;
static size_t n_handles, cap_handles;

static int create(void **out, enum kind kind)
{
    if (!out)
        return kg_host_fail(KG_HOST_INVALID_VALUE, "no place for the handle");
    struct handle *h = kg_mem_zalloc(sizeof *h);
    h->kind = kind;
    pthread_mutex_lock(&lock);
    handles = kg_mem_grow(handles, n_handles, &cap_handles, sizeof *handles);
    handles[n_handles++] = h;
    pthread_mutex_unlock(&lock);
    *out = h;
    return 0;
}

/* NULL: there is no such handle. With 'take' it is removed from the list. */
static struct handle *find(void *p, enum kind kind, bool take)
{
    struct handle *h = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = n_handles; i-- > 0 && !h;) {
        if (handles[i] == p && handles[i]->kind == kind) {
            h = handles[i];
            if (take)
                handles[i] = handles[--n_handles];
        }
    }
    pthread_mutex_unlock(&lock);
    return h;
}

static int destroy(void *p, enum kind kind, const char *what)
{
    struct handle *h = find(p, kind, true);
    if (!h)
        return kg_host_fail(KG_HOST_INVALID_HANDLE, what);
    free(h);
    return 0;
}

int kg_host_stream_create(void **stream)
{
    return create(stream, STREAM);
}

int kg_host_stream_destroy(void *stream)
{
    return destroy(stream, STREAM, "cudaStreamDestroy: no such stream");
}

int kg_host_stream_check(void *stream)
{
    if ((uintptr_t)stream <= 2 || find(stream, STREAM, false)) /* default, legacy, per-thread */
        return 0;
    return KG_HOST_INVALID_HANDLE;
}

int kg_host_event_create(void **event)
{
    return create(event, EVENT);
}

int kg_host_event_destroy(void *event)
{
    return destroy(event, EVENT, "cudaEventDestroy: no such event");
}

int kg_host_event_record(void *event)
{
    struct handle *h = find(event, EVENT, false);
    if (!h)
        return kg_host_fail(KG_HOST_INVALID_HANDLE, "cudaEventRecord: no such event");
    h->recorded = true;
    h->time_s = kg_clock_now();
    return 0;
}

int kg_host_event_check(void *event)
{
    if (!find(event, EVENT, false))
        return kg_host_fail(KG_HOST_INVALID_HANDLE, "no such event");
    return 0;
}

int kg_host_event_elapsed(float *ms, void *start, void *end)
{
    struct handle *a = find(start, EVENT, false), *b = find(end, EVENT, false);
    if (!ms || !a || !b || !a->recorded || !b->recorded)
        return kg_host_fail(KG_HOST_INVALID_HANDLE, "cudaEventElapsedTime: event not recorded");
    *ms = (float)((b->time_s - a->time_s) * 1e3);
    return 0;
}

/* ---- attributes of kernels --------------------------------------------------------------- */

struct function {
    const void *address;
    size_t shared;
};

static struct function *functions;
static size_t n_functions, cap_functions;

int kg_host_set_shared_limit(const void *address, int bytes)
{
    if (bytes < 0 || bytes > KG_HOST_MAX_SHARED)
        return kg_host_fail(KG_HOST_INVALID_VALUE,
                            "cudaFuncSetAttribute: more shared memory than a block can have");
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < n_functions && functions[i].address != address)
        i++;
    if (i == n_functions) {
        functions = kg_mem_grow(functions, n_functions, &cap_functions, sizeof *functions);
        n_functions++;
    }
    functions[i] = (struct function){address, (size_t)bytes};
    pthread_mutex_unlock(&lock);
    return 0;
}

/* A kernel whose address is not known at the launch gets what any kernel has opted in for. */
size_t kg_host_shared_limit(const void *address)
{
    size_t limit = KG_SHARED_PLAIN;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_functions; i++)
        if ((functions[i].address == address || !address) && functions[i].shared > limit)
            limit = functions[i].shared;
    pthread_mutex_unlock(&lock);
    return limit;
}
