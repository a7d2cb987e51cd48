/* The native runner from the judge's side: real workers, shared objects made by the C compiler. */
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"
#include "tap.h"
#include "worker/slotmem.h"
#include "worker/wire.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *dir, *program;
static char mark[64];
static const struct kg_sandbox sandbox = {.mode = KG_SANDBOX_AUTO};

struct bench {
    struct kg_wire w;
    struct kg_proc p;
    struct kg_buf out;
    struct kg_slotmem x, y, y2;
    union kg_wire_claim m;
};

static int count_marked(void)
{
    int n = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[300], text[4096];
        snprintf(path, sizeof path, "/proc/%s/environ", e->d_name);
        int fd = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? open(path, O_RDONLY) : -1;
        if (fd < 0)
            continue;
        ssize_t len = read(fd, text, sizeof text);
        n += len > 0 && memmem(text, (size_t)len, mark, strlen(mark) + 1) != NULL;
        close(fd);
    }
    if (d)
        closedir(d);
    return n;
}

/* ---- building and starting ------------------------------------------------------------------ */

static int build(const char *name, const char *suffix, const char *body)
{
    char *src = kg_mem_printf("%s/%s.%s", dir, name, suffix);
    char *so = kg_mem_printf("%s/%s.so", dir, name);
    char *cc = kg_fs_which(strcmp(suffix, "c") ? "c++" : "cc");
    OK(cc && !kg_fs_write(src, body, strlen(body), 0644, NULL));
    const char *argv[] = {cc, "-shared", "-fPIC", "-O1", "-w", "-pthread", "-o", so, src, NULL};
    char *path = kg_mem_printf("PATH=%s", getenv("PATH"));
    const char *envp[] = {path, NULL};
    struct kg_buf log;
    kg_buf_init(&log, 4096);
    struct kg_proc_spec spec = {.argv = argv, .envp = envp, .stdin_fd = -1, .output = &log};
    struct kg_proc_end end = {0};
    int rc = kg_proc_run(&spec, 60, &end, NULL);
    if (rc || end.status)
        printf("# %s\n", kg_buf_str(&log));
    OK(!rc && end.how == KG_PROC_EXITED && !end.status);
    int fd = open(so, O_RDONLY | O_CLOEXEC);
    kg_buf_release(&log);
    free(path);
    free(cc);
    free(so);
    free(src);
    return fd;
}

static void start(struct bench *b)
{
    int fds[2];
    memset(b, 0, sizeof *b);
    kg_buf_init(&b->out, 65536);
    OK(!kg_wire_pair(fds, NULL));
    const char *argv[] = {program, NULL}, *envp[] = {mark, NULL};
    struct kg_proc_spec spec = {.argv = argv,
                                .envp = envp,
                                .fds = &fds[1],
                                .n_fds = 1,
                                .stdin_fd = -1,
                                .output = &b->out,
                                .sandbox = &sandbox,
                                .limits = {.nproc = 64, .nofile = 64, .file_bytes = 1 << 20}};
    struct kg_error err = KG_ERROR_INIT;
    int rc = kg_proc_spawn(&spec, &b->p, &err);
    EQ_INT(rc, 0);
    if (rc)
        printf("# %s\n", err.text);
    close(fds[1]);
    kg_wire_init(&b->w, fds[0]);
}

static void stop(struct bench *b)
{
    kg_proc_kill(&b->p);
    kg_wire_close(&b->w);
    kg_slotmem_release(&b->x);
    kg_slotmem_release(&b->y);
    kg_slotmem_release(&b->y2);
    kg_buf_release(&b->out);
    EQ_INT(count_marked(), 0);
}

/* What dies behind our back takes a moment. */
static void await_none(void)
{
    double until = kg_clock_now() + 20;
    while (count_marked() && kg_clock_now() < until)
        usleep(2000);
    EQ_INT(count_marked(), 0);
}

/* The next DONE or FAULT. */
static enum kg_wire_event answer(struct bench *b, double seconds)
{
    enum kg_wire_event e;
    do
        e = kg_wire_claim(&b->w, &b->p, &b->m, seconds);
    while (e == KG_WIRE_GOT && b->m.head.type == KG_WIRE_LAUNCHED);
    return e;
}

