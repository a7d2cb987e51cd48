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

#define MAX_RECORDS 65536

static struct {
    pthread_mutex_t lock;
    int error, sticky; /* first since taken; one that has ended a kernel */
    char text[512], taken[512];
    struct kg_host_launch_record *records;
    size_t n, cap, seen; /* kept; all since taken */
} rt = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread int last_error; /* as in CUDA, each thread's own */

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

void kg_runtime_error(int error, const char *text)
{
    last_error = error;
    pthread_mutex_lock(&rt.lock);
    if (!rt.error) {
        rt.error = error;
        snprintf(rt.text, sizeof rt.text, "%s: %s", kg_host_error_text(error), text);
    }
    if (error == KG_HOST_LAUNCH_FAILURE || error == KG_HOST_ASSERT)
        rt.sticky = error;
    pthread_mutex_unlock(&rt.lock);
}

int kg_host_fail(int error, const char *what)
{
    kg_runtime_error(error, what);
    return error;
}

int kg_host_last_error(int clear)
{
    int e = rt.sticky ? rt.sticky : last_error;
    if (clear)
        last_error = 0;
    return e;
}

int kg_host_take_error(const char **text)
{
    pthread_mutex_lock(&rt.lock);
    int e = rt.error;
    memcpy(rt.taken, rt.text, sizeof rt.taken);
    rt.error = rt.sticky = 0;
    rt.text[0] = '\0';
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

void kg_runtime_record(const struct kg_launch *l, double start_s, double end_s)
{
    const struct kg_host_call *c = &l->call;
    pthread_mutex_lock(&rt.lock);
    rt.seen++;
    if (rt.n < MAX_RECORDS) {
        rt.records = kg_mem_grow(rt.records, rt.n, &rt.cap, sizeof *rt.records);
        struct kg_host_launch_record *r = &rt.records[rt.n++];
        memset(r, 0, sizeof *r);
        snprintf(r->name, sizeof r->name, "%s", c->name);
        r->start_s = start_s;
        r->end_s = end_s;
        r->grid[0] = c->grid.x, r->grid[1] = c->grid.y, r->grid[2] = c->grid.z;
        r->block[0] = c->block.x, r->block[1] = c->block.y, r->block[2] = c->block.z;
        r->shared = c->shared + l->static_shared;
    }
    pthread_mutex_unlock(&rt.lock);
}

size_t kg_host_take_launches(struct kg_host_launch_record *out, size_t max)
{
    pthread_mutex_lock(&rt.lock);
    size_t seen = rt.seen, n = rt.n < max ? rt.n : max;
    if (n)
        memcpy(out, rt.records, n * sizeof *out);
    rt.n = rt.seen = 0;
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
