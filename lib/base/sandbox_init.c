#include "base/sandbox.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What A, B and C share; each has its own copy after fork. */
struct init {
    struct kg_init_opts *o;
    char **envp;
    bool sandboxed; /* mode is not OFF */
    bool root;      /* with root's real powers */
    uid_t uid;
    gid_t gid;
    unsigned layers;
    int alive;  /* hung up when A is gone; -1 in A */
    int orders; /* in B: where the judge's orders come from, the same socket as o->ctl; else -1 */
    int signal; /* signalfd of SIGCHLD */
    struct kg_denied denied;
    int exec; /* O_PATH of the program, opened while all of the file system was in sight; -1 */
};

static void tell(const struct init *in, const struct kg_init_msg *m)
{
    /* A judge that is gone needs no answer. */
    while (send(in->o->ctl, m, sizeof *m, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

static int fail(const struct init *in, const char *what, int error)
{
    struct kg_init_msg m = {.type = KG_INIT_FAILED, .layers = in->layers, .err = error};
    snprintf(m.text, sizeof m.text, "%s", what);
    tell(in, &m);
    return 1;
}

/* ---- user and namespaces -------------------------------------------------------------------- */

static int write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t n = strlen(text);
    int rc = write(fd, text, n) == (ssize_t)n ? 0 : -1;
    close(fd);
    return rc;
}

/* The same uid inside as outside: not 0, so that exec leaves the program no capabilities. */
static int map_ids(const struct init *in)
{
    char map[64];
    snprintf(map, sizeof map, "%lu %lu 1", (unsigned long)in->uid, (unsigned long)in->uid);
    if (write_text("/proc/self/uid_map", map))
        return -1;
    write_text("/proc/self/setgroups", "deny"); /* not there before Linux 3.19 */
    snprintf(map, sizeof map, "%lu %lu 1", (unsigned long)in->gid, (unsigned long)in->gid);
    return write_text("/proc/self/gid_map", map);
}

static int drop_root(struct init *in)
{
    in->uid = KG_SANDBOX_UID;
    in->gid = KG_SANDBOX_UID;
    in->root = false;
    if (setgroups(0, NULL) || setresgid(in->gid, in->gid, in->gid) ||
        setresuid(in->uid, in->uid, in->uid))
        return -1;
    /* a change of uid hides /proc/self from ourselves; the maps are written there */
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static void new_user_namespace(struct init *in)
{
    if (!unshare(CLONE_NEWUSER) && !map_ids(in))
        in->layers |= KG_LAYER_USER;
}

/* In A. Root keeps its powers until all is mounted; others get theirs from the user namespace. */
static int enter_outer(struct init *in)
{
    if (in->root && !unshare(CLONE_NEWPID)) {
        in->layers |= KG_LAYER_PID;
        return 0;
    }
    if (in->root && drop_root(in))
        return -1;
    new_user_namespace(in);
    if ((in->layers & KG_LAYER_USER) && !unshare(CLONE_NEWPID))
        in->layers |= KG_LAYER_PID;
    return 0;
}

static void enter_inner(struct init *in)
{
    static const struct {
        int flag;
        unsigned layer;
    } kinds[] = {{CLONE_NEWNS, KG_LAYER_MOUNT},
                 {CLONE_NEWNET, KG_LAYER_NET},
                 {CLONE_NEWIPC, KG_LAYER_IPC},
                 {CLONE_NEWUTS, 0}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!unshare(kinds[i].flag))
            in->layers |= kinds[i].layer;
}

static bool have_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, 1u) >= 1;
}

/* The program's writable directories were made by root for its user. */
static int build_sandbox(struct init *in, struct kg_error *err)
{
    const unsigned all = KG_LAYER_USER | KG_LAYER_PID | KG_LAYER_NET | KG_LAYER_IPC |
                         KG_LAYER_MOUNT | KG_LAYER_SECCOMP;
    enter_inner(in);
    for (const char *const *p = in->o->writable; in->root && *p; p++)
        if (chown(*p, KG_SANDBOX_UID, KG_SANDBOX_UID))
            return kg_error_errno(err, KG_E_SYSTEM, "cannot give '%s' to the sandbox", *p);
    if ((in->layers & KG_LAYER_MOUNT) && kg_sandbox_mounts(in->o, err)) {
        if (in->o->mode == KG_SANDBOX_REQUIRE)
            return -1;
        /* half-made mounts are private to us and harmless, but no promise */
        in->layers &= ~(unsigned)KG_LAYER_MOUNT;
        kg_error_clear(err);
    }
    if (in->root) {
        if (drop_root(in))
            return kg_error_errno(err, KG_E_SYSTEM, "cannot become uid %d", KG_SANDBOX_UID);
        new_user_namespace(in);
    }
    if ((~in->layers & (KG_LAYER_MOUNT | KG_LAYER_PID)) && have_landlock())
        in->layers |= KG_LAYER_LANDLOCK; /* applied just before exec; it forbids what init does */
    if (in->o->mode == KG_SANDBOX_REQUIRE && (in->layers & all) != all) {
        struct kg_buf text = KG_BUF_INIT;
        kg_proc_layers_text(all & ~in->layers, &text);
        return kg_error_set(err, KG_E_MISSING, "the kernel refuses parts of the sandbox: %s",
                            kg_buf_str(&text));
    }
    return 0;
}

/* ---- the program ---------------------------------------------------------------------------- */

static int limit(int what, uint64_t n)
{
    struct rlimit old, r;
    if (!n)
        return 0;
    if (getrlimit((__rlimit_resource_t)what, &old))
        return -1;
    r.rlim_cur = r.rlim_max = old.rlim_max < (rlim_t)n ? old.rlim_max : (rlim_t)n;
    if (what == RLIMIT_STACK) /* only the soft one: threads take their default from it */
        r.rlim_max = old.rlim_max;
    if (what == RLIMIT_CPU) /* first SIGXCPU, which says why; a second later SIGKILL */
        r.rlim_max = r.rlim_cur + 1 < old.rlim_max ? r.rlim_cur + 1 : old.rlim_max;
    return setrlimit((__rlimit_resource_t)what, &r);
}

static int set_limits(const struct kg_proc_limits *l)
{
    static const struct rlimit none = {0, 0};
    int rc = setrlimit(RLIMIT_CORE, &none);
    rc |= limit(RLIMIT_CPU, (uint64_t)l->cpu_s);
    rc |= limit(RLIMIT_FSIZE, l->file_bytes);
    rc |= limit(RLIMIT_NPROC, l->nproc);
    rc |= limit(RLIMIT_NOFILE, l->nofile);
    rc |= limit(RLIMIT_STACK, l->stack_bytes);
    rc |= limit(RLIMIT_AS, l->as_bytes); /* last: the others need no memory, but still */
    return rc;
}

static void exec_program(const struct init *in)
{
    execve(in->o->argv[0], in->o->argv, in->envp);
    /* The path may lie where this user cannot go, or be hidden: the file itself is open. */
    if (in->exec >= 0 && (errno == ENOENT || errno == EACCES || errno == ENOTDIR))
        syscall(SYS_execveat, in->exec, "", in->o->argv, in->envp, AT_EMPTY_PATH);
}

/* What C says before it is the program: an error, or (0) that the filter's listener comes with it.
 */
struct report {
    int error;
    char what[200];
};

static int fenced(const struct init *in, int report)
{
    struct report m = {0};
    int listener = -1;
    if (kg_sandbox_apply_filter(in->o->filter, &listener))
        return -1;
    return listener < 0 ? 0 : kg_denied_send(report, &m, sizeof m, listener);
}

/* In C. Does not return; the error goes to 'report'. */
static void become_program(const struct init *in, int report)
{
    const char *what = "cannot go to the directory", *subject = NULL;
    sigset_t none;
    sigemptyset(&none);
    const char *dir = in->o->workdir ? in->o->workdir : in->sandboxed ? "/tmp" : NULL;
    subject = dir;
    if (dir && chdir(dir))
        goto out;
    subject = NULL;
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* for the next line; exec sets it anyway */
    if (in->sandboxed)                  /* it goes first when memory runs out, and stays so */
        write_text("/proc/self/oom_score_adj", "1000");
    what = "cannot apply the system-call filter";
    if (in->sandboxed && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        goto out;
    if ((in->layers & KG_LAYER_LANDLOCK) && kg_sandbox_landlock(in->o))
        goto out;
    if (in->o->filter >= 0 && fenced(in, report))
        goto out;
    what = "cannot set limits"; /* last: they are the program's, not ours */
    if (set_limits(&in->o->limits))
        goto out;
    what = "cannot start";
    subject = in->o->argv[0];
    sigprocmask(SIG_SETMASK, &none, NULL);
    exec_program(in);
out:;
    struct report m = {.error = errno};
    snprintf(m.what, sizeof m.what, subject ? "%s '%s'" : "%s", what, subject);
    kg_denied_send(report, &m, sizeof m, -1);
    _exit(127);
}

static void close_program_fds(const struct init *in)
{
    for (int fd = 0; fd < in->o->ctl; fd++)
        close(fd);
    if (in->o->filter >= 0)
        close(in->o->filter);
    if (in->exec >= 0)
        close(in->exec);
}

/* Starts C and tells the judge; its pid, or -1 when that was told to have failed. */
static pid_t start_program(struct init *in)
{
    int report[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report)) {
        fail(in, "cannot make a socket pair", errno);
        return -1;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        fail(in, "cannot fork", errno);
        return -1;
    }
    if (!pid) {
        close(report[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (getppid() != parent)
            _exit(127);
        setsid();
        become_program(in, report[1]);
    }
    close(report[1]);
    struct report m = {0};
    while (!m.error && kg_denied_receive(report[0], &m, sizeof m, &in->denied.listener) > 0)
        ;
    close(report[0]);
    if (m.error) {
        fail(in, m.what, m.error);
        return -1;
    }
    struct kg_init_msg started = {
        .type = KG_INIT_STARTED, .layers = in->layers, .status = in->denied.listener >= 0};
    tell(in, &started);
    close_program_fds(in);
    return pid;
}

/* ---- watching ------------------------------------------------------------------------------- */

/* Reaps what has ended. True when 'pid' is among it; its end is told when 'report'. */
static bool reap(const struct init *in, pid_t pid, bool report)
{
    struct signalfd_siginfo info;
    while (read(in->signal, &info, sizeof info) == (ssize_t)sizeof info)
        ;
    bool found = false;
    for (;;) {
        struct rusage ru;
        int status;
        pid_t p = wait4(-1, &status, WNOHANG, &ru);
        if (p <= 0)
            return found;
        if (p != pid)
            continue;
        found = true;
        struct kg_init_msg m = {.type = KG_INIT_ENDED, .layers = in->layers, .status = status};
        m.user_s = (double)ru.ru_utime.tv_sec + 1e-6 * (double)ru.ru_utime.tv_usec;
        m.peak_bytes = (uint64_t)ru.ru_maxrss * 1024;
        m.denied = in->denied.n;
        if (report)
            tell(in, &m);
    }
}

/* In B: -1 is all of the namespace but B itself. */
static void obey(struct init *in)
{
    unsigned char order;
    ssize_t n = recv(in->orders, &order, sizeof order, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) { /* the judge is gone; A will see to it */
        in->orders = -1;
        return;
    }
    kill(-1, order == KG_INIT_FREEZE ? SIGSTOP : SIGCONT);
    tell(in, &(struct kg_init_msg){.type = KG_INIT_OBEYED, .status = order});
}

/* Until 'pid' has ended (true) or the other end of 'other' is closed (false). */
static bool watch(struct init *in, pid_t pid, int other, bool report)
{
    for (;;) {
        struct pollfd p[4] = {{.fd = in->signal, .events = POLLIN},
                              {.fd = other, .events = POLLRDHUP},
                              {.fd = in->denied.listener, .events = POLLIN},
                              {.fd = in->orders, .events = POLLIN}};
        if (poll(p, 4, -1) < 0 && errno != EINTR)
            return false;
        if (p[3].revents)
            obey(in);
        if (p[2].revents & POLLIN)
            kg_denied_serve(&in->denied, in->o->ctl);
        else if (p[2].revents) /* nobody is left under the filter */
            in->denied.listener = -1;
        if (p[0].revents && reap(in, pid, report))
            return true;
        if (p[1].revents)
            return false;
    }
}

/* Children of this process, by the kernel's list; -1 when there is none (or no list). */
static void kill_children(void)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return;
    text[n] = 0;
    pid_t pid = 0;
    for (const char *s = text; *s; s++) {
        if (*s >= '0' && *s <= '9') {
            pid = pid * 10 + (*s - '0');
        } else {
            if (pid > 1)
                kill(pid, SIGKILL);
            pid = 0;
        }
    }
}

/* A without a pid namespace: descendants come to us as their parents die (we are their subreaper).
 */
static void kill_descendants(pid_t pid)
{
    kill(-pid, SIGKILL); /* its session's first process group: everything that did not leave */
    kill(pid, SIGKILL);
    for (int round = 0; round < 100000; round++) {
        kill_children();
        pid_t p = waitpid(-1, NULL, WNOHANG);
        if (p < 0 && errno == ECHILD)
            return;
        if (!p)
            poll(NULL, 0, 1);
    }
}

static void move_text(const char **text)
{
    char *old = (char *)*text;
    *text = kg_mem_strdup(old);
    memset(old, 0, strlen(old));
}

/* The arguments would tell the program about the file system outside, in /proc/1/cmdline. */
static void hide_args(struct kg_init_opts *o)
{
    const char **const lists[] = {(const char **)o->argv, o->writable, o->readable, o->hidden};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char **p = lists[i]; *p; p++)
            move_text(p);
    if (o->workdir)
        move_text(&o->workdir);
}

/* B: process 1 of the namespace. */
static int run_b(struct init *in)
{
    struct kg_error err = KG_ERROR_INIT;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    hide_args(in->o);
    if (build_sandbox(in, &err))
        return fail(in, err.text, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* a change of uid had cleared it */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);        /* the program will have the same uid */
    pid_t pid = start_program(in);
    if (pid < 0)
        return 1;
    in->orders = in->o->ctl;
    watch(in, pid, in->alive, true);
    return 0;
}

static int run_a_over_b(struct init *in)
{
    int alive[2];
    if (pipe2(alive, O_CLOEXEC))
        return fail(in, "cannot make a pipe", errno);
    pid_t b = fork();
    if (b < 0)
        return fail(in, "cannot fork", errno);
    if (!b) {
        close(alive[1]);
        in->alive = alive[0];
        _exit(run_b(in));
    }
    close(alive[0]);
    close_program_fds(in);
    if (!watch(in, b, in->o->ctl, false)) {
        kill(b, SIGKILL);
        waitpid(b, NULL, 0);
    }
    return 0;
}

static int run_a_alone(struct init *in)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    pid_t pid = start_program(in);
    if (pid < 0)
        return 1;
    watch(in, pid, in->o->ctl, true);
    kill_descendants(pid);
    return 0;
}

