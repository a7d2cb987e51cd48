#include "worker/native.h"
#include "base/clock.h"
#include "host/runtime.h"
#include "worker/guarded.h"
#include "worker/slotmem.h"
#include "worker/wire.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

union entry {
    void *symbol;
    void (*call)(void **);
    int (*call_int)(void **);
};

static struct {
    struct kg_wire_load load; /* as ordered */
    void *so;
    union entry entry[KG_WIRE_ENTRIES];
    struct kg_host_launch_record record[KG_HOST_RECORDS];
} native;

static void say(struct kg_wire_done *d, uint32_t status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct kg_wire_done *d, uint32_t status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    d->status = status;
    vsnprintf(d->text, sizeof d->text, fmt, ap);
    va_end(ap);
}

/* ---- LOAD ----------------------------------------------------------------------------------- */

static void unmap_slot(uint32_t set, uint32_t arg)
{
    struct kg_guarded_slot *g = &kg_guarded_slots[set][arg];
    if (g->map)
        munmap((void *)g->map, g->bytes);
    memset(g, 0, sizeof *g);
}

/* The loader opens by name, and may not be allowed to open what we were handed open: then by a copy
 * of our own. */
static int loadable(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, O_RDONLY | O_CLOEXEC);
    if (again >= 0) {
        close(again);
        return fd;
    }
    struct stat st;
    int copy = memfd_create("artifact", MFD_CLOEXEC);
    off_t at = 0;
    if (copy < 0 || fstat(fd, &st))
        return fd;
    while (at < st.st_size)
        if (sendfile(copy, fd, &at, (size_t)(st.st_size - at)) <= 0)
            break;
    return copy;
}

static int load_object(int fd, struct kg_wire_done *d)
{
    char path[64];
    int from = loadable(fd);
    snprintf(path, sizeof path, "/proc/self/fd/%d", from);
    dlerror();
    native.so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!native.so) {
        const char *text = dlerror();
        size_t len = strlen(path);
        if (text && !strncmp(text, path, len) && !strncmp(text + len, ": ", 2))
            text += len + 2; /* the name says nothing to anybody */
        say(d, KG_DONE_LOAD, "%s", text ? text : "the artifact does not load");
    }
    if (from != fd)
        close(from);
    return native.so ? 0 : -1;
}

static void find_entries(struct kg_wire_done *d)
{
    for (uint32_t i = 0; i < native.load.n_entries; i++) {
        char *name = native.load.entry[i].name;
        name[sizeof native.load.entry[i].name - 1] = 0;
        native.entry[i].symbol = dlsym(native.so, name);
    }
    if (!native.entry[0].symbol)
        say(d, KG_DONE_ENTRY, "no function '%s'", native.load.entry[0].name);
}

void kg_native_load(const struct kg_wire_load *m, int fd, struct kg_wire_done *d)
{
    for (uint32_t s = 0; s < KG_WIRE_SETS; s++)
        for (uint32_t a = 0; a < KG_WIRE_ARGS; a++)
            unmap_slot(s, a);
    native.load = *m;
    if (fd >= 0 && m->threads)
        kg_host_set_threads((int)m->threads);
    if (fd < 0 || !load_object(fd, d))
        find_entries(d);
}

/* ---- SLOTS ---------------------------------------------------------------------------------- */

static int map_slot(const struct kg_wire_slot *s, int fd, struct kg_wire_done *d)
{
    const struct kg_wire_arg *arg = s->arg < native.load.n_args ? &native.load.arg[s->arg] : NULL;
    if (s->set >= KG_WIRE_SETS || !arg || arg->kind != KG_WIRE_SLOT || s->offset > s->file_bytes ||
        arg->bytes > s->file_bytes - s->offset) {
        say(d, KG_DONE_WORKER, "slot %u of set %u does not fit its argument", s->arg, s->set);
        return -1;
    }
    struct kg_error err = KG_ERROR_INIT;
    void *p = kg_slotmem_map(fd, s->file_bytes, s->read_only, &err);
    if (!p) {
        say(d, err.code == KG_E_LIMIT ? KG_DONE_OOM : KG_DONE_WORKER, "%s", err.text);
        return -1;
    }
    unmap_slot(s->set, s->arg); /* after, so that the new one cannot have its address */
    kg_guarded_slots[s->set][s->arg] = (struct kg_guarded_slot){
        .map = p, .bytes = s->file_bytes, .offset = s->offset, .read_only = s->read_only};
    return 0;
}

void kg_native_slots(const struct kg_wire_slots *m, const int *fds, struct kg_wire_done *d)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (map_slot(&m->slot[i], fds[i], d))
            return;
}