/* f(const float *x, float *y, int n, double s) */
static uint32_t load_entries(struct bench *b, int fd, const char *const *entries, bool ints)
{
    static union kg_wire_order m;
    memset(&m, 0, sizeof m);
    m.head.type = KG_WIRE_LOAD;
    m.load.version = KG_WIRE_VERSION;
    m.load.kind = KG_WORKER_HOST;
    m.load.threads = 1;
    for (; entries[m.load.n_entries]; m.load.n_entries++) {
        struct kg_wire_entry *e = &m.load.entry[m.load.n_entries];
        snprintf(e->name, sizeof e->name, "%s", entries[m.load.n_entries]);
        e->kind = ints && m.load.n_entries ? KG_ENTRY_INT : KG_ENTRY_VOID;
    }
    m.load.n_args = 4;
    m.load.arg[0] = (struct kg_wire_arg){.kind = KG_WIRE_SLOT, .read_only = 1, .bytes = 4000};
    m.load.arg[1] = (struct kg_wire_arg){.kind = KG_WIRE_SLOT, .bytes = 4000};
    m.load.arg[2] = (struct kg_wire_arg){.kind = KG_WIRE_SCALAR, .bytes = 4};
    m.load.arg[3] = (struct kg_wire_arg){.kind = KG_WIRE_SCALAR, .bytes = 8};
    EQ_INT(kg_wire_order(&b->w, &m, &fd, fd >= 0, 5, NULL), 0);
    return answer(b, 20) == KG_WIRE_GOT ? b->m.done.status : UINT32_MAX;
}

static uint32_t load(struct bench *b, int fd)
{
    static const char *const entries[] = {"kg_call", NULL};
    return load_entries(b, fd, entries, false);
}

static uint32_t lend(struct bench *b, uint8_t set, struct kg_slotmem *y)
{
    static union kg_wire_order m;
    int fds[2] = {b->x.fd, y->fd};
    memset(&m, 0, sizeof m);
    m.head.type = KG_WIRE_LEND;
    m.slots.n = 2;
    m.slots.slot[0] = (struct kg_wire_slot){
        .set = set, .arg = 0, .read_only = 1, .file_bytes = b->x.bytes, .offset = b->x.offset};
    m.slots.slot[1] =
        (struct kg_wire_slot){.set = set, .arg = 1, .file_bytes = y->bytes, .offset = y->offset};
    EQ_INT(kg_wire_order(&b->w, &m, fds, 2, 5, NULL), 0);
    return answer(b, 20) == KG_WIRE_GOT ? b->m.done.status : UINT32_MAX;
}

static void make_slots(struct bench *b)
{
    EQ_INT(kg_slotmem_make(&b->x, 4000, true, NULL), 0);
    EQ_INT(kg_slotmem_make(&b->y, 4000, false, NULL), 0);
    EQ_INT(kg_slotmem_make(&b->y2, 4000, false, NULL), 0);
    for (int i = 0; i < 1000; i++)
        ((float *)kg_slotmem_payload(&b->x))[i] = (float)i;
}

static enum kg_wire_event go(struct bench *b, uint32_t set, uint32_t entry, double seconds)
{
    static union kg_wire_order m;
    double s = 0.5;
    memset(&m, 0, sizeof m);
    m.head.type = KG_WIRE_GO;
    m.go.set = set;
    m.go.entry = entry;
    m.go.scalar[2] = 1000;
    memcpy(&m.go.scalar[3], &s, sizeof s);
    EQ_INT(kg_wire_order(&b->w, &m, NULL, 0, 5, NULL), 0);
    return answer(b, seconds);
}

static void ready(struct bench *b, int fd)
{
    start(b);
    EQ_INT(load(b, fd), KG_DONE_OK);
    make_slots(b);
    EQ_INT(lend(b, 0, &b->y), KG_DONE_OK);
}

#define HEAD                                                                                       \
    "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <errno.h>\n"           \
    "#include <signal.h>\n#include <string.h>\n#include <sys/socket.h>\n"                          \
    "#define X (*(const float **)a[0])\n#define Y (*(float **)a[1])\n"                             \
    "#define N (*(int *)a[2])\n#define S (*(double *)a[3])\n"
