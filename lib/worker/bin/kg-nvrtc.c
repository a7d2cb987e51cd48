/*
 * kg-nvrtc LIBRARY: compiles bare kernels for whoever holds the other end of descriptor 3
 * (compile/nvrtc_wire.h). The library is opened and warmed once; every source is compiled in a
 * forked child, so that a crash, a runaway compile or a damaged heap ends with that source and the
 * next one costs 2 ms for the fork instead of 50 ms for a new process.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/msg.h"
#include "compile/nvrtc_wire.h"
#include "device/nvrtc.h"

#define REQUEST_MAX ((uint64_t)512 << 20)

/* 1: all n bytes, 0: the other side is gone before the first, -1: in between. */
static int read_all(void *data, size_t n)
{
    size_t got = 0;
    while (got < n) {
        ssize_t r = read(KG_NVRTC_FD, (char *)data + got, n - got);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            return got ? -1 : 0;
        got += (size_t)r;
    }
    return 1;
}

static int reply(enum kg_nvrtc_status status, int sig, const struct kg_buf *cubin,
                 const struct kg_buf *log, const struct kg_buf *symbol)
{
    struct kg_nvrtc_reply head = {.magic = KG_NVRTC_MAGIC,
                                  .status = (int32_t)status,
                                  .signal = sig,
                                  .cubin_bytes = cubin ? cubin->len : 0,
                                  .log_bytes = log ? log->len : 0,
                                  .symbol_bytes = symbol ? symbol->len : 0};
    if (kg_fs_write_all(KG_NVRTC_FD, &head, sizeof head) ||
        (cubin && kg_fs_write_all(KG_NVRTC_FD, cubin->data, cubin->len)) ||
        (log && kg_fs_write_all(KG_NVRTC_FD, log->data, log->len)) ||
        (symbol && kg_fs_write_all(KG_NVRTC_FD, symbol->data, symbol->len)))
        return -1;
    return 0;
}

static int reply_error(const struct kg_error *err)
{
    struct kg_buf log = KG_BUF_INIT;
    kg_buf_adds(&log, err->text);
    int r = reply(KG_NVRTC_FAILED, 0, NULL, &log, NULL);
    kg_buf_release(&log);
    return r;
}

/* In the child: compile, answer, leave. */
static int compile(const struct kg_nvrtc_source *s, uint64_t address_bytes)
{
    struct kg_buf cubin, log, symbol;
    struct kg_error err = KG_ERROR_INIT;
    bool ok = false;
    if (address_bytes) {
        struct rlimit limit = {.rlim_cur = address_bytes, .rlim_max = address_bytes};
        setrlimit(RLIMIT_AS, &limit); /* without it the caller's time limit is what is left */
    }
    kg_buf_init(&cubin, KG_NVRTC_CUBIN_MAX);
    kg_buf_init(&log, KG_NVRTC_LOG_MAX);
    kg_buf_init(&symbol, KG_NVRTC_NAME_MAX);
    if (kg_nvrtc_compile(s, &ok, &cubin, &log, &symbol, &err))
        return reply_error(&err);
    return reply(ok ? KG_NVRTC_BUILT : KG_NVRTC_REFUSED, 0, ok ? &cubin : NULL, &log,
                 ok ? &symbol : NULL);
}

static int compile_in_child(const struct kg_nvrtc_source *s, uint64_t address_bytes)
{
    int status = 0;
    pid_t pid = fork();
    if (pid < 0) {
        struct kg_error err = KG_ERROR_INIT;
        kg_error_errno(&err, KG_E_SYSTEM, "cannot fork");
        return reply_error(&err);
    }
    if (pid == 0)
        _exit(compile(s, address_bytes) ? 1 : 0);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0; /* the child has answered */
    return reply(KG_NVRTC_CRASHED, WIFSIGNALED(status) ? WTERMSIG(status) : 0, NULL, NULL, NULL);
}

/* Splits the bytes after a request's head; false when they are not what the head says. */
static bool split(const struct kg_nvrtc_request *q, char *body, struct kg_nvrtc_source *s)
{
    char *kernel = body + q->text_bytes, *option = kernel + q->kernel_bytes;
    char *end = option + q->option_bytes;
    const char **options = kg_mem_array(q->n_options + 1, sizeof *options);
    s->text = body;
    s->file = "candidate.cu";
    s->kernel = q->kernel_bytes ? kernel : NULL;
    s->options = options;
    for (uint32_t i = 0; i < q->n_options; i++) {
        char *nul = memchr(option, 0, (size_t)(end - option));
        if (!nul)
            return false;
        options[s->n_options++] = option;
        option = nul + 1;
    }
    return q->text_bytes && !kernel[-1] && (!q->kernel_bytes || !kernel[q->kernel_bytes - 1]);
}

static int serve_one(void)
{
    struct kg_nvrtc_request q;
    if (read_all(&q, sizeof q) != 1)
        return -1;
    if (q.magic != KG_NVRTC_MAGIC || q.n_options > 256 || q.text_bytes > REQUEST_MAX ||
        q.kernel_bytes > REQUEST_MAX || q.option_bytes > REQUEST_MAX)
        return -1;
    size_t n = (size_t)(q.text_bytes + q.kernel_bytes + q.option_bytes);
    char *body = kg_mem_alloc(n + 1);
    struct kg_nvrtc_source s = {0};
    int r = -1;
    if (read_all(body, n) == 1 && split(&q, body, &s))
        r = compile_in_child(&s, q.address_bytes);
    free((void *)s.options);
    free(body);
    return r;
}

/* The first compile of a process reads NVRTC's built-in tables; children then have them. */
static void warm_up(void)
{
    static const char *const options[] = {"--gpu-architecture=sm_90"};
    struct kg_nvrtc_source s = {.text = "__global__ void k(float *x) { *x = 1; }",
                                .file = "warm.cu",
                                .options = options,
                                .n_options = 1};
    struct kg_buf cubin = KG_BUF_INIT, log = KG_BUF_INIT, symbol = KG_BUF_INIT;
    bool ok;
    kg_nvrtc_compile(&s, &ok, &cubin, &log, &symbol, NULL); /* only its side effect is wanted */
    kg_buf_release(&cubin);
    kg_buf_release(&log);
    kg_buf_release(&symbol);
}

int main(int argc, char **argv)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_buf version = KG_BUF_INIT;
    int major, minor;
    kg_msg_init(argv[0]);
    if (argc != 2) {
        kg_msg_error("usage: kg-nvrtc LIBRARY, with a socket as descriptor %d", KG_NVRTC_FD);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN); /* a caller that is gone shows as a failed write */
    if (kg_nvrtc_open(argv[1], &err))
        return reply_error(&err) ? 5 : 3;
    warm_up();
    kg_nvrtc_version(&major, &minor);
    kg_buf_addf(&version, "%d.%d", major, minor);
    int r = reply(KG_NVRTC_BUILT, 0, NULL, &version, NULL);
    kg_buf_release(&version);
    while (r == 0)
        r = serve_one();
    return 0;
}
