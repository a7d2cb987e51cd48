#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "judge/activity.h"
#include "tap.h"

static struct kg_trace *t;
static struct kg_images own;

static void event(uint32_t kind, uint32_t phase, uint32_t image, uint32_t name, uint64_t start,
                  uint64_t end)
{
    struct kg_trace_event *e = &t->events[t->n_events++];
    *e = (struct kg_trace_event){.start_ns = t->begin_ns + start,
                                 .end_ns = t->begin_ns + end,
                                 .kind = kind,
                                 .phase = phase,
                                 .image = image,
                                 .name = name,
                                 .grid = {4, 1, 1}};
}

static void test_images(void)
{
    struct kg_error err = KG_ERROR_INIT;
    char path[] = "/tmp/kg-images.XXXXXX";
    unsigned char file[4096] = {0};
    int fd = mkstemp(path);
    /* a fat binary of 16 + 100 bytes at 1024, and a broken one at 2048 */
    const uint32_t head[4] = {0xba55ed50u, 16u << 16 | 1, 100, 0};
    const uint32_t broken[4] = {0xba55ed50u, 16u << 16 | 1, 1u << 30, 0};
    memcpy(file + 1024, head, sizeof head);
    memset(file + 1040, 0x77, 100);
    memcpy(file + 2048, broken, sizeof broken);
    OK(fd >= 0 && !kg_fs_write_all(fd, file, sizeof file));
    close(fd);
    OK(!kg_images_of(path, &own, &err));
    EQ_INT(own.n, 2);
    struct kg_trace_image i = {.hash = kg_trace_hash(file + 1024, 116), .size = 116};
    EQ_INT(kg_image_class(&i, &own), KG_KERNEL_CUSTOM);
    i.hash = kg_trace_hash(file, sizeof file); /* a cubin is its own image */
    EQ_INT(kg_image_class(&i, &own), KG_KERNEL_CUSTOM);
    unlink(path);
    OK(kg_images_of("/nonexistent", &(struct kg_images){0}, &err) < 0);
}

static void test_classes(void)
{
    struct kg_trace_image i = {.hash = 5, .has_file = 1, .file = "/usr/lib/libcublas.so.13"};
    EQ_INT(kg_image_class(&i, &own), KG_KERNEL_LIBRARY);
    i = (struct kg_trace_image){.hash = 5, .loader = "/usr/lib/libcudnn_engines.so.9"};
    EQ_INT(kg_image_class(&i, &own), KG_KERNEL_LIBRARY_JIT);
    i = (struct kg_trace_image){.hash = 5, .loader = "/proc/self/fd/5"};
    EQ_INT(kg_image_class(&i, &own), KG_KERNEL_FOREIGN);
    i = (struct kg_trace_image){.has_file = 1, .file = "/proc/self/fd/5"};
    EQ_INT(kg_image_class(&i, &own), KG_KERNEL_CUSTOM);
    /* a name proves nothing: the custom image's kernel may be called like a library's */
    EQ_STR(kg_kernel_class_name(KG_KERNEL_LIBRARY_JIT), "library-jit");
}

static void test_read(void)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_activity a;
    struct kg_launches l = {0};
    t->magic = KG_TRACE_MAGIC;
    t->attached = 1;
    t->done = 3;
    t->n_images = 2;
    t->images[0].hash = own.hash[0];
    t->images[1] = (struct kg_trace_image){.hash = 9, .has_file = 1, .file = "/l/libcublas.so"};
    snprintf(t->names[0], KG_TRACE_NAME, "mine");
    snprintf(t->names[1], KG_TRACE_NAME, "gemm");
    t->begin_ns = (uint64_t)1 << 60; /* an epoch: nanoseconds must survive it */
    t->end_ns = t->begin_ns + 20000;
    t->api_ns = 1500;
    /* two that overlap, a gap, a library kernel, a copy; the worker's own set; one outside */
    event(KG_TRACE_KERNEL, KG_TRACE_IN_CALL, 0, 0, 3000, 5000);
    event(KG_TRACE_KERNEL, KG_TRACE_IN_CALL, 0, 0, 1000, 4000);
    event(KG_TRACE_KERNEL, KG_TRACE_IN_CALL, 1, 1, 8000, 12000);
    event(KG_TRACE_COPY, KG_TRACE_IN_CALL, UINT32_MAX, 0, 12000, 13000);
    event(KG_TRACE_SET, KG_TRACE_WORKER, UINT32_MAX, 0, 13000, 19000);
    event(KG_TRACE_KERNEL, KG_TRACE_OUTSIDE, 0, 0, 19500, 19900);
    OK(!kg_activity_read(t, &own, 3, &l, &a, &err));
    EQ_INT(l.n, 4);
    EQ_STR(l.v[0].name, "mine");
    NEAR(l.v[0].start_s, 1e-6, 1e-15);
    NEAR(l.v[1].end_s, 5e-6, 1e-15);
    EQ_INT(l.v[1].class_hint, KG_KERNEL_CUSTOM);
    EQ_STR(l.v[2].name, "gemm");
    EQ_INT(l.v[2].class_hint, KG_KERNEL_LIBRARY);
    EQ_STR(l.v[3].name, "[copy]");
    EQ_INT(l.v[3].class_hint, KG_KERNEL_COPY);
    EQ_INT(a.unjoined, 0);
    EQ_INT(a.outside, 1);
    NEAR(a.outside_us, 0.4, 1e-9);
    NEAR(a.lead_us, 1, 1e-9);
    NEAR(a.tail_us, 7, 1e-9);
    NEAR(a.api_us, 1.5, 1e-9);
    /* the same, answered while the library's kernel and the copy still ran */
    t->end_ns = t->begin_ns + 4000;
    for (int i = 2; i < 4; i++)
        t->events[i].end_ns += 100000;
    OK(!kg_activity_read(t, &own, 3, &l, &a, &err));
    EQ_INT(a.unjoined, 2);
    free(l.v);
}

