/* The runtime as the worker sees it: launches, records, errors, ablation, limits. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../share/kg/include/kg/abi.h"
#include "base/clock.h"
#include "host/runtime.h"
#include "tap.h"

static const unsigned one[3] = {1, 1, 1};

static void count(void *arg)
{
    __atomic_fetch_add((int *)arg, 1, __ATOMIC_RELAXED);
}

static void test_records(void)
{
    static struct kg_host_launch_record r[4];
    const unsigned grid[3] = {5, 2, 3}, block[3] = {8, 4, 2};
    int n = 0;
    kg_host_take_launches(r, 0);
    EQ_INT(kg_host_launch("first", count, &n, grid, block, 100, NULL), 0);
    EQ_INT(n, 30 * 64);
    for (int i = 0; i < 6; i++)
        kg_host_launch("again", count, &n, one, one, 0, NULL);
    EQ_INT(kg_host_take_launches(r, 4), 7);
    EQ_STR(r[0].name, "first");
    EQ_STR(r[3].name, "again");
    EQ_INT(r[0].grid[2], 3);
    EQ_INT(r[0].block[1], 4);
    EQ_INT(r[0].shared, 100);
    OK(r[0].start_s <= r[0].end_s && r[0].end_s <= r[1].start_s);
    EQ_INT(kg_host_take_launches(r, 4), 0);
}

static void test_refused(void)
{
    struct kg_host_launch_record r;
    const unsigned big[3] = {1024, 2, 1}, none[3] = {1, 0, 1};
    const char *text;
    int n = 0;
    EQ_INT(kg_host_launch("big", count, &n, one, big, 0, NULL), KG_HOST_INVALID_CONFIG);
    EQ_INT(kg_host_launch("none", count, &n, none, one, 0, NULL), KG_HOST_INVALID_CONFIG);
    EQ_INT(kg_host_launch("shared", count, &n, one, one, 50000, NULL), KG_HOST_INVALID_VALUE);
    EQ_INT(n, 0);
    EQ_INT(kg_host_take_error(&text), KG_HOST_INVALID_CONFIG);
    HAS(text, "launch of 'big'");
    EQ_INT(kg_host_take_error(&text), 0);
    EQ_INT(kg_host_take_launches(&r, 1), 0);
}

static void test_inert(void)
{
    struct kg_host_launch_record r;
    int n = 0;
    kg_host_set_inert(1);
    EQ_INT(kg_host_launch("inert", count, &n, one, one, 0, NULL), 0);
    kg_host_set_inert(0);
    EQ_INT(n, 0);
    EQ_INT(kg_host_take_launches(&r, 1), 1);
    EQ_STR(r.name, "inert");
}

/* ---- copies, sets, allocations ----------------------------------------------------------------
 */

static void test_other_work(void)
{
    static struct kg_host_launch_record r[8];
    static char from[64], to[128];
    int n = 0;
    kg_host_take_launches(r, 0);
    memcpy(from, "0123456789abcdef", 17);
    EQ_INT(kg_host_memcpy(to, from, 17, 4), 0);
    EQ_STR(to, from);
    EQ_INT(kg_host_launch("between", count, &n, one, one, 0, NULL), 0);
    EQ_INT(kg_host_memset(to, 'x', 3), 0);
    EQ_INT(kg_host_memcpy_2d(to, 32, from, 4, 2, 4, 3), 0); /* one record, whatever its rows */
    EQ_INT(memcmp(to + 32, "45", 2), 0);
    EQ_INT(memcmp(to, "01x3", 4), 0);
    EQ_INT(kg_host_memset_2d(to, 16, 'y', 1, 2), 0);
    EQ_INT(memcmp(to, "y1", 2), 0);
    EQ_INT(to[16], 'y');
    EQ_INT(kg_host_memcpy(to, from, 0, 4), 0); /* nothing to do is nothing done */
    EQ_INT(kg_host_memset(NULL, 0, 0), 0);
    EQ_INT(kg_host_memcpy(NULL, from, 1, 4), KG_HOST_INVALID_VALUE);
    EQ_INT(kg_host_memcpy_2d(to, 4, from, 8, 5, 1, 3), KG_HOST_INVALID_PITCH);
    EQ_INT(kg_host_take_error(NULL), KG_HOST_INVALID_VALUE);
    EQ_INT(kg_host_take_launches(r, 8), 5);
    EQ_STR(r[0].name, "[copy]");
    EQ_STR(r[1].name, "between");
    EQ_STR(r[2].name, "[set]");
    EQ_STR(r[3].name, "[copy]");
    EQ_STR(r[4].name, "[set]");
    EQ_INT(r[0].work, KG_HOST_COPY);
    EQ_INT(r[1].work, KG_HOST_KERNEL);
    EQ_INT(r[2].work, KG_HOST_SET);
    for (int i = 0; i < 5; i++)
        OK(r[i].start_s <= r[i].end_s && (i == 0 || r[i - 1].end_s <= r[i].start_s));
}