#define CALL "void kg_call(void **a)\n"

/* ---- calls ---------------------------------------------------------------------------------- */

static void test_calls(void)
{
    struct bench b;
    int fd = build("calls", "c",
                   HEAD CALL "{ for (int i = 0; i < N; i++) Y[i] = X[i] * S; puts(\"called\"); }\n"
                             "int kg_check(void **a) { return N - 993; }\n");
    static const char *const entries[] = {"kg_call", "kg_check", "kg_init_x", NULL};
    start(&b);
    EQ_INT(load_entries(&b, fd, entries, true), KG_DONE_OK);
    make_slots(&b);
    EQ_INT(lend(&b, 0, &b.y), KG_DONE_OK);
    EQ_INT(lend(&b, 1, &b.y2), KG_DONE_OK);
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.m.done.status, KG_DONE_OK);
    OK(b.m.done.end_s >= b.m.done.start_s);
    NEAR(((float *)kg_slotmem_payload(&b.y))[999], 499.5, 0);
    NEAR(((float *)kg_slotmem_payload(&b.y2))[999], 0, 0);
    ((float *)kg_slotmem_payload(&b.x))[999] = 8; /* the next call sees new content */
    EQ_INT(go(&b, 1, 0, 10), KG_WIRE_GOT);
    NEAR(((float *)kg_slotmem_payload(&b.y2))[999], 4, 0);
    EQ_INT(go(&b, 0, 1, 10), KG_WIRE_GOT);
    EQ_INT(b.m.done.result, 7);
    EQ_INT(go(&b, 0, 2, 10), KG_WIRE_GOT);
    EQ_INT(b.m.done.status, KG_DONE_ENTRY);
    HAS(b.m.done.text, "kg_init_x");
    EQ_INT(go(&b, 2, 0, 10), KG_WIRE_GOT); /* nothing lent there */
    EQ_INT(b.m.done.status, KG_DONE_WORKER);
    EQ_INT(load_entries(&b, -1, entries, true), KG_DONE_OK); /* another size: slots are gone */
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.m.done.status, KG_DONE_WORKER);
    EQ_INT(lend(&b, 0, &b.y), KG_DONE_OK);
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.m.done.status, KG_DONE_OK);
    EQ_INT(load(&b, fd), KG_DONE_WORKER); /* a worker is for one artifact */
    union kg_wire_order quit;
    memset(&quit, 0, sizeof quit);
    quit.head.type = KG_WIRE_QUIT;
    EQ_INT(kg_wire_order(&b.w, &quit, NULL, 0, 5, NULL), 0);
    EQ_INT(kg_wire_claim(&b.w, &b.p, &b.m, 10), KG_WIRE_ENDED);
    EQ_INT(kg_proc_wait(&b.p, 10), 1);
    EQ_INT(b.p.end.how, KG_PROC_EXITED);
    EQ_INT(b.p.end.status, 0);
    EQ_STR(kg_buf_str(&b.out), "called\ncalled\ncalled\n");
    EQ_INT(b.w.rubbish, 0);
    close(fd);
    stop(&b);
}

static void test_load_errors(void)
{
    struct bench b;
    int fd = build("noentry", "c", "void solve(void) {}\n");
    start(&b);
    EQ_INT(load(&b, fd), KG_DONE_ENTRY);
    HAS(b.m.done.text, "kg_call");
    stop(&b);
    close(fd);
    fd = build("unresolved", "c", "void nowhere(void); void kg_call(void **a) { nowhere(); }\n");
    start(&b);
    EQ_INT(load(&b, fd), KG_DONE_LOAD);
    HAS(b.m.done.text, "nowhere");
    stop(&b);
    close(fd);
    fd = open(program, O_RDONLY | O_CLOEXEC); /* a program, not a shared object */
    start(&b);
    EQ_INT(load(&b, fd), KG_DONE_LOAD);
    OK(strlen(b.m.done.text) > 5);
    stop(&b);
    close(fd);
}

