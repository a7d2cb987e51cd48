#include "worker/cuda.h"

#include <stdarg.h>
#include <stdio.h>

static void say(struct kg_wire_done *d, enum kg_wire_status status, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void say(struct kg_wire_done *d, enum kg_wire_status status, int code, const char *fmt, ...)
{
    va_list ap;
    d->status = status;
    d->code = code;
    va_start(ap, fmt);
    vsnprintf(d->text, sizeof d->text, fmt, ap);
    va_end(ap);
}

#if !KG_HAVE_CUDA

/* The first order fails, so the others never come. */
struct kg_cuda_runner *kg_cuda_runner_new(struct kg_wire_done *done)
{
    say(done, KG_DONE_WORKER, 0, "this kg was built for the host device only");
    return NULL;
}

void kg_cuda_runner_load(struct kg_cuda_runner *r, const struct kg_wire_load *order, int fd,
                         struct kg_wire_done *d)
{
}

void kg_cuda_runner_slots(struct kg_cuda_runner *r, const struct kg_wire_slots *order,
                          const int *fds, struct kg_wire_done *d)
{
}

void kg_cuda_runner_go(struct kg_cuda_runner *r, const struct kg_wire_go *order,
                       struct kg_wire_done *d)
{
}

void kg_cuda_runner_collect(struct kg_cuda_runner *r)
{
}

#else

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "device/gpu.h"
#include "worker/guarded.h"
#include "worker/trace.h"

#define IMAGE_MAX  ((size_t)256 << 20)
#define FIRST_NAME 64 /* descriptor numbers that objects are opened by */
#define LAST_NAME  1000

struct slot {
    struct kg_gpu_shared memory;
    uint64_t payload; /* address of the argument */
};

struct kg_cuda_runner {
    struct kg_gpu *gpu;
    struct kg_wire_load load;
    struct slot slots[KG_WIRE_SETS][KG_WIRE_ARGS];
    struct kg_gpu_module *module; /* bare kernel */
    uint64_t kernel;
    uint64_t probe; /* device memory of the worker's own */
    struct kg_gpu_timer timer;
    void *object; /* shared object */
    int (*runtime_error)(void);
    const char *(*runtime_text)(int);
    /* of the tracer and the preload; NULL where they are not loaded */
    __typeof__(&kg_trace_begin) trace_begin;
    __typeof__(&kg_trace_answer) trace_answer;
    __typeof__(&kg_trace_end) trace_end;
    __typeof__(&kg_trace_worker) trace_worker;
    __typeof__(&kg_preload_ablate) ablate;
};

/* cudaError_t and CUresult agree on these numbers. */
static enum kg_wire_status status_of(int code)
{
    switch (code) {
    case 0:
        return KG_DONE_OK;
    case 2:
        return KG_DONE_OOM;
    case 1:   /* invalid value: of a launch, mostly; the text says which call */
    case 9:   /* invalid configuration */
    case 98:  /* invalid device function */
    case 209: /* no image for the device */
    case 701: /* out of resources */
    case 720: /* cooperative launch too large */
    case 912: /* cluster out of resources */
        return KG_DONE_LAUNCH;
    default:
        return KG_DONE_RUNTIME;
    }
}

struct kg_cuda_runner *kg_cuda_runner_new(struct kg_wire_done *done)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_gpu *gpu = kg_gpu_open(0, &err);
    if (!gpu) {
        say(done, KG_DONE_WORKER, kg_gpu_last_code(), "%s", err.text);
        return NULL;
    }
    struct kg_cuda_runner *r = kg_mem_zalloc(sizeof *r);
    r->gpu = gpu;
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *tracer = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (tracer) {
        void (*ready)(void);
        *(void **)&ready = dlsym(tracer, "kg_trace_ready");
        if (ready)
            ready();
        *(void **)&r->trace_begin = dlsym(tracer, "kg_trace_begin");
        *(void **)&r->trace_answer = dlsym(tracer, "kg_trace_answer");
        *(void **)&r->trace_end = dlsym(tracer, "kg_trace_end");
        *(void **)&r->trace_worker = dlsym(tracer, "kg_trace_worker");
    }
    *(void **)&r->ablate = dlsym(RTLD_DEFAULT, "kg_preload_ablate");
    return r;
}