static void nap(void *arg)
{
    double until = kg_clock_now() + *(double *)arg;
    while (kg_clock_now() < until)
        ;
}

/* What cannot be told one by one: the last record has the names, the end and the time of all. */
static void test_folded(void)
{
    static struct kg_host_launch_record r[KG_HOST_RECORDS];
    const struct kg_host_launch_record *last = &r[KG_HOST_RECORDS - 1];
    const int more = 10;
    double s = 1e-3;
    int n = 0;
    char to[4];
    kg_host_take_launches(r, 0);
    for (int i = 0; i < KG_HOST_RECORDS - 1; i++)
        kg_host_memset(to, 0, 4);
    double from = kg_clock_now();
    kg_host_memset(to, 0, 4); /* the last that has a record of its own */
    for (int i = 0; i < more; i++) {
        kg_host_launch("nap", nap, &s, one, one, 0, NULL);
        nap(&s);
    }
    double until = kg_clock_now();
    kg_host_launch("count", count, &n, one, one, 0, NULL);
    EQ_INT(n, 1);
    EQ_INT(kg_host_take_launches(r, KG_HOST_RECORDS), KG_HOST_RECORDS + more + 1);
    EQ_STR(r[KG_HOST_RECORDS - 2].name, "[set]");
    EQ_STR(last->name, "[several]");
    EQ_INT(last->work, KG_HOST_KERNEL);
    OK(last->end_s >= until);
    /* the ten naps in kernels, and not those between them */
    OK(last->end_s - last->start_s >= more * s);
    OK(last->end_s - last->start_s <= last->end_s - from - more * s);
    EQ_INT(kg_host_take_launches(r, 1), 0);
}

static void test_allocating(void)
{
    struct kg_host_launch_record r;
    const size_t much = (size_t)8 << 20;
    void *p, *q, *u;
    int n = 0;
    kg_host_take_launches(&r, 0);
    double start = kg_clock_now();
    EQ_INT(kg_host_malloc(&p, much), 0);
    double one_s = kg_clock_now() - start, s = kg_host_take_allocating();
    OK(s > 0 && s <= one_s);
    EQ_INT((int)kg_host_take_allocating(), 0);
    start = kg_clock_now();
    EQ_INT(kg_host_malloc(&q, 64), 0);
    double before = kg_clock_now() - start;
    kg_host_launch("first", count, &n, one, one, 0, NULL);
    EQ_INT(kg_host_malloc(&u, much), 0); /* between two kernels: in the span that they explain */
    EQ_INT(kg_host_free(u), 0);
    kg_host_launch("last", count, &n, one, one, 0, NULL);
    start = kg_clock_now();
    EQ_INT(kg_host_free(q), 0);
    double after = kg_clock_now() - start;
    s = kg_host_take_allocating();
    OK(s > 0 && s <= before + after);
    EQ_INT(kg_host_free(p), 0);
    EQ_INT(kg_host_take_launches(&r, 1), 2);
    OK(!(kg_host_take_allocating() > 0)); /* forgotten with the launches */
}

