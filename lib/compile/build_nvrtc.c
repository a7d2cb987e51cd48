/*
 * Bare kernels: a pool of kg-nvrtc processes (compile/nvrtc_wire.h). One is taken for a compile and
 * put back afterwards; one that is over its time, or answers nonsense, is ended and forgotten.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"
#include "compile/build.h"
#include "compile/nvrtc_wire.h"
#include "record/loop.h"

#define STOP_S  0.1 /* how soon a compile ends when the program is told to */
#define START_S 30  /* for opening and warming the library */

struct helper {
    struct helper *next;
    struct kg_proc proc;
    int fd;
    char *setting; /* library, sandbox and hidden folders: it serves only the same */
};

#define IDLE_MAX 64 /* beyond it a helper ends instead of waiting for work */

static struct helper *idle;
static int n_idle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void end_helper(struct helper *h)
{
    close(h->fd);
    kg_proc_kill(&h->proc);
    free(h->setting);
    free(h);
}

/* 0; -1 with errno: ETIMEDOUT at the deadline, EPIPE when the other side is gone. */
static int transfer(int fd, void *data, size_t n, bool out, double deadline)
{
    char *p = data;
    while (n) {
        ssize_t r =
            out ? send(fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT) : recv(fd, p, n, MSG_DONTWAIT);
        if (r > 0) {
            p += r;
            n -= (size_t)r;
            continue;
        }
        if (r == 0) {
            errno = EPIPE;
            return -1;
        }
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN)
            return -1;
        double left = deadline - kg_clock_now();
        if (left <= 0 || kg_loop_stopping()) {
            errno = left <= 0 ? ETIMEDOUT : EINTR;
            return -1;
        }
        struct pollfd pf = {.fd = fd, .events = out ? POLLOUT : POLLIN};
        poll(&pf, 1, left > STOP_S ? (int)(STOP_S * 1000) : (int)(left * 1000) + 1);
    }
    return 0;
}

static int receive_bytes(int fd, uint64_t n, uint64_t max, struct kg_buf *b, double deadline)
{
    char *room = n <= max ? kg_buf_reserve(b, (size_t)n) : NULL;
    if (!room) {
        errno = EPROTO;
        return -1;
    }
    if (transfer(fd, room, (size_t)n, false, deadline))
        return -1;
    b->len += (size_t)n;
    b->data[b->len] = 0;
    return 0;
}

static int receive_reply(int fd, struct kg_nvrtc_reply *r, struct kg_buf *cubin, struct kg_buf *log,
                         struct kg_buf *symbol, double deadline)
{
    if (transfer(fd, r, sizeof *r, false, deadline))
        return -1;
    if (r->magic != KG_NVRTC_MAGIC) {
        errno = EPROTO;
        return -1;
    }
    if (receive_bytes(fd, r->cubin_bytes, KG_NVRTC_CUBIN_MAX, cubin, deadline) ||
        receive_bytes(fd, r->log_bytes, KG_NVRTC_LOG_MAX, log, deadline) ||
        receive_bytes(fd, r->symbol_bytes, KG_NVRTC_NAME_MAX, symbol, deadline))
        return -1;
    return 0;
}

static int greet(struct helper *h, struct kg_error *err)
{
    struct kg_nvrtc_reply r;
    struct kg_buf cubin = KG_BUF_INIT, log = KG_BUF_INIT, symbol = KG_BUF_INIT;
    int bad = 0;
    if (receive_reply(h->fd, &r, &cubin, &log, &symbol, kg_clock_now() + START_S))
        bad = kg_error_errno(err, KG_E_SYSTEM, "'kg-nvrtc' does not start");
    else if (r.status != KG_NVRTC_BUILT)
        bad = kg_error_set(err, KG_E_MISSING, "%s", kg_buf_str(&log));
    kg_buf_release(&cubin);
    kg_buf_release(&log);
    kg_buf_release(&symbol);
    return bad;
}

static int spawn(const struct kg_build *b, const char *path, struct helper *h, struct kg_error *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return kg_error_errno(err, KG_E_SYSTEM, "cannot make a socket pair");
    const char *argv[] = {path, b->program, NULL};
    struct kg_sandbox box = {.mode = b->opts->sandbox,
                             .readable = b->readable,
                             .hidden = b->hidden[0] ? b->hidden : NULL};
    struct kg_proc_spec spec = {.argv = argv,
                                .fds = &pair[1],
                                .n_fds = 1,
                                .stdin_fd = -1,
                                .sandbox = b->opts->sandbox == KG_SANDBOX_OFF ? NULL : &box};
    int r = kg_proc_spawn(&spec, &h->proc, err);
    close(pair[1]);
    h->fd = pair[0];
    if (r)
        close(pair[0]);
    return r;
}

static char *setting_of(const struct kg_build *b)
{
    struct kg_buf s = KG_BUF_INIT;
    kg_buf_addf(&s, "%s %d", b->program, (int)b->opts->sandbox);
    for (size_t i = 0; b->hidden[i]; i++)
        kg_buf_addf(&s, " %s", b->hidden[i]);
    return kg_buf_take(&s);
}

static struct helper *new_helper(const struct kg_build *b, struct kg_error *err)
{
    char *path = kg_fs_libexec("kg-nvrtc", err);
    struct helper *h = path ? kg_mem_zalloc(sizeof *h) : NULL;
    if (h && spawn(b, path, h, err)) {
        free(h);
        h = NULL;
    }
    free(path);
    if (!h)
        return NULL;
    h->setting = setting_of(b);
    if (greet(h, err)) {
        end_helper(h);
        return NULL;
    }
    return h;
}

