#include "base/proc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRAIN_MAX (1 << 20) /* bytes of one drain: a program that never stops must not stop us */
#define START_S   30.0      /* for kg-init to say that the program runs */
#define OBEY_S    5.0       /* for kg-init to freeze or thaw it */

static const char *const clean_env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C",
                                        "TMPDIR=/tmp", NULL};

/* ---- descriptors ---------------------------------------------------------------------------- */

/* What the child gets: copies with numbers above all targets, so that dup2 can go in any order. */
struct handed {
    int *copy;
    size_t n;
};

static int lift(struct handed *h, int fd, size_t base)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, (int)base);
    if (copy >= 0)
        h->copy[h->n++] = copy;
    return copy < 0 ? -1 : 0;
}

static void handed_release(struct handed *h)
{
    for (size_t i = 0; i < h->n; i++)
        close(h->copy[i]);
    free(h->copy);
}

/* 0, 1, 2, the program's own, the control socket, the filter: in this order */
static int hand_over(struct handed *h, const struct kg_proc_spec *spec, int out, int ctl,
                     int filter, struct kg_error *err)
{
    size_t base = 8 + spec->n_fds;
    h->copy = kg_mem_array(base, sizeof *h->copy);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return kg_error_errno(err, KG_E_SYSTEM, "cannot open '/dev/null'");
    int rc = lift(h, spec->stdin_fd >= 0 ? spec->stdin_fd : null, base);
    rc |= lift(h, out >= 0 ? out : null, base);
    rc |= lift(h, out >= 0 ? out : null, base);
    for (size_t i = 0; i < spec->n_fds; i++)
        rc |= lift(h, spec->fds[i], base);
    rc |= lift(h, ctl, base);
    if (filter >= 0)
        rc |= lift(h, filter, base);
    if (rc)
        kg_error_errno(err, KG_E_SYSTEM, "cannot copy a descriptor");
    close(null);
    return rc;
}

/* ---- start ---------------------------------------------------------------------------------- */

static int spawn_init(const char *path, char **args, const char *const *envp,
                      const struct handed *h, pid_t *pid)
{
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&fa);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setsigmask(&attr, &none);
    int rc = 0;
    for (size_t i = 0; !rc && i < h->n; i++)
        rc = posix_spawn_file_actions_adddup2(&fa, h->copy[i], (int)i);
    if (!rc)
        rc = posix_spawn_file_actions_addclosefrom_np(&fa, (int)h->n);
    if (!rc)
        rc = posix_spawn(pid, path, &fa, &attr, args, (char *const *)envp);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&fa);
    errno = rc;
    return rc ? -1 : 0;
}

static int start_init(const struct kg_proc_spec *spec, const struct handed *h, bool filter,
                      struct kg_proc *p, struct kg_error *err)
{
    char *path = kg_fs_libexec("kg-init", err);
    if (!path)
        return -1;
    char **args = kg_init_args(path, spec, filter);
    int rc = spawn_init(path, args, spec->envp ? spec->envp : clean_env, h, &p->pid);
    if (rc)
        kg_error_errno(err, KG_E_SYSTEM, "cannot start '%s'", path);
    kg_init_args_free(args);
    free(path);
    return rc;
}

/* One message of kg-init. 1: there; 0: not within 'seconds'; -1: kg-init is gone. */
static int receive(struct kg_proc *p, struct kg_init_msg *m, double seconds)
{
    struct pollfd pfd = {.fd = p->ctl_fd, .events = POLLIN};
    double until = kg_clock_now() + seconds;
    for (;;) {
        double left = until - kg_clock_now();
        int rc = poll(&pfd, 1, left > 0 ? (int)(left * 1e3) + 1 : 0);
        if (rc < 0 && errno == EINTR)
            continue;
        if (rc <= 0)
            return 0;
        ssize_t n = recv(p->ctl_fd, m, sizeof *m, MSG_DONTWAIT);
        if (n == (ssize_t)sizeof *m)
            return 1;
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        return -1;
    }
}

