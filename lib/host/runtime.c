/*
 * The runtime's memory of what happened: errors and launches. Also the table that keeps every
 * function that only candidates call in the programs that are linked with this library.
 */
#include "host/runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/mix.h"
#include "base/msg.h"
#include "host/block.h"

static struct {
    pthread_mutex_t lock;
    int sticky; /* an error that has ended a kernel: of all threads, until the worker takes it */
    char sticky_text[512], taken[512];
    struct kg_host_launch_record *records;
    size_t n, cap, seen; /* kept; all since taken */
    /* of allocating: before the first record; since the last one */
    double before_s, since_s;
} rt = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* As in CUDA, each thread's own, until it asks for it. */
static __thread struct {
    int first, last;
    char text[512]; /* of the first */
} mine;

/* ---- errors ------------------------------------------------------------------------------- */

struct error_name {
    int code;
    const char *name, *text;
};

static const struct error_name error_names[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no device"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {600, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "illegal memory access"},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {710, "cudaErrorAssert", "device-side assert triggered"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {800, "cudaErrorNotPermitted", "operation not permitted"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {999, "cudaErrorUnknown", "unknown error"},
};

static const struct error_name *find_error(int code)
{
    for (size_t i = 0; i < sizeof error_names / sizeof *error_names; i++)
        if (error_names[i].code == code)
            return &error_names[i];
    return NULL;
}

const char *kg_host_error_name(int error)
{
    const struct error_name *e = find_error(error);
    return e ? e->name : "unrecognized error code";
}

const char *kg_host_error_text(int error)
{
    const struct error_name *e = find_error(error);
    return e ? e->text : "unrecognized error code";
}

/* After these a GPU's context is lost, whatever the candidate does; so it is for what only the host
 * device lacks, or the candidate that has seen to it would be told that it is wrong. */
static bool is_sticky(int error)
{
    return error == KG_HOST_LAUNCH_FAILURE || error == KG_HOST_ASSERT ||
           error == KG_HOST_NOT_SUPPORTED;
}

void kg_runtime_error(int error, const char *text)
{
    mine.last = error;
    if (!mine.first) {
        mine.first = error;
        snprintf(mine.text, sizeof mine.text, "%s: %s", kg_host_error_text(error), text);
    }
    if (!is_sticky(error))
        return;
    pthread_mutex_lock(&rt.lock);
    if (!rt.sticky) {
        rt.sticky = error;
        snprintf(rt.sticky_text, sizeof rt.sticky_text, "%s: %s", kg_host_error_text(error), text);
    }
    pthread_mutex_unlock(&rt.lock);
}

int kg_host_fail(int error, const char *what)
{
    kg_runtime_error(error, what);
    return error;
}

int kg_host_last_error(int clear)
{
    int e = rt.sticky ? rt.sticky : mine.last;
    if (clear)
        mine.first = mine.last = 0;
    return e;
}

int kg_host_take_error(const char **text)
{
    pthread_mutex_lock(&rt.lock);
    int e = mine.first ? mine.first : rt.sticky;
    memcpy(rt.taken, mine.first ? mine.text : rt.sticky_text, sizeof rt.taken);
    mine.first = mine.last = rt.sticky = 0;
    pthread_mutex_unlock(&rt.lock);
    if (text)
        *text = e ? rt.taken : "";
    return e;
}

int kg_host_synchronize(void)
{
    return rt.sticky;
}

/* An assert that fails in a kernel ends the launch, not the process. The program's own functions
 * come before libc's when a candidate is loaded. */
void __assert_fail(const char *what, const char *file, unsigned line, const char *function);
void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    char text[400];
    snprintf(text, sizeof text, "%s:%u: %s: assertion '%s' failed", file, line,
             function ? function : "?", what);
    if (kg_host_in_kernel())
        kg_host_trap(KG_HOST_ASSERT, text, 0);
    kg_msg_error("%s", text);
    abort();
}

/* ---- launches ------------------------------------------------------------------------------- */

/* What two records are worth, as one: the end of the later, the time of both. */
static void fold(struct kg_host_launch_record *into, const struct kg_host_launch_record *r)
{
    double busy = into->end_s - into->start_s + (r->end_s - r->start_s);
    if (strcmp(into->name, r->name))
        snprintf(into->name, sizeof into->name, "[several]");
    if (r->work == KG_HOST_KERNEL)
        into->work = KG_HOST_KERNEL;
    if (into->end_s < r->end_s)
        into->end_s = r->end_s;
    if (into->start_s < into->end_s - busy) /* else they overlapped */
        into->start_s = into->end_s - busy;
}

