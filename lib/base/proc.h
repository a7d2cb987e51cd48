/*
 * Other programs: started without a shell, with closed descriptors, limits, a bounded memory of
 * what they print, and in a sandbox of their own where one is asked for. Used for compilers and for
 * workers; safe to call from several threads.
 *
 * The sandbox: new user, pid, net, ipc, uts and mount namespaces, uid 65534 when
 * started by root; the file system read-only but for a private /tmp and /dev/shm; no_new_privs,
 * seccomp, rlimits; process 1 of the pid namespace dies with its parent, and the whole namespace
 * with process 1. What the kernel refuses is replaced by Landlock where possible or left out, and
 * kg_proc.layers says which layers hold.
 */
#ifndef KG_BASE_PROC_H
#define KG_BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

enum kg_proc_layer {
    KG_LAYER_USER = 1 << 0, /* user namespace, uid 65534 */
    KG_LAYER_PID = 1 << 1,
    KG_LAYER_NET = 1 << 2,
    KG_LAYER_IPC = 1 << 3,
    KG_LAYER_MOUNT = 1 << 4, /* read-only file system, private /tmp */
    KG_LAYER_SECCOMP = 1 << 5,
    KG_LAYER_LANDLOCK = 1 << 6,
    KG_LAYER_RLIMIT = 1 << 7,
    KG_LAYER_CGROUP = 1 << 8,
};

enum kg_sandbox_mode {
    KG_SANDBOX_AUTO,    /* what the kernel gives */
    KG_SANDBOX_REQUIRE, /* all of user, pid, net, ipc, mount and seccomp, or an error */
    KG_SANDBOX_OFF,     /* none: a developer's own kernels */
};

struct kg_sandbox {
    enum kg_sandbox_mode mode;
    const char *const *writable; /* NULL-terminated directories that stay writable, or NULL; started
                                    by root they are given to uid 65534 */
    const char *const *readable; /* NULL-terminated files and directories that can be read though
                                    they lie in a hidden directory, or NULL */
    const char *const
        *hidden;         /* NULL-terminated directories made empty, beside $HOME, /root, /home,
                            /run, /media and $XDG_CACHE_HOME, which always are; or NULL */
    const char *workdir; /* cwd inside; NULL: the private /tmp */
    bool allow_exec;     /* compilers start programs; candidates do not need to */
    bool devices;        /* GPU device nodes are to stay usable */
};

struct kg_proc_limits {
    double cpu_s;        /* 0: none; also for the ones below */
    uint64_t as_bytes;   /* address space */
    uint64_t file_bytes; /* longest file */
    uint64_t nproc;      /* processes and threads; inside a sandbox its own alone, with process 1 */
    uint64_t nofile;
    uint64_t stack_bytes;
};

struct kg_proc_spec {
    const char *const *argv; /* argv[0] is a path */
    const char *const
        *envp;       /* the whole environment; NULL: a clean one (PATH, LANG=C, TMPDIR=/tmp) */
    const char *cwd; /* without sandbox; NULL: as it is */
    const int *fds;  /* descriptors handed over: fds[i] becomes 3 + i */
    size_t n_fds;
    int stdin_fd;          /* -1: /dev/null */
    struct kg_buf *output; /* stdout and stderr together, bounded by output->max, the rest is read
                              and dropped; NULL: both go to /dev/null */
    const struct kg_sandbox *sandbox; /* NULL: none */
    struct kg_proc_limits limits;
};

enum kg_proc_how {
    KG_PROC_EXITED,
    KG_PROC_SIGNALED,
    KG_PROC_TIMEOUT, /* killed by us at the limit */
    KG_PROC_KILLED,  /* kg_proc_kill */
    KG_PROC_LOST,    /* kg-init or process 1 was killed from outside (status: SIGKILL): not the
                        program's doing where there is a pid namespace */
};

struct kg_proc_end {
    enum kg_proc_how how;
    int status; /* exit status, or number of the signal */
    double wall_s, user_s;
    uint64_t peak_bytes; /* largest resident set */
};

#define KG_PROC_DENIED 8

struct kg_proc {
    pid_t pid;       /* of kg-init, which ends when the program and all that it started are gone */
    int pidfd;       /* readable when it has ended; -1 where the kernel has none */
    int out_fd;      /* read end of stdout and stderr, non-blocking; -1 */
    int ctl_fd;      /* to kg-init (sandbox.h); closing it kills */
    unsigned layers; /* enum kg_proc_layer */
    bool tells_denied; /* what the filter refuses is told; else the next three stay 0 */
    uint64_t denied;   /* calls refused by the filter; while it runs: different ones */
    unsigned n_denied;
    int denied_call[KG_PROC_DENIED]; /* numbers of the first different ones */
    struct kg_buf *output;
    double started;
    bool told, ended; /* told: kg-init has said how it ended */
    struct kg_proc_end end;
};

/* Starts; the child runs when this returns. */
int kg_proc_spawn(const struct kg_proc_spec *spec, struct kg_proc *p, struct kg_error *err);

/* Reads what is there into p->output, and what kg-init says (never blocks); call it while waiting
 * for something else. */
void kg_proc_drain(struct kg_proc *p);

/* Waits at most 'seconds' (< 0: for ever) and reads output meanwhile. 1: ended, p->end is set;
 * 0: still running. Does not kill. */
int kg_proc_wait(struct kg_proc *p, double seconds);

/* Stops the program with all that it started, or lets them go on; the others' signals cannot undo
 * it. 0 when that is so on return (a thread in a system call stops when it leaves it); 1 when it
 * will be so, in the order of the calls: kg-init was told, and is slow; -1 where there is no pid
 * namespace, or it has ended. A frozen program can be killed. */
int kg_proc_freeze(struct kg_proc *p, bool frozen);

/* Kills it and all that it started, waits, closes everything. Harmless when it ended already. */
void kg_proc_kill(struct kg_proc *p);

/* spawn, wait at most 'seconds', kill when that is over, release. */
int kg_proc_run(const struct kg_proc_spec *spec, double seconds, struct kg_proc_end *end,
                struct kg_error *err);

/* "user,pid,net,ipc,mount,seccomp,rlimit" */
void kg_proc_layers_text(unsigned layers, struct kg_buf *out);

/* The name of a system call, "socket". */
void kg_proc_call_text(int number, struct kg_buf *out);
/* "socket, ptrace": what it tried in vain, of p->denied_call. A fact, but no proof of ill will:
 * libraries probe too. */
void kg_proc_denied_text(const struct kg_proc *p, struct kg_buf *out);

#endif
