#include "judge/runner.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "compile/toolchain.h"
#include "record/loop.h"
#include "worker/serve.h"

#define SEND_SECONDS  10  /* an order finds room unless the worker is stopped */
#define TRACE_SECONDS 10  /* for the tracer to write a call down */
#define SLICE         0.2 /* seconds between looks at kg_loop_stopping */

static void spec_limits(struct kg_proc_limits *l, const struct kg_runner_spec *spec)
{
    l->nproc = 512;
    l->nofile = 1024;
    l->file_bytes = (uint64_t)64 << 20;
#ifndef __SANITIZE_ADDRESS__ /* its shadow alone is terabytes of address space */
    l->as_bytes = spec->as_bytes;
#endif
}

/* ---- the worker's environment: clean, and for a GPU what brings in the tracer ------------- */

struct environment {
    const char *v[16];
    char *own[12]; /* freed afterwards */
    size_t n, n_own;
    char *tracer, *preload;  /* NULL on the host */
    const char *readable[4]; /* what the worker loads of these, wherever kg lies */
};

static void add_variable(struct environment *e, const char *text)
{
    e->v[e->n++] = text;
}

static void add_made(struct environment *e, char *text)
{
    e->own[e->n_own++] = text;
    add_variable(e, text);
}

static void free_environment(struct environment *e)
{
    for (size_t i = 0; i < e->n_own; i++)
        free(e->own[i]);
    free(e->tracer);
    free(e->preload);
}

static const char *const *common_environment(struct environment *e)
{
    static const char *const common[] = {"PATH=/usr/bin:/bin", "LANG=C", "TMPDIR=/tmp",
                                         "HOME=/tmp"};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        add_variable(e, common[i]);
    e->v[e->n] = NULL;
    return e->v;
}

static int cuda_environment(struct environment *e, const struct kg_runner_spec *spec,
                            struct kg_error *err)
{
    const char *home = kg_toolchain_get(NULL)->cuda_home;
    e->tracer = kg_fs_libexec("kg-trace.so", err);
    e->preload = kg_fs_libexec("kg-preload.so", err);
    if (!e->tracer || !e->preload)
        return -1;
    e->readable[0] = e->tracer;
    e->readable[1] = e->preload;
    e->readable[2] = home;
    add_made(e, kg_mem_printf("CUDA_VISIBLE_DEVICES=%s", spec->device));
    add_made(e, kg_mem_printf("CUDA_INJECTION64_PATH=%s", e->tracer));
    add_made(e, kg_mem_printf("LD_PRELOAD=%s", e->preload));
    if (home) {
        add_made(e, kg_mem_printf("LD_LIBRARY_PATH=%s/lib64", home));
        add_made(e, kg_mem_printf("KG_CUPTI=%s/lib64/libcupti.so", home));
    }
    add_variable(e, "KG_TRACE_FD=4");
    add_variable(e, "CUDA_CACHE_DISABLE=1");
    add_variable(e, KG_WORKER_WARM "=1");
    return 0;
}

static int spawn(struct kg_runner *r, const struct kg_runner_spec *spec, const char *program,
                 int fd, struct kg_error *err)
{
    struct environment e = {.n = 0};
    const int fds[] = {fd, r->trace_fd};
    const char *argv[] = {program, NULL};
    struct kg_sandbox box = {.mode = spec->sandbox, .devices = spec->cuda, .readable = e.readable};
    if (spec->cuda && cuda_environment(&e, spec, err)) {
        free_environment(&e);
        return -1;
    }
    if (!spec->cuda)
        add_variable(&e, "CUDA_VISIBLE_DEVICES=");
    struct kg_proc_spec p = {.argv = argv,
                             .envp = common_environment(&e),
                             .fds = fds,
                             .n_fds = spec->cuda ? 2 : 1,
                             .stdin_fd = -1,
                             .output = &r->output,
                             .sandbox = &box};
    spec_limits(&p.limits, spec);
    cpu_set_t before;
    if (spec->cpus)
        kg_cpus_enter(spec->cpus, &before);
    int rc = kg_proc_spawn(&p, &r->proc, err);
    if (spec->cpus)
        kg_cpus_leave(&before);
    free_environment(&e);
    return rc;
}

