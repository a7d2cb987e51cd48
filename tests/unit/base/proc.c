/* Processes: starting, ends, limits, bounded output, and that nothing is ever left behind. */
#include "base/clock.h"
#include "base/proc.h"
#include "base/sandbox.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK "KG_TEST_MARK"

static const struct kg_sandbox sandbox = {.mode = KG_SANDBOX_AUTO, .allow_exec = true};
static char mark[64]; /* MARK=pid: in the environment of all that we start */

/* Processes, zombies too, of all users that carry our mark. */
static int count_marked(void)
{
    int n = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[300], text[8192];
        snprintf(path, sizeof path, "/proc/%s/environ", e->d_name);
        int fd = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? open(path, O_RDONLY) : -1;
        if (fd < 0)
            continue;
        ssize_t len = read(fd, text, sizeof text);
        if (len > 0 && memmem(text, (size_t)len, mark, strlen(mark) + 1))
            n++;
        close(fd);
    }
    if (d)
        closedir(d);
    return n;
}

static int count_fds(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

struct result {
    struct kg_proc_end end;
    struct kg_buf out;
    int rc;
    struct kg_error err;
};

static struct kg_proc_spec shell(const char *script, const struct kg_sandbox *s)
{
    static const char *argv[4], *envp[3];
    argv[0] = "/bin/sh";
    argv[1] = "-c";
    argv[2] = script;
    argv[3] = NULL;
    envp[0] = mark;
    envp[1] = "PATH=/usr/bin:/bin";
    envp[2] = NULL;
    return (struct kg_proc_spec){.argv = argv, .envp = envp, .stdin_fd = -1, .sandbox = s};
}

static void run(struct result *r, const struct kg_proc_spec *spec_in, double seconds)
{
    struct kg_proc_spec spec = *spec_in;
    memset(r, 0, sizeof *r);
    kg_buf_init(&r->out, 65536);
    spec.output = &r->out;
    r->rc = kg_proc_run(&spec, seconds, &r->end, &r->err);
    if (r->rc)
        printf("# %s\n", r->err.text);
}

static void run_sh(struct result *r, const char *script, const struct kg_sandbox *s, double seconds)
{
    struct kg_proc_spec spec = shell(script, s);
    run(r, &spec, seconds);
}

static void test_ends(const struct kg_sandbox *s)
{
    struct result r;
    run_sh(&r, "echo out; echo err >&2; exit 7", s, 10);
    EQ_INT(r.rc, 0);
    EQ_INT(r.end.how, KG_PROC_EXITED);
    EQ_INT(r.end.status, 7);
    EQ_STR(kg_buf_str(&r.out), "out\nerr\n");
    kg_buf_release(&r.out);
    run_sh(&r, "kill -SEGV $$", s, 10);
    EQ_INT(r.end.how, KG_PROC_SIGNALED);
    EQ_INT(r.end.status, SIGSEGV);
    kg_buf_release(&r.out);
    run_sh(&r, "sleep 100", s, 0.05);
    EQ_INT(r.end.how, KG_PROC_TIMEOUT);
    kg_buf_release(&r.out);
    EQ_INT(count_marked(), 0);
}

static void test_missing(const struct kg_sandbox *s)
{
    const char *argv[] = {"/nonexistent/program", NULL};
    struct kg_proc_spec spec = {.argv = argv, .stdin_fd = -1, .sandbox = s};
    struct result r;
    run(&r, &spec, 10);
    EQ_INT(r.rc, -1);
    EQ_INT(r.err.code, KG_E_MISSING);
    EQ_STR(r.err.text, "cannot start '/nonexistent/program': No such file or directory");
}

/* Orphans in sessions of their own, double forks, ignored signals: all die with the program. */
static void test_nothing_left(const struct kg_sandbox *s)
{
    struct result r;
    run_sh(&r,
           "trap '' TERM HUP INT; setsid sh -c 'sleep 1000 & sleep 1000' & "
           "(setsid sleep 1000 &) ; (sh -c 'sleep 1000 &' &); sleep 0.1; exit 3",
           s, 20);
    EQ_INT(r.end.how, KG_PROC_EXITED);
    EQ_INT(r.end.status, 3);
    EQ_INT(count_marked(), 0);
    kg_buf_release(&r.out);
    run_sh(&r, "setsid sh -c 'sleep 1000 & sleep 1000' & (setsid sleep 1000 &) ; sleep 1000", s,
           0.15);
    EQ_INT(r.end.how, KG_PROC_TIMEOUT);
    EQ_INT(count_marked(), 0);
    kg_buf_release(&r.out);
}

static void test_bounded_output(void)
{
    struct result r;
    run_sh(&r, "head -c 1073741824 /dev/zero; echo done >&2; exit 5", &sandbox, 60);
    EQ_INT(r.end.how, KG_PROC_EXITED);
    EQ_INT(r.end.status, 5);
    EQ_INT(r.out.len, 65536);
    OK(r.out.truncated);
    kg_buf_release(&r.out);
}

static void test_fds(void)
{
    int p[2], q[2], extra = open("/dev/null", O_RDONLY); /* inheritable on purpose */
    OK(!pipe(p) && !pipe(q));
    /* what comes first has the higher number: copies may not run over each other */
    int fds[2] = {q[1], p[1]};
    struct kg_proc_spec spec = shell("echo three >&3; echo four >&4; ls /proc/self/fd", &sandbox);
    spec.fds = fds;
    spec.n_fds = 2;
    struct result r;
    run(&r, &spec, 10);
    char text[32] = "";
    OK(read(q[0], text, sizeof text) == 6 && !strncmp(text, "three\n", 6));
    OK(read(p[0], text, sizeof text) == 5 && !strncmp(text, "four\n", 5));
    EQ_STR(kg_buf_str(&r.out), "0\n1\n2\n3\n4\n5\n"); /* 5 is the folder that ls reads */
    kg_buf_release(&r.out);
    for (int i = 0; i < 2; i++) {
        close(p[i]);
        close(q[i]);
    }
    close(extra);
}

/* The program's end of a handed-over descriptor is closed when the program is gone, at once. */
static void test_hangup(void)
{
    int pair[2];
    OK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
    struct kg_proc_spec spec = shell("exit 0", &sandbox);
    spec.fds = &pair[1];
    spec.n_fds = 1;
    struct kg_proc p;
    struct kg_error err = KG_ERROR_INIT;
    EQ_INT(kg_proc_spawn(&spec, &p, &err), 0);
    close(pair[1]);
    char c;
    EQ_INT(recv(pair[0], &c, 1, 0), 0);
    EQ_INT(kg_proc_wait(&p, 10), 1);
    kg_proc_kill(&p);
    close(pair[0]);
}

static void test_limits(void)
{
    struct result r;
    struct kg_proc_spec spec = shell("head -c 100000 /dev/zero >/tmp/x; echo $?", &sandbox);
    spec.limits.file_bytes = 4096;
    run(&r, &spec, 10);
    OK(strcmp(kg_buf_str(&r.out), "0\n"));
    kg_buf_release(&r.out);
    spec = shell("while :; do :; done", &sandbox);
    spec.limits.cpu_s = 0.5;
    run(&r, &spec, 30);
    EQ_INT(r.end.how, KG_PROC_SIGNALED);
    EQ_INT(r.end.status, SIGXCPU);
    OK(r.end.user_s > 0.3);
    kg_buf_release(&r.out);
    spec = shell("ulimit -v; ulimit -c; ulimit -n", &sandbox);
    spec.limits.as_bytes = 1 << 30;
    spec.limits.nofile = 99;
    run(&r, &spec, 30);
    EQ_STR(kg_buf_str(&r.out), "1048576\n0\n99\n");
    kg_buf_release(&r.out);
}

static void test_fork_bomb(void)
{
    struct result r;
    struct kg_proc_spec spec = shell("f() { f | f & f; }; f", &sandbox);
    spec.limits.nproc = 40;
    run(&r, &spec, 0.7);
    OK(r.end.how == KG_PROC_TIMEOUT || r.end.how == KG_PROC_EXITED);
    EQ_INT(count_marked(), 0);
    kg_buf_release(&r.out);
}

static void *spawn_many(void *arg)
{
    int *bad = arg;
    for (int i = 0; i < 8; i++) {
        struct kg_buf out;
        kg_buf_init(&out, 100);
        const char *argv[] = {"/bin/sh", "-c", "echo hello", NULL}, *envp[] = {mark, NULL};
        struct kg_proc_spec spec = {
            .argv = argv, .envp = envp, .stdin_fd = -1, .output = &out, .sandbox = &sandbox};
        struct kg_proc_end end = {0};
        if (kg_proc_run(&spec, 20, &end, NULL) || end.how != KG_PROC_EXITED || end.status ||
            strcmp(kg_buf_str(&out), "hello\n"))
            ++*bad;
        kg_buf_release(&out);
    }
    return NULL;
}

/* The thread that started a program may end before it (PR_SET_PDEATHSIG of the judge would kill).
 */
static struct kg_proc survivor;
static void *spawn_one(void *arg)
{
    struct kg_proc_spec spec = shell("sleep 0.3; exit 9", &sandbox);
    *(int *)arg = kg_proc_spawn(&spec, &survivor, NULL);
    return NULL;
}

static void test_threads(void)
{
    pthread_t t[4];
    int bad[4] = {0}, rc = -1;
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, spawn_many, &bad[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    EQ_INT(bad[0] + bad[1] + bad[2] + bad[3], 0);
    pthread_create(&t[0], NULL, spawn_one, &rc);
    pthread_join(t[0], NULL);
    EQ_INT(rc, 0);
    EQ_INT(kg_proc_wait(&survivor, 20), 1);
    EQ_INT(survivor.end.how, KG_PROC_EXITED);
    EQ_INT(survivor.end.status, 9);
    kg_proc_kill(&survivor);
}

/* A judge that is killed takes all with it, whatever its program does. */
static void test_judge_dies(const struct kg_sandbox *s)
{
    int ready[2];
    OK(!pipe2(ready, O_CLOEXEC));
    pid_t judge = fork();
    if (!judge) {
        struct kg_proc_spec spec =
            shell("trap '' HUP TERM; setsid sleep 1000 & (sleep 1000 &); sleep 1000", s);
        struct kg_proc p;
        if (kg_proc_spawn(&spec, &p, NULL))
            _exit(1);
        usleep(100000);
        if (write(ready[1], "", 1) != 1)
            _exit(1);
        pause();
    }
    char c;
    EQ_INT(read(ready[0], &c, 1), 1);
    OK(count_marked() >= 3);
    kill(judge, SIGKILL);
    waitpid(judge, NULL, 0);
    double until = kg_clock_now() + 20;
    while (count_marked() && kg_clock_now() < until)
        usleep(2000);
    EQ_INT(count_marked(), 0);
    close(ready[0]);
    close(ready[1]);
}

/* kg-init itself, or process 1 of the namespace, is killed. */
static void test_init_dies(void)
{
    struct kg_proc_spec spec = shell("(setsid sleep 1000 &); sleep 1000", &sandbox);
    struct kg_proc p;
    EQ_INT(kg_proc_spawn(&spec, &p, NULL), 0);
    usleep(50000);
    kill(p.pid, SIGKILL);
    EQ_INT(kg_proc_wait(&p, 10), 1);
    EQ_INT(p.end.how, KG_PROC_LOST);
    double until = kg_clock_now() + 20;
    while (count_marked() && kg_clock_now() < until)
        usleep(2000);
    EQ_INT(count_marked(), 0);
}

static size_t drained(struct kg_proc *p)
{
    kg_proc_drain(p);
    return p->output->len;
}

static bool grows(struct kg_proc *p)
{
    double until = kg_clock_now() + 20;
    size_t before = drained(p);
    while (drained(p) == before && kg_clock_now() < until)
        usleep(2000);
    return p->output->len > before;
}

/* Frozen, nothing of it runs, what left its session included; and it can be killed then. */
static void test_freeze(void)
{
    struct kg_buf out;
    struct kg_proc p;
    struct kg_proc_spec spec = shell(
        "trap 'echo CONT' CONT; setsid sh -c 'while :; do echo child; done' & while :; do wait; done",
        &sandbox);
    kg_buf_init(&out, 1 << 30);
    spec.output = &out;
    EQ_INT(kg_proc_spawn(&spec, &p, NULL), 0);
    if (!(p.layers & KG_LAYER_PID)) {
        EQ_INT(kg_proc_freeze(&p, true), -1);
        kg_proc_kill(&p);
        kg_buf_release(&out);
        return;
    }
    OK(grows(&p));
    for (int i = 0; i < 3; i++) {
        EQ_INT(kg_proc_freeze(&p, true), 0);
        usleep(20000); /* threads stop when they leave their system calls */
        size_t before = drained(&p);
        usleep(100000);
        EQ_INT(drained(&p), before);
        EQ_INT(kg_proc_freeze(&p, false), 0);
        OK(grows(&p));
    }
    EQ_INT(kg_proc_freeze(&p, true), 0);
    kg_proc_kill(&p);
    EQ_INT(p.end.how, KG_PROC_KILLED);
    EQ_INT(count_marked(), 0);
    EQ_INT(kg_proc_freeze(&p, true), -1);
    kg_buf_release(&out);
}

/* What the filter refuses is told, each call once, and counted. */
static void test_denied(void)
{
    struct kg_proc p;
    struct kg_buf text = KG_BUF_INIT;
    struct kg_proc_spec spec = shell(
        "unshare -r true; unshare -r true; mount -t tmpfs x /tmp; mount -t tmpfs x /tmp", &sandbox);
    EQ_INT(kg_proc_spawn(&spec, &p, NULL), 0);
    EQ_INT(kg_proc_wait(&p, 20), 1);
    kg_proc_denied_text(&p, &text);
    EQ_STR(kg_buf_str(&text), "unshare, mount");
    EQ_INT(p.denied, 4);
    kg_buf_release(&text);
    spec = shell("exit 0", &sandbox);
    EQ_INT(kg_proc_spawn(&spec, &p, NULL), 0);
    EQ_INT(kg_proc_wait(&p, 20), 1);
    EQ_INT(p.denied, 0);
}

static void says(const char *script, const struct kg_sandbox *s, const char *want)
{
    struct result r;
    run_sh(&r, script, s, 20);
    EQ_STR(kg_buf_str(&r.out), want);
    kg_buf_release(&r.out);
}

/* What is to be seen of the file system. */
static void test_files(void)
{
    char dir[] = "/tmp/kg-proc-test.XXXXXX", inner[64], secret[64], script[256];
    struct result r;
    OK(mkdtemp(dir) != NULL);
    snprintf(inner, sizeof inner, "%s/inner", dir);
    snprintf(secret, sizeof secret, "%s/secret", dir);
    OK(!mkdir(inner, 0700) && !mkdir(secret, 0755));
    struct kg_proc p;
    struct kg_proc_spec spec = shell("exit 0", &sandbox);
    EQ_INT(kg_proc_spawn(&spec, &p, NULL), 0);
    kg_proc_wait(&p, 20);
    if (!(p.layers & KG_LAYER_MOUNT)) {
        printf("# no mount namespaces here\n");
        return;
    }
    says("touch x && ls; pwd; ls /tmp /dev/shm", &sandbox, "x\n/tmp\n/dev/shm:\n\n/tmp:\nx\n");
    says("echo x 2>/dev/null >/etc/kg-test; ls /home /root", &sandbox, "/home:\n\n/root:\n");
    /* the environment of the judge decides what is private, and may say strange things */
    char *home = getenv("HOME"), *kept = home ? strdup(home) : NULL;
    setenv("HOME", "/tmp/", 1);
    says("touch x && ls", &sandbox, "x\n");
    setenv("HOME", "/", 1);
    says("touch x && ls", &sandbox, "x\n");
    if (kept)
        setenv("HOME", kept, 1);
    free(kept);
    /* a writable and a readable folder of the judge's /tmp, in a hidden one */
    const char *writable[] = {inner, NULL}, *readable[] = {secret, NULL}, *hidden[] = {dir, NULL};
    struct kg_sandbox s = {.writable = writable, .readable = readable, .hidden = hidden};
    s.workdir = inner;
    says("echo content >f && cat f; pwd | grep -c inner; ls .. ; touch ../secret/x 2>/dev/null; "
         "ls ../secret",
         &s, "content\n1\ninner\nsecret\n");
    snprintf(script, sizeof script, "%s/f", inner);
    OK(!access(script, F_OK)); /* it is the same folder outside */
    /* a working directory that is not there */
    s = sandbox;
    s.workdir = "/nonexistent";
    run_sh(&r, "exit 0", &s, 20);
    EQ_INT(r.rc, -1);
    EQ_STR(r.err.text, "cannot go to the directory '/nonexistent': No such file or directory");
    unlink(script);
    rmdir(inner);
    rmdir(secret);
    EQ_INT(rmdir(dir), 0);
}

int main(void)
{
    snprintf(mark, sizeof mark, MARK "=%d", (int)getpid());
    const struct kg_sandbox off = {.mode = KG_SANDBOX_OFF};
    struct kg_buf layers = KG_BUF_INIT;
    int fds = count_fds();
    const struct kg_sandbox *kinds[] = {&sandbox, &off, NULL};
    for (int i = 0; i < 3; i++) {
        test_ends(kinds[i]);
        test_missing(kinds[i]);
        test_nothing_left(kinds[i]);
        test_judge_dies(kinds[i]);
    }
    test_bounded_output();
    test_fds();
    test_hangup();
    test_limits();
    test_fork_bomb();
    test_threads();
    test_denied();
    test_freeze();
    test_files();
    test_init_dies();
    EQ_INT(count_marked(), 0);
    /* the filter is made once and stays */
    EQ_INT(count_fds(), fds + 1);
    kg_proc_layers_text(KG_LAYER_USER | KG_LAYER_SECCOMP | KG_LAYER_CGROUP, &layers);
    EQ_STR(kg_buf_str(&layers), "user,seccomp,cgroup");
    kg_buf_release(&layers);
    return tap_done();
}
