/*
 * The wire between judge and worker: a SOCK_SEQPACKET pair with small fixed messages. Orders go to
 * the worker and may carry descriptors (SCM_RIGHTS); claims come back and never do: the judge reads
 * without a control buffer, so descriptors sent to it are closed by the kernel.
 *
 * Conversation, one order at a time, one answer each (KG_WIRE_DONE with the order's token):
 *
 *     judge                                   worker
 *     LOAD  + 1 fd (artifact)          ->
 *                                      <-     DONE (loaded, or why not)
 *     SLOTS + n fds (memfds)           ->                              any number of these, any
 * time
 *                                      <-     DONE (mapped)            between calls
 *     GO    (slot set, scalars)        ->
 *                                      <-     DONE (status, n_launches)
 *                                      <-     LAUNCHED ...             once at least, until
 * done.told are said QUIT                             ->     exits with 0
 *
 * Any time: FAULT, from the worker's signal handler, just before it dies by that signal.
 *
 * What the worker is not told: how many calls there will be, whether one is timed, seeds, expected
 * values, tolerances. What it says is a claim. A claim of the wrong size, of an unknown type or
 * with another token than the last order's is rubbish: dropped, and counted in kg_wire.rubbish.
 *
 * The native runner calls entries as 'void entry(void **args)' ('int' for KG_ENTRY_INT): args[i] is
 * the address of the i-th argument's value, as in cuLaunchKernel: of a pointer for a slot, of the
 * scalar itself otherwise. kg-compile makes kg_call (of candidates, baselines and references),
 * kg_init_NAME and kg_check of a reference file in that form.
 *
 * Must not enter here: what a verdict is made of (judge), what a slot holds (task).
 */
#ifndef KG_WORKER_WIRE_H
#define KG_WORKER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/proc.h"

#define KG_WIRE_VERSION  2
#define KG_WIRE_FD       3  /* the worker's end, in the worker */
#define KG_WIRE_ARGS     64 /* as KG_TASK_MAX_ARGS */
#define KG_WIRE_ENTRIES  16
#define KG_WIRE_SETS     4  /* slot sets that a worker holds at the same time */
#define KG_WIRE_SLOTS    64 /* slots, and descriptors, of one message */
#define KG_WIRE_LAUNCHES 16 /* kernel records of one message */
#define KG_WIRE_TEXT     512

enum kg_wire_type {
    KG_WIRE_LOAD = 1,
    KG_WIRE_LEND, /* slots */
    KG_WIRE_GO,
    KG_WIRE_QUIT,
    KG_WIRE_DONE = 64,
    KG_WIRE_LAUNCHED,
    KG_WIRE_FAULT,
};

/* First member of every message. 'token' is random for each order; its answer repeats it. */
struct kg_wire_head {
    uint32_t type;  /* enum kg_wire_type */
    uint32_t bytes; /* of the whole message */
    uint64_t token;
};

/* ---- orders ------------------------------------------------------------------------------ */

enum kg_wire_kind { KG_WORKER_HOST, KG_WORKER_CUDA, KG_WORKER_PYTHON };
enum kg_wire_role { KG_WORKER_CANDIDATE, KG_WORKER_BASELINE, KG_WORKER_REFERENCE };
enum kg_wire_arg_kind { KG_WIRE_SLOT, KG_WIRE_SCALAR };
enum kg_entry_kind { KG_ENTRY_VOID, KG_ENTRY_INT };

struct kg_wire_arg {
    uint8_t kind;      /* enum kg_wire_arg_kind */
    uint8_t dtype;     /* enum kg_dtype */
    uint8_t read_only; /* slot: an input */
    uint8_t pad[5];
    uint64_t bytes; /* of the slot's payload, or of the scalar (1 to 8) */
};

struct kg_wire_entry {
    char name[60];
    uint32_t kind; /* enum kg_entry_kind */
};

/* How a bare kernel is launched. */
struct kg_wire_dims {
    uint32_t grid[3], block[3];
    uint64_t shared; /* dynamic, bytes */
};

/* Comes with one descriptor: the artifact (host: shared object; cuda: shared object or cubin;
 * python: source). Other arguments may follow for another size: LOAD again with no descriptor keeps
 * what is loaded and replaces the arguments, and all slots are unmapped. A baseline on a GPU may be
 * followed by another program. */
struct kg_wire_load {
    struct kg_wire_head head;
    uint32_t version;
    uint8_t kind, role; /* enum kg_wire_kind, enum kg_wire_role */
    uint8_t allow_exec; /* the worker may start programs (Python's compilers) */
    uint8_t pad;
    uint32_t threads; /* OS threads of the host device; 0: all that it may use */
    uint32_t n_args, n_entries;
    struct kg_wire_entry entry[KG_WIRE_ENTRIES]; /* entry[0]: what a GO calls by default; one that
                                                    is missing in the artifact is told by DONE of
                                                    a GO that names it, entry[0] by DONE of LOAD */
    struct kg_wire_arg arg[KG_WIRE_ARGS];
    struct kg_wire_dims dims; /* bare kernels (an artifact that is a GPU's image) */
};

/* slots[i] comes with the i-th descriptor. A slot that is there already is replaced, always at
 * another address. */
struct kg_wire_slot {
    uint8_t set, arg;
    uint8_t read_only;
    uint8_t pad[5];
    uint64_t file_bytes; /* all of the memfd is mapped: guard, payload, guard */
    uint64_t offset;     /* of the payload in it; a multiple of 256 */
};

struct kg_wire_slots {
    struct kg_wire_head head;
    uint32_t n;
    uint32_t pad;
    struct kg_wire_slot slot[KG_WIRE_SLOTS];
};