static void add_record(const struct kg_host_launch_record *r)
{
    pthread_mutex_lock(&rt.lock);
    if (rt.seen++ == 0)
        rt.before_s = rt.since_s;
    rt.since_s = 0;
    if (rt.n < KG_HOST_RECORDS) {
        rt.records = kg_mem_grow(rt.records, rt.n, &rt.cap, sizeof *rt.records);
        rt.records[rt.n++] = *r;
    } else {
        fold(&rt.records[rt.n - 1], r);
    }
    pthread_mutex_unlock(&rt.lock);
}

void kg_runtime_record(const struct kg_launch *l, double start_s, double end_s)
{
    const struct kg_host_call *c = &l->call;
    struct kg_host_launch_record r = {
        .work = KG_HOST_KERNEL,
        .start_s = start_s,
        .end_s = end_s,
        .grid = {c->grid.x, c->grid.y, c->grid.z},
        .block = {c->block.x, c->block.y, c->block.z},
        .shared = c->shared + l->static_shared,
    };
    snprintf(r.name, sizeof r.name, "%s", c->name);
    add_record(&r);
}

void kg_runtime_record_other(enum kg_host_work work, double start_s)
{
    struct kg_host_launch_record r = {.work = work, .start_s = start_s, .end_s = kg_clock_now()};
    snprintf(r.name, sizeof r.name, "%s", work == KG_HOST_COPY ? "[copy]" : "[set]");
    add_record(&r);
}

void kg_runtime_allocated(double start_s)
{
    double s = kg_clock_now() - start_s;
    pthread_mutex_lock(&rt.lock);
    rt.since_s += s;
    pthread_mutex_unlock(&rt.lock);
}

double kg_host_take_allocating(void)
{
    pthread_mutex_lock(&rt.lock);
    double s = rt.before_s + rt.since_s;
    rt.before_s = rt.since_s = 0;
    pthread_mutex_unlock(&rt.lock);
    return s;
}

size_t kg_host_take_launches(struct kg_host_launch_record *out, size_t max)
{
    pthread_mutex_lock(&rt.lock);
    size_t seen = rt.seen, n = rt.n < max ? rt.n : max;
    if (n)
        memcpy(out, rt.records, n * sizeof *out);
    rt.n = rt.seen = 0;
    rt.before_s = rt.since_s = 0;
    pthread_mutex_unlock(&rt.lock);
    return seen;
}

/* ---- uninitialised memory ---------------------------------------------------------------- */

/*
 * Finite floats (some 10^5 to 10^6; as halves about 10) and large integers, others each time: a
 * result that depends on them is wrong, and differs from run to run, as it may on a GPU.
 */
void kg_fill_garbage(void *p, size_t n)
{
    static uint64_t count;
    uint64_t c = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    uint64_t r = kg_mix64(c ^ (uint64_t)(kg_clock_now() * 1e9));
    uint64_t word = (r & 0x007FFFFF007FFFFFull) | 0x4900000049000000ull;
    char *at = p;
    for (; n >= sizeof word; n -= sizeof word, at += sizeof word)
        memcpy(at, &word, sizeof word);
    memcpy(at, &word, n);
}

/* ---- clocks ------------------------------------------------------------------------------ */

long long kg_host_clock(void)
{
#if defined(__x86_64__)
    return (long long)__builtin_ia32_rdtsc();
#else
    return (long long)(kg_clock_now() * 1e9);
#endif
}

unsigned long long kg_host_globaltimer(void)
{
    return (unsigned long long)(kg_clock_now() * 1e9);
}

/* ---- what only candidates call ------------------------------------------------------------- */

typedef void (*anything)(void);
extern const anything kg_host_exports[];
#define E(f) (anything) f
const anything kg_host_exports[] = {
    E(kg_host_call),      E(kg_host_launch),        E(kg_host_barrier),
    E(kg_host_warp),      E(kg_host_malloc),        E(kg_host_stream_create),
    E(kg_host_set_inert), E(kg_host_take_launches), E(__assert_fail),
};
#undef E
