#include "judge/activity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"
#include "worker/image.h"

#define ARTIFACT_MAX ((size_t)512 << 20)

static const char *const class_names[] = {"custom", "library", "library-jit", "foreign",
                                          "copy",   "set",     "judge"};

const char *kg_kernel_class_name(enum kg_kernel_class c)
{
    return class_names[c];
}

/* ---- images ------------------------------------------------------------------------------ */

static void add_hash(struct kg_images *i, const void *p, size_t n)
{
    i->hash = kg_mem_grow(i->hash, i->n, &i->cap, sizeof *i->hash);
    i->hash[i->n++] = kg_trace_hash(p, n);
}

static uint64_t get64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t get32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Fat binaries stand on 8-byte boundaries, each with its own size: magic, version, header bytes,
 * body bytes. What only looks like one is a hash that no image has. */
static void add_fatbins(struct kg_images *out, const char *data, size_t len)
{
    for (size_t at = 0; at + 16 <= len;) {
        if (get32(data + at) != KG_FATBIN_MAGIC) {
            at += 8;
            continue;
        }
        uint64_t size = (get32(data + at + 4) >> 16) + get64(data + at + 8);
        if (size < 16 || size > len - at) {
            at += 8;
            continue;
        }
        add_hash(out, data + at, size);
        at += (size + 7) & ~(uint64_t)7;
    }
}

int kg_images_of(const char *path, struct kg_images *out, struct kg_error *err)
{
    struct kg_buf b;
    memset(out, 0, sizeof *out);
    kg_buf_init(&b, ARTIFACT_MAX);
    int rc = kg_fs_read(path, &b, err);
    if (!rc && b.len >= 64) {
        add_hash(out, b.data, b.len);
        add_fatbins(out, b.data, b.len);
    }
    kg_buf_release(&b);
    return rc;
}

void kg_images_release(struct kg_images *i)
{
    free(i->hash);
    memset(i, 0, sizeof *i);
}

/* The worker opens the artifact by a descriptor, so this is how the loader knows it. */
#define ARTIFACT_NAME "/proc/self/fd/"

enum kg_kernel_class kg_image_class(const struct kg_trace_image *image, const struct kg_images *own)
{
    for (size_t i = 0; image->hash && i < own->n; i++)
        if (own->hash[i] == image->hash)
            return KG_KERNEL_CUSTOM;
    if (!strncmp(image->file, ARTIFACT_NAME, sizeof ARTIFACT_NAME - 1))
        return KG_KERNEL_CUSTOM; /* data of the candidate's own object */
    if (image->has_file)
        return KG_KERNEL_LIBRARY;
    if (image->loader[0] && strncmp(image->loader, ARTIFACT_NAME, sizeof ARTIFACT_NAME - 1) &&
        strstr(image->loader, ".so"))
        return KG_KERNEL_LIBRARY_JIT;
    return KG_KERNEL_FOREIGN;
}

/* ---- reading a trace --------------------------------------------------------------------- */

static enum kg_kernel_class class_of(const struct kg_trace *t, const struct kg_trace_event *e,
                                     const struct kg_images *own)
{
    if (e->phase == KG_TRACE_WORKER)
        return KG_KERNEL_JUDGE;
    if (e->kind == KG_TRACE_COPY)
        return KG_KERNEL_COPY;
    if (e->kind == KG_TRACE_SET)
        return KG_KERNEL_SET;
    if (e->image >= t->n_images || e->image >= KG_TRACE_IMAGES)
        return KG_KERNEL_FOREIGN;
    return kg_image_class(&t->images[e->image], own);
}

static struct kg_activity_kernel *kernel_of(struct kg_activity *a, const char *name,
                                            enum kg_kernel_class class)
{
    for (size_t i = 0; i < a->n_kernels; i++)
        if (a->kernels[i].class == class && !strncmp(a->kernels[i].name, name, KG_TRACE_NAME - 1))
            return &a->kernels[i];
    a->kernels = kg_mem_grow(a->kernels, a->n_kernels, &a->cap_kernels, sizeof *a->kernels);
    struct kg_activity_kernel *k = &a->kernels[a->n_kernels++];
    memset(k, 0, sizeof *k);
    memcpy(k->name, name, strnlen(name, KG_TRACE_NAME - 1));
    k->class = class;
    return k;
}

static void add_event(struct kg_activity *a, const struct kg_trace *t,
                      const struct kg_trace_event *e, enum kg_kernel_class class)
{
    static const char *const names[] = {"", "[copy]", "[set]"};
    double us = (double)(e->end_ns - e->start_ns) / 1e3;
    const char *name =
        e->kind == KG_TRACE_KERNEL ? t->names[e->name % KG_TRACE_NAMES] : names[e->kind % 3];
    a->class_us[class] += us;
    a->launches[class]++;
    struct kg_activity_kernel *k = kernel_of(a, name, class);
    k->device_us += us;
    k->launches++;
    memcpy(k->grid, e->grid, sizeof k->grid);
    memcpy(k->block, e->block, sizeof k->block);
    k->registers = e->registers;
    k->shared = e->static_shared + e->dynamic_shared;
}