/* The tracer's memory: the judge's, lent to the worker. */
static int make_trace(struct kg_runner *r, struct kg_error *err)
{
    r->trace_fd = memfd_create("kg-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (r->trace_fd < 0 || ftruncate(r->trace_fd, sizeof *r->trace) ||
        fcntl(r->trace_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return kg_error_errno(err, KG_E_SYSTEM, "cannot make the tracer's memory");
    void *p = mmap(NULL, sizeof *r->trace, PROT_READ | PROT_WRITE, MAP_SHARED, r->trace_fd, 0);
    if (p == MAP_FAILED)
        return kg_error_errno(err, KG_E_SYSTEM, "cannot map the tracer's memory");
    r->trace = p;
    return 0;
}

static void drop_trace(struct kg_runner *r)
{
    if (r->trace)
        munmap(r->trace, sizeof *r->trace);
    if (r->trace_fd >= 0)
        close(r->trace_fd);
    r->trace = NULL;
    r->trace_fd = -1;
    kg_images_release(&r->images);
}

int kg_runner_start(struct kg_runner *r, const struct kg_runner_spec *spec, struct kg_error *err)
{
    int fds[2], rc = -1;
    *r = (struct kg_runner){.wire = {.fd = -1}, .trace_fd = -1};
    kg_buf_init(&r->output, KG_RUNNER_OUTPUT);
    char *program = kg_fs_libexec("kg-worker", err);
    if (!program || (spec->cuda && make_trace(r, err)) || kg_wire_pair(fds, err)) {
        drop_trace(r);
        free(program);
        return -1;
    }
    kg_wire_init(&r->wire, fds[0]);
    rc = spawn(r, spec, program, fds[1], err);
    close(fds[1]);
    free(program);
    if (rc) {
        kg_wire_close(&r->wire);
        drop_trace(r);
    }
    r->started = !rc;
    return rc;
}

bool kg_runner_alive(const struct kg_runner *r)
{
    return r->started && !r->proc.ended && r->wire.fd >= 0;
}

void kg_runner_freeze(struct kg_runner *r)
{
    if (kg_runner_alive(r) && !r->frozen)
        r->frozen = kg_proc_freeze(&r->proc, true) >= 0;
}

void kg_runner_thaw(struct kg_runner *r)
{
    if (r->frozen)
        kg_proc_freeze(&r->proc, false);
    r->frozen = false;
}

void kg_runner_stop(struct kg_runner *r)
{
    if (r->started) {
        kg_proc_kill(&r->proc);
        kg_wire_close(&r->wire);
        drop_trace(r);
    }
    kg_buf_release(&r->output);
    r->started = false;
}

/* The next claim; looks up now and then whether the run is to end. */
static enum kg_wire_event claim(struct kg_runner *r, double until, union kg_wire_claim *m)
{
    enum kg_wire_event e;
    double left;
    do {
        left = until - kg_clock_now();
        e = kg_wire_claim(&r->wire, &r->proc, m, left < 0 ? 0 : left < SLICE ? left : SLICE);
    } while (e == KG_WIRE_TIME && left > SLICE && !kg_loop_stopping());
    return e;
}

static void refused_text(const struct kg_proc *p, struct kg_answer *a)
{
    struct kg_buf text = KG_BUF_INIT;
    kg_proc_denied_text(p, &text);
    snprintf(a->refused, sizeof a->refused, "%s", kg_buf_str(&text));
    kg_buf_release(&text);
}

/* Waits for DONE of the last order, or the worker's end. */
static int answer(struct kg_runner *r, double until, struct kg_answer *a, struct kg_error *err)
{
    union kg_wire_claim m;
    for (;;) {
        enum kg_wire_event e = claim(r, until, &m);
        a->wall_s = kg_clock_now() - a->sent_s;
        /* who never stops claiming must not be read for ever */
        if (e == KG_WIRE_GOT && m.head.type != KG_WIRE_DONE &&
            (kg_clock_now() > until || kg_loop_stopping()))
            e = KG_WIRE_TIME;
        if (e == KG_WIRE_TIME) {
            a->what = KG_ANSWER_TIMEOUT;
            kg_proc_kill(&r->proc);
            a->end = r->proc.end;
            if (kg_loop_stopping())
                return kg_error_set(err, KG_E_SYSTEM, "interrupted");
            return 0;
        }
        if (e == KG_WIRE_ENDED) {
            a->what = KG_ANSWER_ENDED;
            /* a process that is ending closes its descriptors a little before it is dead */
            a->hung_up = !kg_proc_wait(&r->proc, 0.5);
            kg_proc_kill(&r->proc);
            a->end = r->proc.end;
            refused_text(&r->proc, a);
            return 0;
        }
        if (m.head.type == KG_WIRE_FAULT) {
            a->faulted = true;
            a->fault = m.fault;
        } else if (m.head.type == KG_WIRE_DONE) {
            a->what = KG_ANSWER_DONE;
            a->done = m.done;
            return 0;
        }
    }
}

static int order(struct kg_runner *r, union kg_wire_order *m, const int *fds, size_t n_fds,
                 double seconds, struct kg_answer *a, struct kg_error *err)
{
    struct kg_error sent = KG_ERROR_INIT;
    struct kg_launches launches = {a->launches.v, 0, a->launches.cap};
    kg_runner_thaw(r);
    *a = (struct kg_answer){.launches = launches};
    a->sent_s = kg_clock_now();
    double until = a->sent_s + seconds;
    if (kg_wire_order(&r->wire, m, fds, n_fds, seconds < SEND_SECONDS ? seconds : SEND_SECONDS,
                      &sent) &&
        sent.code != KG_E_LOST && sent.code != KG_E_LIMIT) {
        kg_error_set(err, sent.code, "%s", sent.text);
        return -1;
    }
    /* lost: what it did before its end is still there to be read; no room: it is stuck */
    return answer(r, sent.code == KG_E_LIMIT ? a->sent_s : until, a, err);
}

/* What init_NAME and check get beside the task's arguments (struct kg_task, ref_got). */
static void load_reference_args(const struct kg_instance *in, struct kg_wire_load *w)
{
    const struct kg_task *t = in->task;
    size_t at = t->ref_got;
    w->n_args = (uint32_t)t->n_ref_args;
    for (size_t i = 0; t->checked && i < t->n_args; i++)
        if (kg_arg_comes_out(&t->args[i]))
            w->arg[at++] = w->arg[i];
    if (!t->n_makers)
        return;
    w->arg[t->ref_axes] = (struct kg_wire_arg){
        .dtype = KG_INT64, .kind = KG_WIRE_SLOT, .bytes = t->n_axes * sizeof(int64_t)};
    w->arg[t->ref_seed] =
        (struct kg_wire_arg){.dtype = KG_INT64, .kind = KG_WIRE_SCALAR, .bytes = sizeof(uint64_t)};
}

static void load_args(const struct kg_runner_load *l, struct kg_wire_load *w)
{
    const struct kg_task *t = l->in->task;
    bool reference = l->role == KG_WORKER_REFERENCE;
    w->n_args = (uint32_t)t->n_args;
    for (size_t i = 0; i < t->n_args; i++) {
        const struct kg_arg *a = &t->args[i];
        enum kg_dtype d = reference && kg_dtype_is_float(a->dtype) ? KG_FLOAT64 : a->dtype;
        w->arg[i].dtype = (uint8_t)d;
        w->arg[i].kind = a->scalar ? KG_WIRE_SCALAR : KG_WIRE_SLOT;
        w->arg[i].bytes = kg_dtype_size(d) * (a->scalar ? 1 : l->in->args[i].count);
        w->arg[i].read_only = kg_arg_goes_in(a) && !l->writable_inputs;
    }
    if (reference)
        load_reference_args(l->in, w);
}

int kg_runner_load(struct kg_runner *r, const struct kg_runner_load *l, double seconds,
                   struct kg_answer *a, struct kg_error *err)
{
    union kg_wire_order *m = kg_mem_zalloc(sizeof *m);
    struct kg_wire_load *w = &m->load;
    int fd = -1, rc = -1;
    w->head.type = KG_WIRE_LOAD;
    w->version = KG_WIRE_VERSION;
    w->kind = (uint8_t)l->kind;
    w->role = (uint8_t)l->role;
    w->threads = l->threads;
    for (; l->entries[w->n_entries] && w->n_entries < KG_WIRE_ENTRIES; w->n_entries++)
        snprintf(w->entry[w->n_entries].name, sizeof w->entry[0].name, "%s",
                 l->entries[w->n_entries]);
    for (uint32_t i = 0; i < w->n_entries; i++)
        w->entry[i].kind = strcmp(w->entry[i].name, "kg_check") ? KG_ENTRY_VOID : KG_ENTRY_INT;
    load_args(l, w);
    for (int i = 0; i < 3; i++) {
        w->dims.grid[i] = l->in->grid[i];
        w->dims.block[i] = l->in->block[i];
    }
    w->dims.shared = l->in->shared;
    if (l->path && (fd = open(l->path, O_RDONLY | O_CLOEXEC)) < 0)
        kg_error_errno(err, KG_E_SYSTEM, "cannot open artifact '%s'", l->path);
    else
        rc = order(r, m, &fd, fd >= 0, seconds, a, err);
    if (!rc && fd >= 0 && r->trace) {
        kg_images_release(&r->images);
        rc = kg_images_of(l->path, &r->images, err);
    }
    if (fd >= 0)
        close(fd);
    free(m);
    return rc;
}

int kg_runner_lend(struct kg_runner *r, const struct kg_runner_slot *s, size_t n, double seconds,
                   struct kg_answer *a, struct kg_error *err)
{
    int fds[KG_WIRE_SLOTS], rc = 0;
    union kg_wire_order *m = kg_mem_zalloc(sizeof *m);
    do {
        size_t k = n < KG_WIRE_SLOTS ? n : KG_WIRE_SLOTS;
        memset(m, 0, sizeof *m);
        m->slots.head.type = KG_WIRE_LEND;
        m->slots.n = (uint32_t)k;
        for (size_t i = 0; i < k; i++) {
            fds[i] = s[i].mem->fd;
            m->slots.slot[i] = (struct kg_wire_slot){.set = (uint8_t)s[i].set,
                                                     .arg = (uint8_t)s[i].arg,
                                                     .read_only = s[i].read_only,
                                                     .file_bytes = s[i].mem->total,
                                                     .offset = s[i].mem->offset};
        }
        rc = order(r, m, fds, k, seconds, a, err);
        s += k;
        n -= k;
    } while (n && !rc && kg_answer_is_ok(a));
    free(m);
    return rc;
}

int kg_runner_go(struct kg_runner *r, int set, unsigned entry, unsigned flags,
                 const uint64_t *scalars, double seconds, struct kg_answer *a, struct kg_error *err)
{
    union kg_wire_order m;
    memset(&m, 0, sizeof m);
    m.go.head.type = KG_WIRE_GO;
    m.go.set = (uint32_t)set;
    m.go.entry = entry;
    m.go.flags = flags;
    memcpy(m.go.scalar, scalars, sizeof m.go.scalar);
    return order(r, &m, NULL, 0, seconds, a, err);
}

/* One message without records says that the tracer has written the call down. */
static void read_trace(struct kg_runner *r, struct kg_answer *a)
{
    union kg_wire_claim m;
    struct kg_error err = KG_ERROR_INIT;
    bool said = kg_wire_claim(&r->wire, &r->proc, &m, TRACE_SECONDS) == KG_WIRE_GOT &&
                m.head.type == KG_WIRE_LAUNCHED;
    r->traced++;
    if (!said)
        kg_error_set(&err, KG_E_INTERNAL, "the tracer of the call did not end");
    if (!said ||
        kg_activity_read(r->trace, &r->images, r->traced, &a->launches, &a->activity, &err))
        snprintf(a->no_profile, sizeof a->no_profile, "%.250s", err.text);
    if (r->traced == 1)
        a->activity.outside = 0; /* what loading started is not between two calls */
}

/* What is said of a launch cannot be outside of its call: both clocks are the machine's. */
static bool credible(const struct kg_wire_launch *l, const struct kg_answer *a)
{
    return l->start_s >= a->sent_s && l->end_s >= l->start_s && l->end_s <= a->sent_s + a->wall_s;
}

/* As on a GPU: what the runtime did is named in brackets, which no kernel's name has. */
static uint32_t claimed_class(const struct kg_wire_launch *l)
{
    if (!strncmp(l->name, "[copy]", sizeof l->name))
        return KG_KERNEL_COPY;
    return strncmp(l->name, "[set]", sizeof l->name) ? KG_KERNEL_CUSTOM : KG_KERNEL_SET;
}

static void add_claims(const struct kg_wire_launched *m, struct kg_answer *a)
{
    struct kg_launches *l = &a->launches;
    for (uint32_t i = 0; i < m->n && l->n < KG_RUNNER_LAUNCHES; i++) {
        if (!credible(&m->launch[i], a))
            snprintf(a->no_profile, sizeof a->no_profile,
                     "a launch record has times that are not the call's");
        l->v = kg_mem_grow(l->v, l->n, &l->cap, sizeof *l->v);
        l->v[l->n] = m->launch[i];
        l->v[l->n].class_hint = claimed_class(&m->launch[i]);
        l->n++;
    }
}

void kg_runner_launches(struct kg_runner *r, struct kg_answer *a)
{
    union kg_wire_claim m;
    a->launches.n = 0;
    if (a->what != KG_ANSWER_DONE)
        return;
    if (r->trace) {
        read_trace(r, a);
        return;
    }
    /* neither the number of records nor of messages is the worker's to choose */
    uint64_t told = a->done.told < KG_RUNNER_LAUNCHES ? a->done.told : KG_RUNNER_LAUNCHES;
    double until = kg_clock_now() + TRACE_SECONDS;
    while (a->launches.n < told) {
        double left = until - kg_clock_now();
        if (left <= 0 || kg_wire_claim(&r->wire, &r->proc, &m, left) != KG_WIRE_GOT)
            break;
        if (m.head.type == KG_WIRE_LAUNCHED)
            add_claims(&m.launched, a);
    }
    if (a->launches.n < told)
        snprintf(a->no_profile, sizeof a->no_profile,
                 "%zu of %llu launch records came after the answer", a->launches.n,
                 (unsigned long long)told);
}

void kg_runner_scalars(const struct kg_instance *in, const struct kg_content *c, bool as_double,
                       uint64_t scalars[KG_WIRE_ARGS])
{
    memset(scalars, 0, KG_WIRE_ARGS * sizeof *scalars);
    for (size_t i = 0; i < in->task->n_args; i++) {
        const struct kg_arg *a = &in->task->args[i];
        if (!a->scalar)
            continue;
        enum kg_dtype d = as_double && kg_dtype_is_float(a->dtype) ? KG_FLOAT64 : a->dtype;
        kg_dtype_set(d, &scalars[i], 0, kg_gen_scalar(in, i, c));
    }
}

bool kg_answer_is_our_fault(const struct kg_answer *a)
{
    if (a->what == KG_ANSWER_DONE)
        return a->done.status == KG_DONE_WORKER;
    return a->what == KG_ANSWER_ENDED &&
           (a->end.how == KG_PROC_LOST ||
            (a->end.how == KG_PROC_SIGNALED && a->end.status == SIGKILL));
}

void kg_answer_release(struct kg_answer *a)
{
    free(a->launches.v);
    *a = (struct kg_answer){0};
}

void kg_answer_text(const struct kg_answer *a, struct kg_buf *out)
{
    if (a->what == KG_ANSWER_TIMEOUT)
        kg_buf_addf(out, "no answer after %.3g s", a->wall_s);
    else if (a->what == KG_ANSWER_DONE)
        kg_buf_addf(out, "%s%s%s", kg_wire_status_name(a->done.status), a->done.text[0] ? ": " : "",
                    a->done.text);
    else if (a->hung_up)
        kg_buf_adds(out, "closed its channel to the judge");
    else if (a->end.how == KG_PROC_LOST)
        kg_buf_adds(out, "was killed from outside");
    else if (a->end.how == KG_PROC_SIGNALED)
        kg_buf_addf(out, "died by signal %d (%s)", a->end.status, strsignal(a->end.status));
    else
        kg_buf_addf(out, "exited with status %d before its answer was taken", a->end.status);
}