/* ---- GO ------------------------------------------------------------------------------------- */

struct call {
    void *pointer[KG_WIRE_ARGS];
    uint64_t scalar[KG_WIRE_ARGS];
    void *args[KG_WIRE_ARGS + 1];
};

static int prepare(const struct kg_wire_go *m, struct call *c, struct kg_wire_done *d)
{
    if (m->entry >= native.load.n_entries) {
        say(d, KG_DONE_WORKER, "no entry %u", m->entry);
        return -1;
    }
    if (!native.entry[m->entry].symbol) {
        say(d, KG_DONE_ENTRY, "no function '%s'", native.load.entry[m->entry].name);
        return -1;
    }
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < native.load.n_args; i++) {
        const struct kg_guarded_slot *g = &kg_guarded_slots[m->set][i];
        c->scalar[i] = m->scalar[i];
        c->pointer[i] = (void *)(g->map ? g->map + g->offset : NULL);
        bool slot = native.load.arg[i].kind == KG_WIRE_SLOT;
        c->args[i] = slot ? (void *)&c->pointer[i] : (void *)&c->scalar[i];
        if (slot && !g->map) {
            say(d, KG_DONE_WORKER, "argument %u has no slot in set %u", i, m->set);
            return -1;
        }
    }
    c->args[native.load.n_args] =
        (void *)&native.load.dims; /* kg_call of a bare kernel launches with it */
    return 0;
}

static uint32_t status_of(int code)
{
    switch (code) {
    case KG_HOST_NO_MEMORY:
        return KG_DONE_OOM;
    case KG_HOST_INVALID_CONFIG:
    case KG_HOST_INVALID_FUNCTION:
    case KG_HOST_COOPERATIVE_TOO_LARGE:
        return KG_DONE_LAUNCH;
    case KG_HOST_NOT_SUPPORTED:
        return KG_DONE_UNSUPPORTED;
    }
    return KG_DONE_RUNTIME;
}

static void take_host_error(struct kg_wire_done *d)
{
    const char *text = NULL;
    int code = kg_host_take_error(&text);
    if (!code || d->status != KG_DONE_OK)
        return;
    d->code = code;
    say(d, status_of(code), "%s", text ? text : "error of the host runtime");
}

static void call_entry(const struct kg_wire_go *m, struct call *c, struct kg_wire_done *d)
{
    bool is_int = native.load.entry[m->entry].kind == KG_ENTRY_INT;
    union entry e = native.entry[m->entry];
    d->start_s = kg_clock_now();
    enum kg_caught caught = kg_guarded_call(is_int ? NULL : e.call, is_int ? e.call_int : NULL,
                                            c->args, &d->result, d->text, sizeof d->text);
    kg_host_synchronize();
    d->end_s = kg_clock_now();
    if (caught != KG_CAUGHT_NONE)
        d->status = caught == KG_CAUGHT_MEMORY ? KG_DONE_OOM : KG_DONE_EXCEPTION;
    take_host_error(d);
}

void kg_native_launch(size_t i, struct kg_wire_launch *l)
{
    const struct kg_host_launch_record *r = &native.record[i];
    snprintf(l->name, sizeof l->name, "%s", r->name);
    l->start_s = r->start_s;
    l->end_s = r->end_s;
    for (int k = 0; k < 3; k++) {
        l->grid[k] = r->grid[k];
        l->block[k] = r->block[k];
    }
    l->shared_bytes = r->shared;
}

/* Copies and sets are told beside kernels; alone they are no kernel of the candidate's. */
static void take_launches(struct kg_wire_done *d)
{
    double s = kg_host_take_allocating();
    size_t n = kg_host_take_launches(native.record, KG_HOST_RECORDS);
    size_t told = n < KG_HOST_RECORDS ? n : KG_HOST_RECORDS;
    bool kernel = false;
    for (size_t i = 0; i < told && !kernel; i++)
        kernel = native.record[i].work == KG_HOST_KERNEL;
    d->n_launches = kernel ? n : 0;
    d->told = kernel ? told : 0;
    d->allocating_us = s * 1e6 < UINT32_MAX ? (uint32_t)(s * 1e6) : UINT32_MAX;
}

void kg_native_go(const struct kg_wire_go *m, struct kg_wire_done *d)
{
    struct call c;
    if (prepare(m, &c, d))
        return;
    kg_host_take_error(NULL); /* what happened between calls is not this call's */
    kg_host_take_launches(native.record, 0);
    kg_host_set_inert(m->flags & KG_GO_ABLATE);
    call_entry(m, &c, d);
    kg_host_set_inert(0);
    take_launches(d);
}