/* An artifact that only its owner may open is loaded all the same: it was handed over open. */
static void test_private_artifact(void)
{
    struct bench b;
    int fd = build("private", "c", HEAD CALL "{ Y[0] = 5; }\n");
    fchmod(fd, 0600);
    ready(&b, fd);
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    NEAR(((float *)kg_slotmem_payload(&b.y))[0], 5, 0);
    stop(&b);
    close(fd);
}

static void test_exceptions(void)
{
    struct bench b;
    int fd = build("throws", "cc",
                   "#include <stdexcept>\n#include <new>\n"
                   "static int n;\nextern \"C\" void kg_call(void **a)\n{\n"
                   "    switch (n++) {\n"
                   "    case 0: throw std::runtime_error(\"nothing works\");\n"
                   "    case 1: throw std::bad_alloc();\n    case 2: throw 7;\n    }\n}\n");
    ready(&b, fd);
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.m.done.status, KG_DONE_EXCEPTION);
    HAS(b.m.done.text, "nothing works");
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.m.done.status, KG_DONE_OOM);
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.m.done.status, KG_DONE_EXCEPTION);
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.m.done.status, KG_DONE_OK);
    stop(&b);
    close(fd);
}

/* ---- faults --------------------------------------------------------------------------------- */

static void fault(const char *name, const char *body, int signo, int arg, int64_t offset)
{
    struct bench b;
    char *src = kg_mem_printf("%s%s%s", HEAD, CALL, body);
    int fd = build(name, "c", src);
    ready(&b, fd);
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.m.head.type, KG_WIRE_FAULT);
    EQ_INT(b.m.fault.signo, signo);
    EQ_INT(b.m.fault.arg, arg);
    if (arg >= 0) {
        EQ_INT(b.m.fault.offset, offset);
        EQ_INT(b.m.fault.read_only, arg == 0);
    }
    EQ_INT(kg_wire_claim(&b.w, &b.p, &b.m, 10), KG_WIRE_ENDED);
    EQ_INT(kg_proc_wait(&b.p, 10), 1);
    EQ_INT(b.p.end.how, KG_PROC_SIGNALED);
    EQ_INT(b.p.end.status, signo);
    stop(&b);
    close(fd);
    free(src);
}

static void test_faults(void)
{
    fault("null", "{ *(volatile int *)8 = 1; }\n", SIGSEGV, -1, 0);
    fault("input", "{ ((volatile float *)X)[3] = 1; }\n", SIGSEGV, 0, 12);
    fault("beyond", "{ for (int i = 0; ; i++) ((volatile float *)Y)[i] = 1; }\n", SIGSEGV, 1, 8192);
    fault("aborts", "{ abort(); }\n", SIGABRT, -1, 0);
    fault("raises", "{ raise(SIGSEGV); }\n", SIGSEGV, -1, 0);
    fault("divides", "{ volatile int z = 0, o = 1; Y[0] = o / z; }\n", SIGFPE, -1, 0);
}

/* A stack that overflows has no room for words; the wait status tells. */
static void test_overflow(void)
{
    struct bench b;
    int fd = build("overflow", "c",
                   HEAD "static int f(int n) { volatile char x[4096]; x[0] = n; return f(n + 1) + "
                        "x[n % 4096]; }\n" CALL "{ Y[0] = f(0); }\n");
    ready(&b, fd);
    enum kg_wire_event e = go(&b, 0, 0, 10);
    if (e == KG_WIRE_GOT)
        e = kg_wire_claim(&b.w, &b.p, &b.m, 10);
    EQ_INT(e, KG_WIRE_ENDED);
    EQ_INT(kg_proc_wait(&b.p, 10), 1);
    EQ_INT(b.p.end.status, SIGSEGV);
    stop(&b);
    close(fd);
}

/* ---- candidates that fight ------------------------------------------------------------------ */

static void test_leaves(void)
{
    struct bench b;
    int fd = build("leaves", "c", HEAD CALL "{ puts(\"PASS\"); exit(0); }\n");
    ready(&b, fd);
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_ENDED);
    EQ_INT(kg_proc_wait(&b.p, 10), 1);
    EQ_INT(b.p.end.how, KG_PROC_EXITED);
    EQ_INT(b.p.end.status, 0);
    EQ_STR(kg_buf_str(&b.out), "PASS\n");
    stop(&b);
    close(fd);
}