/* ---- errors -----------------------------------------------------------------------------------
 */

static void *fails_elsewhere(void *arg)
{
    void *p;
    EQ_INT(kg_host_malloc(&p, SIZE_MAX), KG_HOST_NO_MEMORY);
    EQ_INT(kg_host_last_error(0), KG_HOST_NO_MEMORY);
    return arg;
}

static void asserts(void *arg)
{
    kg_host_trap(*(int *)arg, "it ends", 0);
}

static void test_errors(void)
{
    const unsigned big[3] = {1024, 2, 1};
    const char *text;
    int n = 0, how = KG_HOST_ASSERT;
    void *p;
    EQ_INT(kg_host_take_error(NULL), 0);
    /* looking at it leaves it there, and so does a call that succeeds; the last one is shown */
    EQ_INT(kg_host_malloc(&p, SIZE_MAX), KG_HOST_NO_MEMORY);
    EQ_INT(kg_host_launch("big", count, &n, one, big, 0, NULL), KG_HOST_INVALID_CONFIG);
    EQ_INT(kg_host_launch("good", count, &n, one, one, 0, NULL), 0);
    EQ_INT(kg_host_last_error(0), KG_HOST_INVALID_CONFIG);
    EQ_INT(kg_host_last_error(0), KG_HOST_INVALID_CONFIG);
    EQ_INT(kg_host_take_error(&text), KG_HOST_NO_MEMORY); /* that nobody took: the first */
    HAS(text, "cudaMalloc");
    EQ_INT(kg_host_last_error(0), 0);
    /* taking it is handling it */
    EQ_INT(kg_host_malloc(&p, SIZE_MAX), KG_HOST_NO_MEMORY);
    EQ_INT(kg_host_last_error(1), KG_HOST_NO_MEMORY);
    EQ_INT(kg_host_last_error(1), 0);
    EQ_INT(kg_host_take_error(&text), 0);
    EQ_STR(text, "");
    EQ_INT(kg_host_set_shared_limit(NULL, 1 << 20), KG_HOST_INVALID_VALUE);
    EQ_INT(kg_host_last_error(1), KG_HOST_INVALID_VALUE);
    EQ_INT(kg_host_launch("big", count, &n, one, big, 0, NULL), KG_HOST_INVALID_CONFIG);
    EQ_INT(kg_host_take_error(&text), KG_HOST_INVALID_CONFIG); /* what came after is not handled */
    HAS(text, "launch of 'big'");
    /* each thread has its own */
    pthread_t t;
    pthread_create(&t, NULL, fails_elsewhere, NULL);
    pthread_join(t, NULL);
    EQ_INT(kg_host_last_error(0), 0);
    EQ_INT(kg_host_take_error(NULL), 0);
    /* what has ended a kernel cannot be taken */
    const int stays[] = {KG_HOST_ASSERT, KG_HOST_LAUNCH_FAILURE, KG_HOST_NOT_SUPPORTED};
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) {
        how = stays[i];
        EQ_INT(kg_host_launch("ends", asserts, &how, one, one, 0, NULL), how);
        EQ_INT(kg_host_last_error(1), how);
        EQ_INT(kg_host_last_error(1), how);
        EQ_INT(kg_host_launch("good", count, &n, one, one, 0, NULL), how);
        EQ_INT(kg_host_synchronize(), how);
        EQ_INT(kg_host_last_error(1), how);
        EQ_INT(kg_host_take_error(&text), how);
        HAS(text, "it ends in 'ends'");
        EQ_INT(kg_host_synchronize(), 0);
    }
    /* too much static beside dynamic shared memory is known late, but it is a launch refused */
    how = KG_HOST_INVALID_VALUE;
    EQ_INT(kg_host_launch("ends", asserts, &how, one, one, 0, NULL), how);
    EQ_INT(kg_host_last_error(1), how);
    EQ_INT(kg_host_take_error(NULL), 0);
}

