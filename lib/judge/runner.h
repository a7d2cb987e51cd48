/*
 * One worker process, seen from the judge: started in its sandbox, loaded with one program, lent
 * slots, told to go. Everything that an answer holds, but for how the process ended and the judge's
 * own clock, is a claim of the worker.
 */
#ifndef KG_JUDGE_RUNNER_H
#define KG_JUDGE_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/proc.h"
#include "judge/activity.h"
#include "judge/cpus.h"
#include "judge/space.h"
#include "worker/wire.h"

#define KG_RUNNER_OUTPUT   4096 /* bytes of what a worker prints that are kept */
#define KG_RUNNER_LAUNCHES 4096 /* launch records kept of one call */

struct kg_runner_spec {
    enum kg_sandbox_mode sandbox;
    const char *device;         /* "host", or the UUID that is to be the only visible one */
    const struct kg_cpus *cpus; /* that it runs on; NULL: any */
    uint64_t as_bytes;          /* limit of the address space; 0: none */
    bool cuda;                  /* a worker on a GPU, with the tracer and the preload; it opens the
                                   device when it starts, before it is told what to load */
};

struct kg_runner {
    struct kg_proc proc;
    struct kg_wire wire;
    struct kg_buf output;
    bool started;
    bool frozen;
    struct kg_trace *trace; /* on a GPU: what the tracer writes; else NULL */
    int trace_fd;
    uint32_t traced;         /* calls made so far */
    struct kg_images images; /* of the artifact that is loaded */
};

enum kg_answer_what {
    KG_ANSWER_DONE,    /* 'done' holds the claim */
    KG_ANSWER_ENDED,   /* the process is gone: 'end'; or it closed its channel: 'hung_up' */
    KG_ANSWER_TIMEOUT, /* the process was killed */
};

struct kg_answer {
    enum kg_answer_what what;
    struct kg_wire_done done;
    struct kg_proc_end end;
    char refused[128]; /* ended: what its sandbox refused it before, "socket, ptrace" */
    bool hung_up;
    bool faulted; /* 'fault' was told before the end */
    struct kg_wire_fault fault;
    double sent_s;               /* the judge's clock at "go" */
    double wall_s;               /* until the answer */
    struct kg_launches launches; /* after kg_runner_launches */
    struct kg_activity activity; /* likewise, on a GPU */
    char no_profile[256]; /* why there are no records of the call that one could believe; else empty
                           */
};

/* Starts the process; it waits for orders. An error is the judge's fault. */
int kg_runner_start(struct kg_runner *r, const struct kg_runner_spec *spec, struct kg_error *err);
bool kg_runner_alive(const struct kg_runner *r);
/* Between two calls nothing of it runs, where there is a pid namespace: it can neither look at the
 * next call's inputs before its time begins nor disturb what is measured without it. The next order
 * lets it go on, or 'thaw'. */
void kg_runner_freeze(struct kg_runner *r);
void kg_runner_thaw(struct kg_runner *r);
/* Ends it, with all that it started. Harmless when it is not started. */
void kg_runner_stop(struct kg_runner *r);

/*
 * Orders. Each returns 0 with *a filled (whatever happened to the worker), or -1 with err when the
 * judge itself failed. 'load' loads an artifact (path NULL: keeps the one that is loaded) for an
 * instance; entries: NULL-terminated names, the first is what 'go' calls.
 */
struct kg_runner_load {
    enum kg_wire_kind kind;
    enum kg_wire_role role;
    const char *path;
    const struct kg_instance *in;
    const char *const *entries;
    bool writable_inputs; /* inputs are lent as copies that can be written */
    uint32_t threads;
};
int kg_runner_load(struct kg_runner *r, const struct kg_runner_load *l, double seconds,
                   struct kg_answer *a, struct kg_error *err);

struct kg_runner_slot {
    int set;
    size_t arg;
    const struct kg_mem *mem;
    bool read_only;
};
int kg_runner_lend(struct kg_runner *r, const struct kg_runner_slot *s, size_t n, double seconds,
                   struct kg_answer *a, struct kg_error *err);

/* scalars: one 64-bit word an argument, in its C type (kg_runner_scalars). */
int kg_runner_go(struct kg_runner *r, int set, unsigned entry, unsigned flags,
                 const uint64_t *scalars, double seconds, struct kg_answer *a,
                 struct kg_error *err);
/* After 'go' and the snapshot: the launch records of that call (class_hint: enum kg_kernel_class;
 * on the host what is no copy and no set is custom). Never waits long. */
void kg_runner_launches(struct kg_runner *r, struct kg_answer *a);

/* The scalar arguments of a call in the form that 'go' takes; as_double: floating ones as double
 * (reference). */
void kg_runner_scalars(const struct kg_instance *in, const struct kg_content *c, bool as_double,
                       uint64_t scalars[KG_WIRE_ARGS]);

static inline bool kg_answer_is_ok(const struct kg_answer *a)
{
    return a->what == KG_ANSWER_DONE && a->done.status == KG_DONE_OK;
}

/* A worker of ours that was killed from outside, or says so itself, is no fault of its program. */
bool kg_answer_is_our_fault(const struct kg_answer *a);

void kg_answer_release(struct kg_answer *a);
/* One line on how the worker ended, or what it said. */
void kg_answer_text(const struct kg_answer *a, struct kg_buf *out);

#endif