static struct helper *take_idle(const struct kg_build *b)
{
    char *setting = setting_of(b);
    pthread_mutex_lock(&lock);
    struct helper **p = &idle, *h;
    while (*p && strcmp((*p)->setting, setting))
        p = &(*p)->next;
    h = *p;
    if (h) {
        *p = h->next;
        n_idle--;
    }
    pthread_mutex_unlock(&lock);
    free(setting);
    return h;
}

static void put_back(struct helper *h)
{
    pthread_mutex_lock(&lock);
    bool keep = n_idle < IDLE_MAX;
    if (keep) {
        h->next = idle;
        idle = h;
        n_idle++;
    }
    pthread_mutex_unlock(&lock);
    if (!keep)
        end_helper(h);
}

static int send_request(const struct kg_build *b, int fd, double deadline)
{
    const char *kernel = b->task->entry;
    struct kg_buf options = KG_BUF_INIT;
    for (size_t i = 0; i < b->n_args; i++)
        kg_buf_add(&options, b->args[i], strlen(b->args[i]) + 1);
    struct kg_nvrtc_request q = {.magic = KG_NVRTC_MAGIC,
                                 .n_options = (uint32_t)b->n_args,
                                 .text_bytes = b->text.len + 1,
                                 .kernel_bytes = strlen(kernel) + 1,
                                 .option_bytes = options.len};
#ifndef __SANITIZE_ADDRESS__ /* which needs terabytes of addresses */
    q.address_bytes = kg_build_memory();
#endif
    int r = transfer(fd, &q, sizeof q, true, deadline);
    if (!r)
        r = transfer(fd, b->text.data, b->text.len + 1, true, deadline);
    if (!r)
        r = transfer(fd, (char *)kernel, strlen(kernel) + 1, true, deadline);
    if (!r)
        r = transfer(fd, options.data, options.len, true, deadline);
    kg_buf_release(&options);
    return r;
}

static void judge_reply(struct kg_build *b, const struct kg_nvrtc_reply *r, struct kg_buf *log,
                        const struct kg_buf *symbol)
{
    struct kg_error err = KG_ERROR_INIT;
    kg_buf_add(&b->raw, log->data, log->len);
    switch (r->status) {
    case KG_NVRTC_BUILT:
        b->res->verdict = KG_PASSED;
        if (symbol->len >= sizeof b->res->entry) {
            kg_error_set(&err, KG_E_LIMIT, "a kernel symbol of %zu bytes", symbol->len);
            kg_build_fault(b, &err);
        } else {
            memcpy(b->res->entry, kg_buf_str(symbol), symbol->len + 1);
        }
        break;
    case KG_NVRTC_REFUSED:
        b->res->verdict = KG_COMPILE_ERROR;
        break;
    case KG_NVRTC_CRASHED:
        b->res->verdict = KG_COMPILE_ERROR;
        b->killed = r->signal == SIGKILL;
        kg_buf_addf(&b->raw, "NVRTC was ended by signal %d (%s)\n", (int)r->signal,
                    strsignal(r->signal));
        break;
    default:
        kg_error_set(&err, KG_E_SYSTEM, "NVRTC: %s", kg_buf_str(log));
        kg_build_fault(b, &err);
    }
}

/* true: answered (in whatever way); false: the helper was lost before it began to work. */
static bool ask(struct kg_build *b, struct helper *h, bool again)
{
    struct kg_nvrtc_reply r;
    struct kg_buf log, symbol;
    struct kg_error err = KG_ERROR_INIT;
    double deadline = kg_clock_now() + b->opts->timeout_s;
    kg_buf_init(&log, 0);
    kg_buf_init(&symbol, 0);
    bool lost = send_request(b, h->fd, deadline) ||
                receive_reply(h->fd, &r, &b->file, &log, &symbol, deadline);
    bool answered = true;
    b->res->layers = h->proc.layers;
    if (!lost) {
        judge_reply(b, &r, &log, &symbol);
        put_back(h);
    } else if (errno == ETIMEDOUT || errno == EINTR) {
        if (errno == ETIMEDOUT)
            kg_build_timed_out(b);
        else
            kg_build_interrupted(b);
        end_helper(h);
    } else {
        kg_error_errno(&err, KG_E_SYSTEM, "lost 'kg-nvrtc'");
        end_helper(h);
        answered = again;
        if (again)
            kg_build_fault(b, &err);
    }
    kg_buf_release(&log);
    kg_buf_release(&symbol);
    return answered;
}

static void build_once(struct kg_build *b)
{
    struct kg_error err = KG_ERROR_INIT;
    struct helper *h = take_idle(b);
    b->killed = false;
    /* an idle one may have ended meanwhile: once more with a new one */
    if (h && ask(b, h, false))
        return;
    kg_buf_reset(&b->file);
    h = new_helper(b, &err);
    if (!h)
        kg_build_fault(b, &err);
    else
        ask(b, h, true);
}

/* What was killed is tried once more, as in kg_build_by_program. NVRTC writes no files and starts
 * no programs, so that memory is all that the machine can lack. */
void kg_build_by_nvrtc(struct kg_build *b)
{
    struct kg_error sick = KG_ERROR_INIT;
    struct kg_machine m;
    kg_machine_before(&m);
    build_once(b);
    if (!b->killed || kg_loop_stopping())
        return;
    kg_buf_reset(&b->raw);
    kg_buf_reset(&b->file);
    build_once(b);
    if (!b->killed)
        return;
    b->transient = true;
    if (kg_machine_out_of_memory(&m, "NVRTC was killed", &sick))
        kg_build_fault(b, &sick);
}