int kg_init_run(struct kg_init_opts *o, char **envp)
{
    struct init in = {
        .o = o, .envp = envp, .alive = -1, .orders = -1, .exec = -1, .denied = {.listener = -1}};
    in.sandboxed = o->mode != KG_SANDBOX_OFF;
    in.root = geteuid() == 0;
    in.uid = geteuid();
    in.gid = getegid();
    in.layers = KG_LAYER_RLIMIT | (o->filter >= 0 ? KG_LAYER_SECCOMP : 0);
    setsid(); /* the terminal's signals are the judge's */
    fcntl(o->ctl, F_SETFD, FD_CLOEXEC);
    if (o->filter >= 0)
        fcntl(o->filter, F_SETFD, FD_CLOEXEC);
    in.exec = open(o->argv[0], O_PATH | O_CLOEXEC);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    in.signal = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (in.signal < 0)
        return fail(&in, "cannot watch processes", errno);
    if (in.sandboxed && enter_outer(&in))
        return fail(&in, "cannot leave root", errno);
    if (in.layers & KG_LAYER_PID)
        return run_a_over_b(&in);
    if (in.sandboxed) {
        struct kg_error err = KG_ERROR_INIT;
        if (build_sandbox(&in, &err))
            return fail(&in, err.text, 0);
    }
    return run_a_alone(&in);
}