/* ---- barriers ---------------------------------------------------------------------------------
 */

struct rotation {
    int value[1024], result[1024];
};

static void rotate(void *arg)
{
    struct rotation *s = arg;
    unsigned t = kg_host_thread_rank();
    for (int i = 0; i < 10; i++) {
        s->value[t] = (int)t + i;
        kg_host_barrier(KG_BARRIER_SYNC, 0, 1);
        s->result[t] = s->value[(t + 1) % 1024];
        kg_host_barrier(KG_BARRIER_SYNC, 0, 2);
    }
}

static void half_way(void *arg)
{
    int kind = *(int *)arg;
    if (kg_host_thread_rank() % 2)
        kg_host_barrier(KG_BARRIER_SYNC, 0, 7);
    else if (kind == 1)
        kg_host_warp(KG_WARP_SYNC, ~0u, 0, 0, 32, 9);
}

static void test_barriers(void)
{
    static struct rotation s;
    const unsigned block[3] = {32, 16, 2};
    const char *text;
    int bad = 0, kind = 0;
    EQ_INT(kg_host_launch("rotate", rotate, &s, one, block, 0, NULL), 0);
    for (int t = 0; t < 1024; t++)
        bad += s.result[t] != (t + 1) % 1024 + 9;
    EQ_INT(bad, 0);
    /* threads that have exited count as arrived; those that wait elsewhere do not */
    EQ_INT(kg_host_launch("exited", half_way, &kind, one, block, 0, NULL), 0);
    kind = 1;
    EQ_INT(kg_host_launch("diverged", half_way, &kind, one, block, 0, NULL),
           KG_HOST_DIVERGENT_BARRIER);
    EQ_INT(kg_host_launch("after", half_way, &kind, one, one, 0, NULL), KG_HOST_LAUNCH_FAILURE);
    EQ_INT(kg_host_take_error(&text), KG_HOST_DIVERGENT_BARRIER);
    HAS(text, "divergent barrier in 'diverged'");
    HAS(text, "512 threads (first: 1,0,0) in __syncthreads() at line 7");
    EQ_INT(kg_host_synchronize(), 0);
    EQ_INT(kg_host_launch("rotate", rotate, &s, one, block, 0, NULL), 0); /* fibers are reusable */
}

/* ---- several threads of the host, deep stacks
 * ---------------------------------------------------- */

static void *launcher(void *arg)
{
    static const unsigned grid[3] = {20, 1, 1}, block[3] = {128, 1, 1};
    for (int i = 0; i < 20; i++)
        kg_host_launch("parallel", count, arg, grid, block, 0, NULL);
    return NULL;
}

static void test_host_threads(void)
{
    pthread_t t[3];
    int n = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, launcher, &n);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    EQ_INT(n, 3 * 20 * 20 * 128);
}

/* Each frame looks at the one above: no compiler can make a loop of it. */
static int dig(int depth, const volatile char *above)
{
    volatile char page[1024];
    page[depth % 1024] = (char)(depth + above[0]);
    return depth == 0 ? 0 : dig(depth - 1, page) + page[depth % 1024] * 0;
}

static void dig_deep(void *arg)
{
    volatile char top[1] = {0};
    dig(*(int *)arg, top);
}

static int end_of(int depth)
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer would make an exit of it */
        kg_host_launch("deep", dig_deep, &depth, one, one, 0, NULL);
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
}

static void test_stack(void)
{
    EQ_INT(end_of(20), 0);
    EQ_INT(WTERMSIG(end_of(2000)), SIGSEGV);
}

int main(void)
{
    kg_host_set_threads(2);
    EQ_INT(kg_host_processors(), 2);
    test_stack(); /* forks: before there are threads */
    test_records();
    test_refused();
    test_inert();
    test_other_work();
    test_folded();
    test_allocating();
    test_errors();
    test_barriers();
    test_host_threads();
    return tap_done();
}