static void worker_work(struct kg_cuda_runner *r, int on)
{
    if (r->trace_worker)
        r->trace_worker(on);
}

static void drop_slots(struct kg_cuda_runner *r)
{
    for (int s = 0; s < KG_WIRE_SETS; s++)
        for (int a = 0; a < KG_WIRE_ARGS; a++)
            if (r->slots[s][a].memory.address)
                kg_gpu_shared_free(r->gpu, &r->slots[s][a].memory);
}

/* ---- LOAD -------------------------------------------------------------------------------- */

static int is_image(const struct kg_buf *b)
{
    unsigned short machine = 0;
    if (b->len < 64 || memcmp(b->data, "\177ELF", 4))
        return b->len >= 4 && !memcmp(b->data, "\x50\xed\x55\xba", 4);
    memcpy(&machine, b->data + 18, sizeof machine);
    return machine == 190; /* EM_CUDA */
}

static void load_image(struct kg_cuda_runner *r, const struct kg_buf *b, struct kg_wire_done *d)
{
    struct kg_error err = KG_ERROR_INIT;
    r->module = kg_gpu_module_load(r->gpu, b->data, &err);
    if (!r->module) {
        say(d, KG_DONE_LOAD, kg_gpu_last_code(), "%s", err.text);
        return;
    }
    r->kernel = kg_gpu_kernel(r->gpu, r->module, r->load.entry[0].name, NULL);
    if (!r->kernel)
        r->kernel = kg_gpu_kernel_like(r->gpu, r->module, r->load.entry[0].name, &err);
    if (!r->kernel)
        say(d, KG_DONE_ENTRY, 0, "no kernel '%s': %s", r->load.entry[0].name, err.text);
}

/* The loader knows an object by its name before it looks at the file: under a name that another one
 * was opened by, it finds that one. So each gets a number that none had. */
static void *open_object(int fd)
{
    char path[64];
    for (int n = FIRST_NAME; n < LAST_NAME; n++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", n);
        if (fcntl(n, F_GETFD) >= 0)
            continue;
        void *other = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        if (other) {
            dlclose(other);
            continue;
        }
        int own = fcntl(fd, F_DUPFD_CLOEXEC, n);
        dlerror(); /* what was not found by name is no error */
        void *object = own == n ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (own >= 0)
            close(own);
        return object;
    }
    return NULL;
}

static void load_object(struct kg_cuda_runner *r, int fd, struct kg_wire_done *d)
{
    r->object = open_object(fd);
    if (!r->object) {
        const char *text = dlerror();
        say(d, KG_DONE_LOAD, 0, "%s", text ? text : "no name is left for the artifact");
        return;
    }
    if (!dlsym(r->object, r->load.entry[0].name)) {
        say(d, KG_DONE_ENTRY, 0, "no entry '%s'", r->load.entry[0].name);
        return;
    }
    *(void **)&r->runtime_error = dlsym(r->object, "cudaGetLastError");
    *(void **)&r->runtime_text = dlsym(r->object, "cudaGetErrorString");
}

/* A shared object stays open: what it registered with the runtime is not known to go in peace. */
static void unload(struct kg_cuda_runner *r)
{
    if (r->module)
        kg_gpu_module_free(r->gpu, r->module);
    r->module = NULL;
    r->object = NULL;
    r->runtime_error = NULL;
    r->runtime_text = NULL;
}