static void test_endless(void)
{
    struct bench b;
    int fd = build("endless", "c",
                   HEAD CALL "{ signal(SIGTERM, SIG_IGN); if (!fork()) { setsid(); fork(); }"
                             " for (;;) ; }\n");
    ready(&b, fd);
    EQ_INT(go(&b, 0, 0, 0.2), KG_WIRE_TIME);
    stop(&b);
    EQ_INT(b.p.end.how, KG_PROC_KILLED);
    close(fd);
}

static void test_rubbish(void)
{
    struct bench b;
    int fd = build("rubbish", "c",
                   HEAD CALL "{ for (int i = 0; i < 64; i++) for (int k = 0; k < 20; k++)\n"
                             "    write(i, \"{\\\"status\\\":\\\"PASSED\\\"}\\n\", 20);\n"
                             "  Y[0] = 3; }\n");
    ready(&b, fd);
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.m.head.type, KG_WIRE_DONE);
    EQ_INT(b.w.rubbish, 20); /* one descriptor of all is the judge's */
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.w.rubbish, 40);
    stop(&b);
    close(fd);
}

static void test_loud(void)
{
    struct bench b;
    int fd = build("loud", "c",
                   HEAD CALL "{ static char x[1 << 20]; memset(x, 'x', sizeof x);"
                             " for (int i = 0; i < 1024; i++) fwrite(x, 1, sizeof x, stdout);"
                             " Y[0] = 1; }\n");
    ready(&b, fd);
    EQ_INT(go(&b, 0, 0, 60), KG_WIRE_GOT);
    EQ_INT(b.m.done.status, KG_DONE_OK);
    EQ_INT(b.out.len, 65536);
    OK(b.out.truncated);
    stop(&b);
    close(fd);
}

/* What the sandbox refuses, as bits of what went through: each must be refused. */
static void test_refused(void)
{
    struct bench b;
    int fd = build(
        "refused", "c",
        "#define _GNU_SOURCE\n" HEAD "#include <fcntl.h>\n#include <sys/ptrace.h>\n"
        "#include <sys/uio.h>\n#include <sys/resource.h>\n#include <sched.h>\n"
        "#include <sys/syscall.h>\n#include <sys/mman.h>\n"
        "static int n;\n#define TRY(x) Y[n++] = (x) >= 0\n" CALL "{ n = 0;\n"
        "  TRY(socket(AF_INET, SOCK_STREAM, 0));\n  TRY(socket(AF_NETLINK, SOCK_RAW, 0));\n"
        "  TRY(ptrace(PTRACE_TRACEME, 0, 0, 0));\n  TRY(unshare(CLONE_NEWUSER));\n"
        "  TRY(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));\n"
        "  TRY(syscall(SYS_bpf, 0, 0, 0));\n  TRY(syscall(SYS_perf_event_open, 0, 0, -1, -1, 0));\n"
        "  TRY(syscall(SYS_userfaultfd, 0));\n  TRY(syscall(SYS_keyctl, 0, -3, 0));\n"
        "  TRY(syscall(SYS_io_uring_setup, 1, 0));\n"
        "  struct rlimit r = {0, 0}; TRY(prlimit(1, RLIMIT_CPU, &r, 0));\n"
        "  TRY(open(\"/etc/kg-test\", O_CREAT | O_WRONLY, 0644));\n"
        "  TRY(open(\"/proc/1/mem\", O_RDWR));\n  TRY(open(\"/etc/shadow\", O_RDONLY));\n"
        "  TRY(execl(\"/bin/true\", \"true\", (char *)0));\n  TRY(setuid(0));\n"
        "  TRY(mount(\"none\", \"/tmp\", \"tmpfs\", 0, 0));\n  TRY(chroot(\"/tmp\"));\n"
        "  for (int i = 0; i < 3; i++) TRY(ftruncate(4 + i, 0));\n"
        "  TRY(mprotect((void *)((unsigned long)X & -4096ul), 4096, PROT_READ | PROT_WRITE));\n"
        "  kill(-1, SIGKILL); kill(1, SIGKILL); kill(getppid(), SIGKILL);\n"
        "  Y[n++] = 1; Y[n++] = socket(AF_UNIX, SOCK_STREAM, 0) >= 0;\n"
        "  Y[n++] = open(\"/tmp/kg-test\", O_CREAT | O_WRONLY, 0644) >= 0;\n"
        "  Y[n++] = fork() >= 0; }\n");
    ready(&b, fd);
    for (int i = 0; i < 100; i++)
        ((float *)kg_slotmem_payload(&b.y))[i] = -1;
    EQ_INT(go(&b, 0, 0, 10), KG_WIRE_GOT);
    EQ_INT(b.m.head.type, KG_WIRE_DONE);
    const float *y = (const float *)kg_slotmem_payload(&b.y);
    for (int i = 0; i < 22; i++) {
        EQ_INT(y[i], 0);
        if (y[i] != 0)
            printf("# attempt %d\n", i);
    }
    for (int i = 22; i < 26; i++)
        EQ_INT(y[i], 1);
    EQ_INT(y[26], -1);
    struct kg_buf tried = KG_BUF_INIT;
    kg_proc_drain(&b.p);
    kg_proc_denied_text(&b.p, &tried); /* told by process 1, not by the candidate */
    HAS(kg_buf_str(&tried), "socket, ptrace, unshare");
    kg_buf_release(&tried);
    stop(&b);
    close(fd);
}

