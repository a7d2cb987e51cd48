#include "worker/serve.h"
#include "base/sandbox.h"
#include "worker/cuda.h"
#include "worker/guarded.h"
#include "worker/native.h"
#include "worker/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct worker {
    int fd;
    bool loaded;        /* LOAD with an artifact has come; for a candidate there is no second one */
    uint8_t kind, role; /* enum kg_wire_kind, enum kg_wire_role */
    struct kg_cuda_runner *cuda;
};

static void fault_of_ours(struct kg_wire_done *d, const char *text)
{
    d->status = KG_DONE_WORKER;
    snprintf(d->text, sizeof d->text, "%s", text);
}

/* On a GPU a process that is ready is worth keeping, if what it runs is the judge's own. */
static bool may_change(const struct worker *w)
{
    return w->kind == KG_WORKER_CUDA && w->role == KG_WORKER_BASELINE;
}

static bool check_load(const struct worker *w, const struct kg_wire_load *m, size_t n_fds,
                       struct kg_wire_done *d)
{
    if (m->version != KG_WIRE_VERSION)
        fault_of_ours(d, "judge and worker are of different versions");
    else if (m->kind != KG_WORKER_HOST && m->kind != KG_WORKER_CUDA)
        fault_of_ours(d, "this worker runs native code only");
    else if (m->n_args > KG_WIRE_ARGS || !m->n_entries || m->n_entries > KG_WIRE_ENTRIES)
        fault_of_ours(d, "too many arguments or entries");
    else if (w->loaded && (m->kind != w->kind || m->role != w->role || (n_fds && !may_change(w))))
        fault_of_ours(d, "this worker loads one artifact");
    else if (!w->loaded && n_fds != 1)
        fault_of_ours(d, "nothing to load");
    else
        return true;
    return false;
}

static void on_load(struct worker *w, const struct kg_wire_load *m, const int *fds, size_t n_fds,
                    struct kg_wire_done *d)
{
    if (!check_load(w, m, n_fds, d))
        return;
    if (!w->loaded) {
        w->loaded = true;
        w->kind = m->kind;
        w->role = m->role;
        if (m->kind == KG_WORKER_CUDA && !w->cuda && !(w->cuda = kg_cuda_runner_new(d)))
            return;
        /* before the artifact: its constructors run when it is loaded */
        if (!m->allow_exec && kg_sandbox_deny_exec()) {
            fault_of_ours(d, "cannot forbid the start of programs");
            return;
        }
    }
    if (w->kind == KG_WORKER_CUDA)
        kg_cuda_runner_load(w->cuda, m, n_fds ? fds[0] : -1, d);
    else
        kg_native_load(m, n_fds ? fds[0] : -1, d);
}

static void carry_out(struct worker *w, const union kg_wire_order *m, const int *fds, size_t n_fds,
                      struct kg_wire_done *d)
{
    bool cuda = w->kind == KG_WORKER_CUDA;
    if (m->head.type == KG_WIRE_LOAD) {
        on_load(w, &m->load, fds, n_fds, d);
    } else if (!w->loaded || (cuda && !w->cuda)) {
        fault_of_ours(d, "nothing is loaded");
    } else if (m->head.type == KG_WIRE_LEND) {
        if (m->slots.n > KG_WIRE_SLOTS || m->slots.n != n_fds)
            fault_of_ours(d, "slots and descriptors differ in number");
        else if (cuda)
            kg_cuda_runner_slots(w->cuda, &m->slots, fds, d);
        else
            kg_native_slots(&m->slots, fds, d);
    } else if (m->go.entry >= KG_WIRE_ENTRIES || m->go.set >= KG_WIRE_SETS) {
        fault_of_ours(d, "no such entry or slot set");
    } else if (cuda) {
        kg_cuda_runner_go(w->cuda, &m->go, d);
    } else {
        kg_native_go(&m->go, d);
    }
}

/* DONE has been said; the records come after it, out of the judge's window. */
static void tell_launches(struct worker *w, size_t told, uint64_t token)
{
    static struct kg_wire_launched m;
    size_t i = 0;
    do {
        memset(&m, 0, sizeof m);
        m.head.type = KG_WIRE_LAUNCHED;
        for (; m.n < KG_WIRE_LAUNCHES && i < told; m.n++)
            kg_native_launch(i++, &m.launch[m.n]);
        kg_wire_tell(w->fd, &m, sizeof m, token);
    } while (i < told);
}

static void serve_one(struct worker *w, const union kg_wire_order *m, const int *fds, size_t n_fds)
{
    static struct kg_wire_done d; /* not on the stack that the candidate is to have */
    memset(&d, 0, sizeof d);
    d.head.type = KG_WIRE_DONE;
    kg_guarded_token = m->head.token;
    carry_out(w, m, fds, n_fds, &d);
    kg_wire_tell(w->fd, &d, sizeof d, m->head.token);
    if (m->head.type == KG_WIRE_GO) {
        if (w->cuda)
            kg_cuda_runner_collect(w->cuda);
        tell_launches(w, w->cuda ? 0 : d.told, m->head.token);
    }
    fflush(stdout); /* nobody's time is measured now */
}

int kg_worker_serve(int fd)
{
    static union kg_wire_order m;
    struct worker w = {.fd = fd};
    int fds[KG_WIRE_SLOTS];
    size_t n_fds;
    struct kg_wire_done ignored = {.status = 0}; /* LOAD tries again, and tells */
    if (kg_guarded_install(fd))
        return 1;
    if (getenv(KG_WORKER_WARM))
        w.cuda = kg_cuda_runner_new(&ignored);
    unsetenv(KG_WORKER_WARM);
    while (!kg_wire_next(fd, &m, fds, &n_fds)) {
        if (m.head.type == KG_WIRE_QUIT)
            return 0;
        serve_one(&w, &m, fds, n_fds);
        for (size_t i = 0; i < n_fds; i++)
            close(fds[i]);
    }
    return 1;
}