void kg_cuda_runner_load(struct kg_cuda_runner *r, const struct kg_wire_load *order, int fd,
                         struct kg_wire_done *d)
{
    r->load = *order;
    drop_slots(r);
    if (fd < 0)
        return; /* other arguments for what is loaded */
    unload(r);
    struct kg_buf image;
    struct kg_error err = KG_ERROR_INIT;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    kg_buf_init(&image, IMAGE_MAX);
    worker_work(r, 0); /* loads of the artifact are the candidate's */
    if (kg_fs_read(path, &image, &err))
        say(d, KG_DONE_WORKER, 0, "%s", err.text);
    else if (is_image(&image))
        load_image(r, &image, d);
    else
        load_object(r, fd, d);
    kg_buf_release(&image);
}

/* ---- SLOTS ------------------------------------------------------------------------------- */

void kg_cuda_runner_slots(struct kg_cuda_runner *r, const struct kg_wire_slots *order,
                          const int *fds, struct kg_wire_done *d)
{
    worker_work(r, 1);
    for (uint32_t i = 0; i < order->n && d->status == KG_DONE_OK; i++) {
        const struct kg_wire_slot *w = &order->slot[i];
        if (w->set >= KG_WIRE_SETS || w->arg >= KG_WIRE_ARGS) {
            say(d, KG_DONE_WORKER, 0, "slot %u of set %u", w->arg, w->set);
            break;
        }
        struct slot *s = &r->slots[w->set][w->arg];
        struct kg_gpu_shared old = s->memory;
        struct kg_error err = KG_ERROR_INIT;
        /* the new one is mapped before the old one goes: it lies at another address */
        if (kg_gpu_shared_import(r->gpu, fds[i], w->file_bytes, w->read_only, &s->memory, &err))
            say(d, kg_gpu_last_code() == 2 ? KG_DONE_OOM : KG_DONE_WORKER, kg_gpu_last_code(), "%s",
                err.text);
        s->payload = s->memory.address + w->offset;
        if (old.address)
            kg_gpu_shared_free(r->gpu, &old);
    }
    worker_work(r, 0);
}

/* ---- GO ---------------------------------------------------------------------------------- */

/* args[i]: address of the i-th value; values[] keeps the pointers */
static void arguments(struct kg_cuda_runner *r, const struct kg_wire_go *order, uint64_t *values,
                      void **args)
{
    for (uint32_t i = 0; i < r->load.n_args; i++) {
        values[i] = r->load.arg[i].kind == KG_WIRE_SLOT ? r->slots[order->set][i].payload
                                                        : order->scalar[i];
        args[i] = &values[i];
    }
}

static void run_kernel(struct kg_cuda_runner *r, const struct kg_wire_go *order, void **args,
                       struct kg_wire_done *d)
{
    struct kg_error err = KG_ERROR_INIT;
    const struct kg_wire_dims *dims = &r->load.dims;
    int code = 0;
    if (order->flags & KG_GO_ABLATE)
        return; /* a bare kernel that is not launched */
    if (kg_gpu_launch(r->gpu, r->kernel, dims->grid, dims->block, dims->shared, args, &code, &err))
        say(d, status_of(code), code, "%s", err.text);
}

static void run_object(struct kg_cuda_runner *r, const struct kg_wire_go *order, void **args,
                       struct kg_wire_done *d)
{
    const struct kg_wire_entry *entry = &r->load.entry[order->entry % KG_WIRE_ENTRIES];
    void *f = dlsym(r->object, entry->name);
    if (!f) {
        say(d, KG_DONE_ENTRY, 0, "no entry '%s'", entry->name);
        return;
    }
    if (order->flags & KG_GO_ABLATE && r->ablate)
        r->ablate(f, 1);
    union {
        void *symbol;
        void (*call)(void **);
        int (*call_int)(void **);
    } e = {f};
    bool is_int = entry->kind == KG_ENTRY_INT;
    enum kg_caught caught = kg_guarded_call(is_int ? NULL : e.call, is_int ? e.call_int : NULL,
                                            args, &d->result, d->text, sizeof d->text);
    if (caught != KG_CAUGHT_NONE)
        d->status = caught == KG_CAUGHT_MEMORY ? KG_DONE_OOM : KG_DONE_EXCEPTION;
    if (order->flags & KG_GO_ABLATE && r->ablate)
        r->ablate(f, 0);
    int code = d->status == KG_DONE_OK && r->runtime_error ? r->runtime_error() : 0;
    if (code)
        say(d, status_of(code), code, "%s (%d)", r->runtime_text ? r->runtime_text(code) : "",
            code);
}