static int await_start(const struct kg_proc_spec *spec, struct kg_proc *p, struct kg_error *err)
{
    struct kg_init_msg m;
    int rc = receive(p, &m, START_S);
    if (rc > 0 && m.type == KG_INIT_STARTED) {
        p->layers = m.layers;
        p->tells_denied = m.status;
        return 0;
    }
    if (rc > 0) {
        m.text[sizeof m.text - 1] = 0;
        int code = m.err == ENOENT || m.err == EACCES ? KG_E_MISSING : KG_E_SYSTEM;
        errno = m.err;
        if (m.err)
            kg_error_errno(err, code, "%s", m.text);
        else
            kg_error_set(err, code, "%s", m.text);
    } else {
        kg_error_set(err, KG_E_SYSTEM, "kg-init %s before '%s' could start",
                     rc ? "ended" : "did not answer", spec->argv[0]);
    }
    kg_proc_kill(p);
    return -1;
}

static void proc_clear(struct kg_proc *p, struct kg_buf *output)
{
    memset(p, 0, sizeof *p);
    p->pid = -1;
    p->pidfd = p->out_fd = p->ctl_fd = -1;
    p->output = output;
    p->started = kg_clock_now();
}

static int open_pipes(const struct kg_proc_spec *spec, struct kg_proc *p, int *out, int *ctl,
                      struct kg_error *err)
{
    int pipes[2], pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return kg_error_errno(err, KG_E_SYSTEM, "cannot make a socket pair");
    p->ctl_fd = pair[0];
    *ctl = pair[1];
    if (!spec->output)
        return 0;
    if (pipe2(pipes, O_CLOEXEC))
        return kg_error_errno(err, KG_E_SYSTEM, "cannot make a pipe");
    p->out_fd = pipes[0];
    *out = pipes[1];
    fcntl(p->out_fd, F_SETFL, O_NONBLOCK);
    fcntl(p->out_fd, F_SETPIPE_SZ, 1 << 18); /* fewer turns for a talkative program */
    return 0;
}

int kg_proc_spawn(const struct kg_proc_spec *spec, struct kg_proc *p, struct kg_error *err)
{
    struct handed h = {0};
    int out = -1, ctl = -1, filter = -1;
    bool sandboxed = spec->sandbox && spec->sandbox->mode != KG_SANDBOX_OFF;
    proc_clear(p, spec->output);
    int rc = open_pipes(spec, p, &out, &ctl, err);
    if (!rc && sandboxed) {
        bool require = spec->sandbox->mode == KG_SANDBOX_REQUIRE;
        filter = kg_sandbox_filter(require ? err : NULL);
        rc = filter < 0 && require ? -1 : 0;
    }
    if (!rc)
        rc = hand_over(&h, spec, out, ctl, filter, err);
    if (!rc)
        rc = start_init(spec, &h, filter >= 0, p, err);
    handed_release(&h);
    if (out >= 0)
        close(out);
    if (ctl >= 0)
        close(ctl);
    if (rc) {
        kg_proc_kill(p);
        return -1;
    }
    p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0); /* close-on-exec by itself */
    return await_start(spec, p, err);
}

/* ---- wait ----------------------------------------------------------------------------------- */

static void set_end(struct kg_proc *p, const struct kg_init_msg *m)
{
    p->end.wall_s = kg_clock_now() - p->started;
    p->end.user_s = m->user_s;
    p->end.peak_bytes = m->peak_bytes;
    p->end.how = WIFSIGNALED(m->status) ? KG_PROC_SIGNALED : KG_PROC_EXITED;
    p->end.status = WIFSIGNALED(m->status) ? WTERMSIG(m->status) : WEXITSTATUS(m->status);
    p->layers = m->layers;
    p->denied = m->denied > p->denied ? m->denied : p->denied;
    p->told = true;
}

static void note(struct kg_proc *p, const struct kg_init_msg *m)
{
    if (m->type == KG_INIT_ENDED) {
        set_end(p, m);
    } else if (m->type == KG_INIT_DENIED) {
        p->denied++;
        if (p->n_denied < KG_PROC_DENIED)
            p->denied_call[p->n_denied++] = m->status;
    }
}