enum kg_go_flags {
    KG_GO_ABLATE = 1 << 0, /* the candidate's own launches do nothing */
    KG_GO_EVENTS = 1 << 1, /* on a GPU: times the call by two events on the default stream */
};

struct kg_wire_go {
    struct kg_wire_head head;
    uint32_t set;   /* which slot set */
    uint32_t entry; /* index of kg_wire_load.entry */
    uint32_t flags; /* enum kg_go_flags */
    uint32_t pad;
    uint64_t scalar[KG_WIRE_ARGS]; /* bytes of scalar arguments, in the C type of the argument */
};

struct kg_wire_quit {
    struct kg_wire_head head;
};

union kg_wire_order {
    struct kg_wire_head head;
    struct kg_wire_load load;
    struct kg_wire_slots slots;
    struct kg_wire_go go;
    struct kg_wire_quit quit;
};

/* ---- claims ------------------------------------------------------------------------------ */

enum kg_wire_status {
    KG_DONE_OK,
    KG_DONE_LOAD,        /* the artifact does not load */
    KG_DONE_ENTRY,       /* it has no such entry */
    KG_DONE_EXCEPTION,   /* a C++ exception left the entry */
    KG_DONE_RUNTIME,     /* a call of the CUDA (or host) runtime failed: 'code' */
    KG_DONE_LAUNCH,      /* a kernel could not be launched: 'code' */
    KG_DONE_OOM,         /* out of memory */
    KG_DONE_UNSUPPORTED, /* legal, but not on this device */
    KG_DONE_WORKER,      /* a fault of the worker itself (ours): JUDGE_FAULT */
};

struct kg_wire_done {
    struct kg_wire_head head;
    uint32_t status; /* enum kg_wire_status */
    int32_t code;    /* cudaError_t or errno */
    int32_t result;  /* of a KG_ENTRY_INT entry */
    /* on host: what allocating took before the first record began and after the last one ended */
    uint32_t allocating_us;
    uint64_t n_launches;     /* of this call: kernels, copies and sets; 0 when no kernel is there */
    uint64_t told;           /* how many records of them follow, in LAUNCHED messages */
    double start_s, end_s;   /* kg_clock_now() around the call, in the worker */
    double events_us;        /* between the events of KG_GO_EVENTS; 0: there is no such time */
    char text[KG_WIRE_TEXT]; /* one line; may hold anything */
};

struct kg_wire_launch {
    char name[128];
    double start_s, end_s;
    uint32_t grid[3], block[3];
    uint64_t shared_bytes;
    uint32_t class_hint; /* the judge's own: whose kernel it is (judge/activity.h) */
    uint32_t registers;
};

struct kg_wire_launched {
    struct kg_wire_head head;
    uint32_t n;
    uint32_t pad;
    struct kg_wire_launch launch[KG_WIRE_LAUNCHES];
};

struct kg_wire_fault {
    struct kg_wire_head head; /* token: of the last order */
    int32_t signo, code;      /* siginfo */
    uint64_t address;
    int32_t arg; /* slot that the address lies in, guards included; -1: none */
    uint32_t set;
    int64_t offset;    /* from the start of that slot's payload */
    uint8_t read_only; /* that slot is an input */
    uint8_t pad[7];
};

union kg_wire_claim {
    struct kg_wire_head head;
    struct kg_wire_done done;
    struct kg_wire_launched launched;
    struct kg_wire_fault fault;
};

/* ---- the judge's end --------------------------------------------------------------------- */

struct kg_wire {
    int fd;            /* -1: closed */
    uint64_t token;    /* of the last order */
    uint64_t previous; /* of the one before: its launches may still come, and are dropped */
    uint64_t rubbish;  /* messages dropped */
};

/* fds[0] is the judge's, fds[1] the worker's (to be handed over as descriptor KG_WIRE_FD and then
 * closed here). */
int kg_wire_pair(int fds[2], struct kg_error *err);
void kg_wire_init(struct kg_wire *w, int fd);
void kg_wire_close(struct kg_wire *w);

/* Completes the head (bytes, a fresh token), then sends. 'type' and what follows are the caller's.
 * Waits at most 'seconds' for room. -1 with KG_E_LOST when the worker is gone, KG_E_LIMIT in time.
 */
int kg_wire_order(struct kg_wire *w, union kg_wire_order *m, const int *fds, size_t n_fds,
                  double seconds, struct kg_error *err);

enum kg_wire_event {
    KG_WIRE_TIME,  /* 'seconds' are over */
    KG_WIRE_GOT,   /* *m is a claim that has the right size and token */
    KG_WIRE_ENDED, /* the worker is gone or closed its end, and all that it said was read;
                      p->ended tells whether it is dead (kg_proc_wait p for its end) */
};

/* The next claim. Reads the worker's stdout and stderr meanwhile (p may be NULL). DONE, LAUNCHED
 * and FAULT are well-formed when given: status and n are in range, texts are NUL-terminated. */
enum kg_wire_event kg_wire_claim(struct kg_wire *w, struct kg_proc *p, union kg_wire_claim *m,
                                 double seconds);

const char *kg_wire_status_name(uint32_t status);

/* ---- the worker's end -------------------------------------------------------------------- */

/* Waits for the next order. Its descriptors (close-on-exec) are in fds[0..*n_fds). 0, or -1 when
 * the judge is gone or broke the protocol. */
int kg_wire_next(int fd, union kg_wire_order *m, int fds[KG_WIRE_SLOTS], size_t *n_fds);

/* Sends a claim; 'head.type' is the caller's, 'token' that of the order. Async-signal-safe. */
int kg_wire_tell(int fd, void *claim, size_t bytes, uint64_t token);

#endif