/* Before the trace of the call begins. */
static bool have_timer(struct kg_cuda_runner *r, const struct kg_wire_go *order)
{
    struct kg_error ignored =
        KG_ERROR_INIT; /* without the time that was asked for, the judge sees */
    if (!(order->flags & KG_GO_EVENTS))
        return false;
    return r->timer.stop || !kg_gpu_timer_new(r->gpu, &r->timer, &ignored);
}

/* The events stand as close to the candidate's work as its own process can put them. */
static void run(struct kg_cuda_runner *r, const struct kg_wire_go *order, void **args,
                struct kg_wire_done *d, bool timed)
{
    struct kg_error ignored = KG_ERROR_INIT;
    bool started = timed && !kg_gpu_timer_start(r->gpu, &r->timer, &ignored);
    if (r->module)
        run_kernel(r, order, args, d);
    else
        run_object(r, order, args, d);
    if (started && !kg_gpu_timer_stop(r->gpu, &r->timer, &ignored))
        d->events_us = -1; /* until it is known */
}

static void read_timer(struct kg_cuda_runner *r, struct kg_wire_done *d)
{
    struct kg_error ignored = KG_ERROR_INIT;
    if (d->events_us < 0 && kg_gpu_timer_us(r->gpu, &r->timer, &d->events_us, &ignored))
        d->events_us = 0;
}

void kg_cuda_runner_go(struct kg_cuda_runner *r, const struct kg_wire_go *order,
                       struct kg_wire_done *d)
{
    uint64_t values[KG_WIRE_ARGS];
    void *args[KG_WIRE_ARGS];
    struct kg_error err = KG_ERROR_INIT;
    if (order->set >= KG_WIRE_SETS) {
        say(d, KG_DONE_WORKER, 0, "no slot set %u", order->set);
        return;
    }
    arguments(r, order, values, args);
    bool timed = have_timer(r, order);
    if (r->trace_begin)
        r->trace_begin();
    d->start_s = kg_clock_now();
    run(r, order, args, d, timed);
    /* what the caller's next copy would wait for, and no more: work on a stream that nobody joined
     * is still running when the answer is taken */
    if (kg_gpu_synchronize_default(r->gpu, &err) &&
        (d->status == KG_DONE_OK || kg_gpu_last_code() >= 700))
        say(d, kg_gpu_last_code() == 2 ? KG_DONE_OOM : KG_DONE_RUNTIME, kg_gpu_last_code(), "%s",
            err.text);
    d->end_s = kg_clock_now();
    if (r->trace_answer)
        r->trace_answer();
    read_timer(r, d);
}

/* A copy of the worker's own stands behind every call: where the tracer does not show it, somebody
 * has silenced the tracer. */
void kg_cuda_runner_collect(struct kg_cuda_runner *r)
{
    static const unsigned char zero[16];
    struct kg_error ignored = KG_ERROR_INIT; /* a dead context shows no copy either */
    worker_work(r, 1);
    if (r->probe || !kg_gpu_alloc(r->gpu, sizeof zero, &r->probe, &ignored))
        kg_gpu_upload(r->gpu, r->probe, zero, sizeof zero, &ignored);
    worker_work(r, 0);
    if (r->trace_end)
        r->trace_end();
}

#endif
