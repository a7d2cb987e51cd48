#include "judge/activity.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"
#include "worker/image.h"

#define CLOCK_SLACK_NS 20000 /* between the device's timestamps and the host's */
#define ARTIFACT_MAX   ((size_t)512 << 20)

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
    if (e->image >= t->n_images)
        return KG_KERNEL_FOREIGN;
    return kg_image_class(&t->images[e->image], own);
}

static struct kg_wire_launch *new_launch(struct kg_launches *l)
{
    l->v = kg_mem_grow(l->v, l->n, &l->cap, sizeof *l->v);
    struct kg_wire_launch *w = &l->v[l->n++];
    memset(w, 0, sizeof *w);
    return w;
}

static void add_event(struct kg_launches *l, const struct kg_trace *t,
                      const struct kg_trace_event *e, enum kg_kernel_class class)
{
    static const char *const names[] = {"", "[copy]", "[set]"};
    const char *name =
        e->kind == KG_TRACE_KERNEL ? t->names[e->name % KG_TRACE_NAMES] : names[e->kind % 3];
    struct kg_wire_launch *w = new_launch(l);
    memcpy(w->name, name, strnlen(name, sizeof w->name - 1));
    /* from the begin of the call: nanoseconds since some epoch do not fit a double */
    w->start_s = (double)(int64_t)(e->start_ns - t->begin_ns) * 1e-9;
    w->end_s = (double)(int64_t)(e->end_ns - t->begin_ns) * 1e-9;
    memcpy(w->grid, e->grid, sizeof w->grid);
    memcpy(w->block, e->block, sizeof w->block);
    w->registers = e->registers;
    w->shared_bytes = e->static_shared + e->dynamic_shared;
    w->class_hint = class;
}

static int by_start(const void *x, const void *y)
{
    const struct kg_wire_launch *a = x, *b = y;
    return a->start_s < b->start_s ? -1 : a->start_s > b->start_s;
}

static void measure(const struct kg_launches *l, const struct kg_trace *t, struct kg_activity *out)
{
    double last = 0, end = (double)(t->end_ns - t->begin_ns) * 1e-9;
    for (size_t i = 0; i < l->n; i++)
        last = l->v[i].end_s > last ? l->v[i].end_s : last;
    out->lead_us = l->n && l->v[0].start_s > 0 ? l->v[0].start_s * 1e6 : 0;
    out->tail_us = end > last ? (end - last) * 1e6 : 0;
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

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* What is looked at must not change under the look: a worker's threads can write there at any
 * time. The counts are of the copy, so what they count is in it; texts end. */
static struct kg_trace *take(const struct kg_trace *t)
{
    struct kg_trace *c = kg_mem_alloc(sizeof *c);
    memcpy(c, t, offsetof(struct kg_trace, images));
    c->error_call[sizeof c->error_call - 1] = 0;
    c->n_images = least(c->n_images, KG_TRACE_IMAGES);
    memcpy(c->images, t->images, c->n_images * sizeof *c->images);
    for (uint32_t i = 0; i < c->n_images; i++) {
        c->images[i].file[sizeof c->images[i].file - 1] = 0;
        c->images[i].loader[sizeof c->images[i].loader - 1] = 0;
    }
    uint32_t n = least(c->n_events, KG_TRACE_EVENTS);
    memcpy(c->events, t->events, n * sizeof *c->events);
    for (uint32_t i = 0; i < n; i++) { /* there is room for many more names than a call has */
        uint32_t name = c->events[i].name % KG_TRACE_NAMES;
        memcpy(c->names[name], t->names[name], sizeof c->names[name]);
    }
    return c;
}

static int read_copy(const struct kg_trace *t, const struct kg_images *own, uint32_t calls,
                     struct kg_launches *launches, struct kg_activity *out, struct kg_error *err)
{
    if (check(t, calls, err))
        return -1;
    bool alive = false;
    for (uint32_t i = 0; i < t->n_events; i++) {
        const struct kg_trace_event *e = &t->events[i];
        enum kg_kernel_class class = class_of(t, e, own);
        alive = alive || class == KG_KERNEL_JUDGE;
        if (e->end_ns < e->start_ns || class == KG_KERNEL_JUDGE)
            continue;
        if (e->phase == KG_TRACE_OUTSIDE) {
            out->outside++;
            out->outside_us += (double)(e->end_ns - e->start_ns) / 1e3;
            continue;
        }
        out->unjoined += e->end_ns > t->end_ns + CLOCK_SLACK_NS;
        add_event(launches, t, e, class);
    }
    /* the worker puts something of its own behind every call */
    if (!alive)
        return kg_error_set(err, KG_E_INTERNAL, "the tracer was silenced");
    if (launches->n)
        qsort(launches->v, launches->n, sizeof *launches->v, by_start);
    measure(launches, t, out);
    out->api_us = (double)t->api_ns / 1e3;
    out->sync_us = (double)t->sync_ns / 1e3;
    out->ablated = t->ablated;
    return 0;
}

int kg_activity_read(const struct kg_trace *t, const struct kg_images *own, uint32_t calls,
                     struct kg_launches *launches, struct kg_activity *out, struct kg_error *err)
{
    memset(out, 0, sizeof *out);
    launches->n = 0;
    struct kg_trace *copy = take(t);
    int rc = read_copy(copy, own, calls, launches, out, err);
    free(copy);
    return rc;
}