static int by_start(const void *x, const void *y)
{
    const struct kg_trace_event *a = *(const struct kg_trace_event *const *)x;
    const struct kg_trace_event *b = *(const struct kg_trace_event *const *)y;
    return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static int by_time(const void *x, const void *y)
{
    const struct kg_activity_kernel *a = x, *b = y;
    return a->device_us > b->device_us ? -1 : a->device_us < b->device_us;
}

/* Span and union of the intervals; events are sorted by start. */
static void measure(const struct kg_trace_event *const *e, size_t n, const struct kg_trace *t,
                    struct kg_activity *out)
{
    uint64_t first = 0, last = 0, busy = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t start = e[i]->start_ns, end = e[i]->end_ns;
        if (i == 0)
            first = last = start;
        if (end > last) {
            busy += end - (start > last ? start : last);
            last = end;
        }
    }
    if (!n)
        return;
    out->span_us = (double)(last - first) / 1e3;
    out->busy_us = (double)busy / 1e3;
    out->lead_us = first > t->begin_ns ? (double)(first - t->begin_ns) / 1e3 : 0;
    out->tail_us = t->end_ns > last ? (double)(t->end_ns - last) / 1e3 : 0;
}

static int check(const struct kg_trace *t, uint32_t calls, struct kg_error *err)
{
    if (t->magic != KG_TRACE_MAGIC || !t->attached)
        return kg_error_set(err, KG_E_INTERNAL, "the tracer is not attached%s%.100s",
                            t->error ? ": " : "", t->error ? t->error_call : "");
    if (t->error)
        return kg_error_set(err, KG_E_INTERNAL, "tracer: %.100s: error %u", t->error_call,
                            t->error);
    if (t->n_dropped)
        return kg_error_set(err, KG_E_INTERNAL, "tracer: %u records were dropped", t->n_dropped);
    if (t->n_events > KG_TRACE_EVENTS)
        return kg_error_set(err, KG_E_INTERNAL, "tracer: %u events, only %d can be held",
                            t->n_events, KG_TRACE_EVENTS);
    if (t->done != calls)
        return kg_error_set(err, KG_E_INTERNAL, "tracer: %u calls were collected, %u were made",
                            t->done, calls);
    return 0;
}

int kg_activity_read(const struct kg_trace *t, const struct kg_images *own, uint32_t calls,
                     struct kg_activity *out, struct kg_error *err)
{
    memset(out, 0, sizeof *out);
    if (check(t, calls, err))
        return -1;
    const struct kg_trace_event **inside = kg_mem_array(t->n_events + 1, sizeof *inside);
    size_t n = 0;
    for (uint32_t i = 0; i < t->n_events; i++) {
        const struct kg_trace_event *e = &t->events[i];
        enum kg_kernel_class class = class_of(t, e, own);
        if (e->end_ns < e->start_ns)
            continue;
        if (e->phase == KG_TRACE_OUTSIDE) {
            out->outside++;
            out->outside_us += (double)(e->end_ns - e->start_ns) / 1e3;
            continue;
        }
        add_event(out, t, e, class);
        if (class != KG_KERNEL_JUDGE)
            inside[n++] = e;
    }
    qsort(inside, n, sizeof *inside, by_start);
    measure(inside, n, t, out);
    free(inside);
    out->api_us = (double)t->api_ns / 1e3;
    out->sync_us = (double)t->sync_ns / 1e3;
    out->ablated = t->ablated;
    out->failed_launches = t->failed_launches;
    if (out->n_kernels)
        qsort(out->kernels, out->n_kernels, sizeof *out->kernels, by_time);
    return 0;
}

void kg_activity_release(struct kg_activity *a)
{
    free(a->kernels);
    memset(a, 0, sizeof *a);
}

void kg_activity_add(struct kg_activity *all, const struct kg_activity *more)
{
    all->span_us += more->span_us;
    all->busy_us += more->busy_us;
    all->outside += more->outside;
    all->outside_us += more->outside_us;
    for (int c = 0; c < KG_KERNEL_CLASSES; c++) {
        all->class_us[c] += more->class_us[c];
        all->launches[c] += more->launches[c];
    }
    for (size_t i = 0; i < more->n_kernels; i++) {
        const struct kg_activity_kernel *m = &more->kernels[i];
        struct kg_activity_kernel *k = kernel_of(all, m->name, m->class);
        double us = k->device_us + m->device_us;
        uint64_t launches = k->launches + m->launches;
        *k = *m;
        k->device_us = us;
        k->launches = launches;
    }
    if (all->n_kernels)
        qsort(all->kernels, all->n_kernels, sizeof *all->kernels, by_time);
}

double kg_activity_time_coverage(const struct kg_activity *a)
{
    double total = 0;
    for (int c = 0; c < KG_KERNEL_JUDGE; c++)
        total += a->class_us[c];
    return total > 0 ? a->class_us[KG_KERNEL_CUSTOM] / total : NAN;
}

double kg_activity_count_coverage(const struct kg_activity *a)
{
    uint64_t total = 0;
    for (int c = 0; c < KG_KERNEL_JUDGE; c++)
        total += a->launches[c];
    return total ? (double)a->launches[KG_KERNEL_CUSTOM] / (double)total : NAN;
}