static void test_fork_bomb(void)
{
    struct bench b;
    int fd = build("bomb", "c", HEAD CALL "{ for (;;) fork(); }\n");
    ready(&b, fd);
    go(&b, 0, 0, 0.5);
    stop(&b);
    close(fd);
}

/* ---- deaths at any moment ------------------------------------------------------------------- */

static int judge_with_worker(int fd, int ready_fd)
{
    struct bench b;
    ready(&b, fd);
    go(&b, 0, 0, 0.05);
    if (write(ready_fd, "", 1) != 1)
        return 1;
    for (;;)
        go(&b, 0, 0, 0.05);
}

static void test_judge_killed(void)
{
    int p[2];
    int fd = build("sleeps", "c",
                   HEAD CALL "{ signal(SIGHUP, SIG_IGN); fork(); setsid(); fork();"
                             " for (;;) pause(); }\n");
    OK(!pipe2(p, O_CLOEXEC));
    fflush(stdout);
    pid_t judge = fork();
    if (!judge) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        _exit(judge_with_worker(fd, p[1]));
    }
    char c;
    EQ_INT(read(p[0], &c, 1), 1);
    OK(count_marked() > 0);
    kill(judge, SIGKILL);
    waitpid(judge, NULL, 0);
    await_none();
    close(p[0]);
    close(p[1]);
    close(fd);
}

static void test_worker_killed(void)
{
    int fd = build("kills", "c", HEAD CALL "{ Y[0] = 1; usleep(1000); }\n");
    for (int i = 0; i < 12; i++) {
        struct bench b;
        ready(&b, fd);
        if (i % 3)
            go(&b, 0, 0, i * 0.0004);
        if (i % 2) {
            kill(b.p.pid, SIGKILL);
            await_none();
        }
        stop(&b);
    }
    close(fd);
}

int main(void)
{
    struct kg_error err = KG_ERROR_INIT;
    snprintf(mark, sizeof mark, "KG_TEST_MARK=%d", (int)getpid());
    dir = kg_fs_tempdir("kg-native", &err);
    program = kg_fs_libexec("kg-worker", &err);
    if (!dir || !program) {
        printf("Bail out! %s\n", err.text);
        return 1;
    }
    test_calls();
    test_load_errors();
    test_private_artifact();
    test_exceptions();
    test_faults();
    test_overflow();
    test_leaves();
    test_endless();
    test_rubbish();
    test_loud();
    test_refused();
    test_fork_bomb();
    test_judge_killed();
    test_worker_killed();
    kg_fs_remove_tree(dir);
    free(dir);
    free(program);
    return tap_done();
}