/* Without the worker's own copy or set the tracer is not believed. */
static void test_silenced(void)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_activity a;
    struct kg_launches l = {0};
    uint32_t was = t->events[4].phase;
    t->events[4].phase = KG_TRACE_IN_CALL;
    EQ_INT(kg_activity_read(t, &own, 3, &l, &a, &err), -1);
    HAS(err.text, "silenced");
    t->events[4].phase = was;
    free(l.v);
}

/* Each of these is a trace that proves nothing. */
static void test_refused(void)
{
    struct kg_activity a;
    struct kg_launches l = {0};
    struct {
        uint32_t *what;
        uint32_t value;
        const char *word;
    } broken[] = {{&t->attached, 0, "attached"}, {&t->error, 15, "error 15"},
                  {&t->n_dropped, 2, "dropped"}, {&t->n_events, KG_TRACE_EVENTS + 1, "held"},
                  {&t->done, 2, "collected"},    {&t->magic, 1, "attached"}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct kg_error err = KG_ERROR_INIT;
        uint32_t was = *broken[i].what;
        *broken[i].what = broken[i].value;
        EQ_INT(kg_activity_read(t, &own, 3, &l, &a, &err), -1);
        EQ_INT(l.n, 0);
        OK(strstr(err.text, broken[i].word) != NULL);
        *broken[i].what = was;
    }
}

static atomic_bool over;

static void *write_meanwhile(void *ignored)
{
    while (!atomic_load(&over)) {
        *(volatile uint32_t *)&t->n_events = UINT32_MAX;
        *(volatile uint32_t *)&t->events[0].image = UINT32_MAX / 2;
        *(volatile uint32_t *)&t->n_images = UINT32_MAX;
        *(volatile uint32_t *)&t->n_images = 1;
        *(volatile uint32_t *)&t->events[0].image = 0;
        *(volatile uint32_t *)&t->n_events = KG_TRACE_EVENTS;
    }
    return ignored;
}

/* A worker's threads write what they like while the judge reads: whatever it reads, it survives. */
static void test_written_meanwhile(void)
{
    struct kg_launches l = {0};
    struct kg_activity a;
    pthread_t thread;
    size_t read = 0;
    for (uint32_t i = 0; i < KG_TRACE_EVENTS; i++)
        t->events[i] = (struct kg_trace_event){.phase = KG_TRACE_WORKER};
    t->events[0].phase = KG_TRACE_IN_CALL;
    memset(t->images[0].loader, 'x', sizeof t->images[0].loader); /* without an end */
    memset(t->names[0], 'x', sizeof t->names[0]);
    OK(!pthread_create(&thread, NULL, write_meanwhile, NULL));
    for (int i = 0; i < 2000; i++) {
        struct kg_error err = KG_ERROR_INIT;
        read += !kg_activity_read(t, &own, t->done, &l, &a, &err);
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    printf("# %zu of 2000 looked right\n", read);
    OK(l.n <= KG_TRACE_EVENTS);
    free(l.v);
}

int main(void)
{
    t = kg_mem_zalloc(sizeof *t);
    test_images();
    test_classes();
    test_read();
    test_silenced();
    test_refused();
    test_written_meanwhile();
    kg_images_release(&own);
    free(t);
    return tap_done();
}