/* All that kg-init has said by now. */
static void hear(struct kg_proc *p)
{
    struct kg_init_msg m;
    while (p->ctl_fd >= 0 && recv(p->ctl_fd, &m, sizeof m, MSG_DONTWAIT) == (ssize_t)sizeof m)
        note(p, &m);
}

static void read_output(struct kg_proc *p)
{
    char chunk[16384]; /* a stack may be small */
    for (size_t total = 0; p->out_fd >= 0 && total < DRAIN_MAX;) {
        ssize_t n = read(p->out_fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            close(p->out_fd);
            p->out_fd = -1;
            return;
        }
        if (p->output)
            kg_buf_add(p->output, chunk, (size_t)n);
        total += (size_t)n;
    }
}

void kg_proc_drain(struct kg_proc *p)
{
    hear(p);
    read_output(p);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* kg-init has been reaped: nothing of the program is left. */
static void finish(struct kg_proc *p)
{
    kg_proc_drain(p);
    if (!p->told) { /* by us, then kg_proc_kill says so; or by somebody else */
        p->end.how = KG_PROC_LOST;
        p->end.status = SIGKILL;
        p->end.wall_s = kg_clock_now() - p->started;
    }
    close_fd(&p->out_fd);
    close_fd(&p->ctl_fd);
    close_fd(&p->pidfd);
    p->ended = true;
}

static bool reaped(struct kg_proc *p)
{
    pid_t rc;
    while ((rc = waitpid(p->pid, NULL, WNOHANG)) < 0 && errno == EINTR)
        ;
    return rc == p->pid || (rc < 0 && errno == ECHILD);
}

int kg_proc_wait(struct kg_proc *p, double seconds)
{
    double until = kg_clock_now() + seconds;
    while (!p->ended) {
        kg_proc_drain(p);
        if (reaped(p)) {
            finish(p);
            break;
        }
        double left = until - kg_clock_now();
        if (seconds >= 0 && left <= 0)
            return 0;
        struct pollfd pfd[2] = {{.fd = p->pidfd, .events = POLLIN},
                                {.fd = p->out_fd, .events = POLLIN}};
        /* without a pidfd there is nothing to wake us: look again soon */
        int ms = p->pidfd < 0 ? 2 : seconds < 0 || left > 1e6 ? 1000000 : (int)(left * 1e3) + 1;
        poll(pfd, 2, ms);
    }
    return 1;
}

int kg_proc_freeze(struct kg_proc *p, bool frozen)
{
    struct kg_init_msg m = {.type = 0};
    unsigned char order = frozen ? KG_INIT_FREEZE : KG_INIT_THAW;
    if (p->ended || p->told || !(p->layers & KG_LAYER_PID) ||
        send(p->ctl_fd, &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof order)
        return -1;
    double until = kg_clock_now() + OBEY_S, left;
    while (!p->told && (left = until - kg_clock_now()) > 0 && receive(p, &m, left) > 0) {
        if (m.type == KG_INIT_OBEYED && m.status == order)
            return 0;
        note(p, &m);
    }
    return p->told ? -1 : 1;
}

void kg_proc_kill(struct kg_proc *p)
{
    if (p->ended)
        return;
    if (p->pid > 0) {
        bool over = reaped(p);
        if (!over) {
            shutdown(p->ctl_fd, SHUT_WR); /* kg-init kills, waits and ends */
            if (!kg_proc_wait(p, 10.0))
                kill(p->pid, SIGKILL);
            kg_proc_wait(p, -1);
            p->end.how = KG_PROC_KILLED;
        } else {
            finish(p);
        }
        return;
    }
    close_fd(&p->out_fd);
    close_fd(&p->ctl_fd);
    p->ended = true;
}

int kg_proc_run(const struct kg_proc_spec *spec, double seconds, struct kg_proc_end *end,
                struct kg_error *err)
{
    struct kg_proc p;
    if (kg_proc_spawn(spec, &p, err))
        return -1;
    if (!kg_proc_wait(&p, seconds)) {
        kg_proc_kill(&p);
        if (p.end.how == KG_PROC_KILLED)
            p.end.how = KG_PROC_TIMEOUT;
    }
    *end = p.end;
    return 0;
}
