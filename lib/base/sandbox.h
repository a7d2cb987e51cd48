/*
 * What stands between proc.c and kg-init, the small program that builds a sandbox and watches over
 * it. A spawned program is a chain of processes:
 *
 *     judge -- kg-init A -- kg-init B -- program C
 *
 * A stays outside of the new pid namespace and holds the other end of the control socket: when the
 * judge closes its end (to kill) or dies (SIGKILL included), A kills B. B is process 1 of the pid
 * namespace: it builds the rest of the sandbox, starts C, reaps orphans, and tells how C ended;
 * when B ends, the kernel kills all that is left in the namespace, and does not let A's wait for B
 * return before. So "A has ended" means that nothing of it is left.
 *
 * Where there is no pid namespace, A does B's work as a subreaper and kills its descendants itself.
 *
 * A and B are a program of their own, because a fork of the judge would carry the judge's memory
 * (seeds, expected values) into the sandbox, and because nothing complicated may happen between
 * fork and exec in a program with threads.
 */
#ifndef KG_BASE_SANDBOX_H
#define KG_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/proc.h"

#define KG_SANDBOX_UID 65534        /* the uid and gid inside when started by root */
#define KG_SANDBOX_TMP (1ull << 30) /* bytes of the private /tmp */

/* ---- control socket: messages of kg-init, one datagram each --------------------------------- */

enum kg_init_type {
    KG_INIT_STARTED = 1, /* the program runs: layers; status 1: what is refused will be told */
    KG_INIT_FAILED,      /* it does not: text, and err where a call failed */
    KG_INIT_DENIED,      /* it tried what the filter refuses; status: number of the system call */
    KG_INIT_ENDED,       /* status, user_s, peak_bytes, denied */
    KG_INIT_OBEYED,      /* status: the order that was carried out */
};

/* What kg-init is told while the program runs, one byte each; only process 1 of a pid namespace
 * listens. Nobody in there can undo it: they are all stopped. */
enum kg_init_order { KG_INIT_FREEZE = 1, KG_INIT_THAW };

struct kg_init_msg {
    uint32_t type;
    uint32_t layers; /* enum kg_proc_layer */
    int32_t status;  /* as of waitpid */
    int32_t err;     /* errno; 0: none */
    double user_s;
    uint64_t peak_bytes;
    uint64_t denied; /* how many calls the filter refused */
    char text[256];
};

/* ---- what kg-init is told (its options) ----------------------------------------------------- */

#define KG_INIT_MAX_DIRS 64

struct kg_init_opts {
    enum kg_sandbox_mode mode;
    bool devices;
    size_t n_fds;    /* descriptors 3 .. 3 + n_fds - 1 belong to the program */
    int ctl, filter; /* 3 + n_fds and the next one; filter: -1 when there is none */
    const char *workdir;
    const char *writable[KG_INIT_MAX_DIRS + 1], *readable[KG_INIT_MAX_DIRS + 1],
        *hidden[KG_INIT_MAX_DIRS + 1]; /* NULL-terminated */
    struct kg_proc_limits limits;
    char **argv; /* of the program */
};

/* The options as an argument vector for kg-init, NULL-terminated (every text malloc'ed; free with
 * kg_init_args_free), and back. Parsing fails with one line in err. */
char **kg_init_args(const char *program, const struct kg_proc_spec *spec, bool filter);
void kg_init_args_free(char **args);
int kg_init_parse(int argc, char **argv, struct kg_init_opts *o, struct kg_error *err);

/* Runs A to its end; the exit status of kg-init. */
int kg_init_run(struct kg_init_opts *o, char **envp);

/* ---- parts ---------------------------------------------------------------------------------- */

/* A descriptor (close-on-exec, shared by all, not to be closed) of the system-call filter: an array
 * of struct sock_filter. Made once. -1 with err where libseccomp cannot. */
int kg_sandbox_filter(struct kg_error *err);

/* In this process: no_new_privs and the filter. Refused calls go to *listener (close-on-exec), for
 * another process to count and to answer with EPERM (kg_denied_serve); -1 where the kernel cannot,
 * then they give EPERM by themselves. 0, or -1 with errno. */
int kg_sandbox_apply_filter(int fd, int *listener);

struct kg_denied {
    int listener;      /* -1: none */
    uint64_t n;        /* calls refused */
    uint64_t seen[16]; /* bit by number of the call: told to the judge */
};

/* The listener is readable: one call is answered. */
void kg_denied_serve(struct kg_denied *d, int ctl);

/* n bytes and a descriptor (-1: none) over a socket pair of our own, and back: bytes, or 0 at the
 * end, or -1; *fd stays when none came. */
int kg_denied_send(int socket, const void *data, size_t n, int fd);
ssize_t kg_denied_receive(int socket, void *data, size_t n, int *fd);

/* In this process, for good: no more programs can be started (execve and execveat give EPERM). */
int kg_sandbox_deny_exec(void);

/* In a new mount namespace of ours: all read-only but the writable directories and private /tmp,
 * /var/tmp and /dev/shm; a /dev of harmless nodes (and the GPUs' with 'devices'); /proc of the pid
 * namespace; the hidden directories empty, but for readable and writable ones in them. */
int kg_sandbox_mounts(const struct kg_init_opts *o, struct kg_error *err);

/* Landlock, for where there is no mount or pid namespace: writing only below the writable
 * directories, /tmp, /dev; no TCP, and signals only to processes of ours, where the kernel can. 0,
 * or -1. */
int kg_sandbox_landlock(const struct kg_init_opts *o);

#endif
