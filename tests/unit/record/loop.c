/* The record loop, run as a program is: in a process of its own, through pipes. */
#include "record/loop.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/msg.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum form { MAP, POOL, GROUP };

static struct kg_loop_opts o;
static char *dir;

/* ---- the program under test --------------------------------------------------------------- */

static int map(void *ctx, struct kg_record *r)
{
    const struct kg_value *x = kg_record_get(r, "x");
    if (x && x->type != KG_VALUE_NUMBER)
        kg_record_fault(r, "field 'x' must be a number, not %s", kg_value_type_name(x));
    if (kg_record_has(r, "verdict"))
        kg_record_set_verdict(r, KG_TIMEOUT, "late");
    kg_record_set_num(r, "y", kg_value_num(x, 0) + 1);
    return kg_value_num(x, 0) == 13 ? KG_LOOP_DROP : KG_LOOP_KEEP;
}

/* waits as many milliseconds as the record says */
static int work(void *ctx, void *thread, struct kg_record *r)
{
    double ms = kg_value_num(kg_record_get(r, "ms"), 0);
    struct timespec t = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(1e6 * fmod(ms, 1000))};
    nanosleep(&t, NULL);
    return map(ctx, r);
}

static double sums[64];

static void take(void *ctx, struct kg_record *r, const struct kg_row_key *key, size_t row)
{
    const struct kg_value *x = kg_record_get(r, "x");
    if (x && x->type != KG_VALUE_NUMBER)
        kg_record_fault(r, "field 'x' must be a number");
    else if (row < 64)
        sums[row] = kg_value_num(x, 0);
}

static int close_batch(void *ctx, size_t n, struct kg_error *err)
{
    if (n && sums[0] < 0)
        return kg_error_set(err, KG_E_INPUT, "x below 0");
    for (size_t i = 1; i < n && i < 64; i++)
        sums[0] += sums[i];
    return 0;
}

static int emit(void *ctx, size_t row, struct kg_edits *e)
{
    kg_edits_num(e, "advantage", sums[0]);
    kg_edits_int(e, "row", (int64_t)row);
    return KG_LOOP_KEEP;
}

static int program(enum form form)
{
    static const char *const own[] = {"advantage", "row", NULL};
    static const struct kg_pool_ops pool = {work, NULL, NULL};
    static const struct kg_group_ops group = {own, take, close_batch, emit, false, NULL};
    kg_msg_init("x");
    switch (form) {
    case MAP:
        return kg_loop_map(&o, map, NULL);
    case POOL:
        return kg_loop_pool(&o, &pool, NULL);
    default:
        return kg_loop_group(&o, &group, NULL);
    }
}

/* ---- running it --------------------------------------------------------------------------- */

static struct {
    pid_t pid;
    int in, out, err;
} p;
static struct kg_buf out, err;

static void start(enum form form)
{
    int in[2], from[2], errors[2];
    if (pipe(in) || pipe(from) || pipe(errors))
        abort();
    fflush(stdout);
    p.pid = fork();
    if (p.pid == 0) {
        dup2(in[0], 0);
        dup2(from[1], 1);
        dup2(errors[1], 2);
        int all[] = {in[0], in[1], from[0], from[1], errors[0], errors[1]};
        for (int i = 0; i < 6; i++)
            close(all[i]);
        signal(SIGINT, SIG_DFL); /* whoever started the tests in the background ignores it */
        exit(program(form));
    }
    close(in[0]);
    close(from[1]);
    close(errors[1]);
    p.in = in[1];
    p.out = from[0];
    p.err = errors[0];
    kg_buf_reset(&out);
    kg_buf_reset(&err);
}

static bool more(int *fd, struct kg_buf *b)
{
    ssize_t n = read(*fd, kg_buf_reserve(b, 65536), 65536);
    if (n > 0) {
        b->len += (size_t)n;
        b->data[b->len] = 0;
        return true;
    }
    close(*fd);
    *fd = -1;
    return false;
}

/* Feeds what is left of input while it reads; until the end, or until 'lines' lines have come. */
static void talk(const char *input, size_t len, int lines)
{
    int want = lines;
    while (p.out >= 0 || p.err >= 0) {
        if (!len && !lines && p.in >= 0) {
            close(p.in);
            p.in = -1;
        }
        struct pollfd f[3] = {{.fd = len ? p.in : -1, .events = POLLOUT},
                              {.fd = p.out, .events = POLLIN},
                              {.fd = p.err, .events = POLLIN}};
        if (poll(f, 3, 20000) <= 0) {
            OK(!"the program answers");
            kill(p.pid, SIGKILL);
            return;
        }
        if (f[0].revents) {
            ssize_t n = write(p.in, input, len < 4096 ? len : 4096);
            input += n > 0 ? n : 0;
            len = n > 0 ? len - (size_t)n : 0;
        }
        if (f[1].revents && more(&p.out, &out) && lines) {
            int got = 0;
            for (size_t i = 0; i < out.len; i++)
                got += out.data[i] == '\n';
            if (got >= want)
                return;
        }
        if (f[2].revents)
            more(&p.err, &err);
    }
}

static int finish(void)
{
    int status = 0;
    talk("", 0, 0);
    if (p.in >= 0)
        close(p.in);
    waitpid(p.pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int run(enum form form, const char *input)
{
    start(form);
    talk(input, strlen(input), 0);
    return finish();
}

#define FIELDS(message)                                                                            \
    "\"status\":\"BAD_RECORD\",\"error_code\":\"VALIDATION_ERROR\",\"error_message\":\"" message   \
    "\",\"compiled\":null,\"correctness\":null,\"decoy_kernel\":null,\"speedup\":null"
#define FAULT                                                                                       \
    "\"status\":\"JUDGE_FAULT\",\"error_code\":\"SYSTEM_ERROR\",\"error_message\":\"interrupted\"," \
    "\"compiled\":null,\"correctness\":null,\"decoy_kernel\":null,\"speedup\":null"

/* ---- the tests ---------------------------------------------------------------------------- */

static void test_lines(void)
{
    for (int form = MAP; form <= POOL; form++) {
        o = (struct kg_loop_opts){.jobs = 2};
        EQ_INT(run((enum form)form, ""), 0);
        EQ_STR(kg_buf_str(&out), "");
        EQ_INT(run((enum form)form, "\n  \n{\"x\":1}\r\n{\"x\" : 1.50, \"y\":\"\\u0000\", "
                                    "\"z\":123456789012345678901234567890}\n{\"x\":13}\n{ }"),
               0);
        EQ_STR(kg_buf_str(&out), "{\"x\":1,\"y\":2}\n{\"x\" : 1.50, \"y\":2.5, "
                                 "\"z\":123456789012345678901234567890}\n{ \"y\":1}\n");
        EQ_STR(kg_buf_str(&err), "");
    }
}

static void test_bad_input(void)
{
    char *rejects = kg_fs_join(dir, "rejects");
    for (int form = MAP; form <= POOL; form++) {
        struct kg_buf b = KG_BUF_INIT;
        o = (struct kg_loop_opts){.jobs = 1, .rejects = rejects};
        EQ_INT(run((enum form)form, "not json\n{\"x\":1}\n{\"x\":\"a\",\"id\":7,\"reward\":1}\n"
                                    "{\"x\":1,\"x\":2}\n[1]\n"),
               2);
        EQ_STR(kg_buf_str(&out),
               "{\"x\":1,\"y\":2}\n"
               "{\"x\":\"a\",\"id\":7,\"reward\":null," FIELDS(
                   "field 'x' must be a number, not a string") "}\n"
                                                               "{\"x\":1,\"x\":2," FIELDS(
                                                                   "duplicate key 'x'") "}\n");
        HAS(kg_buf_str(&err), "x: <stdin>:1: not a JSON object: byte 1: no value starts here\n");
        HAS(kg_buf_str(&err), "x: <stdin>:3: field 'x' must be a number, not a string\n");
        EQ_INT(kg_fs_read(rejects, &b, NULL), 0);
        EQ_STR(b.data, "not json\n[1]\n");
        kg_buf_release(&b);
    }
    free(rejects);
}

static void test_status(void)
{
    o = (struct kg_loop_opts){.fail = true};
    EQ_INT(run(MAP, "{\"x\":1}\n{\"status\":\"PASSED\"}\n"), 0);
    EQ_INT(run(MAP, "{\"x\":1}\n{\"verdict\":1}\n"), 1);
    EQ_INT(run(MAP, "{\"verdict\":1}\nx\n"), 2);
    char *files[] = {(char *)"/nonexistent/f", dir, NULL};
    o = (struct kg_loop_opts){.files = files, .n_files = 2};
    EQ_INT(run(MAP, ""), 2);
    HAS(kg_buf_str(&err), "x: cannot open '/nonexistent/f': No such file or directory\n");
    HAS(kg_buf_str(&err), "x: cannot read '");
}

static void test_coprocess(void)
{
    for (int form = MAP; form <= POOL; form++) {
        o = (struct kg_loop_opts){.jobs = 2};
        start((enum form)form);
        talk("{\"x\":1}\n{\"x\":2", 14, 1); /* the answer is there while the input stays open */
        EQ_STR(kg_buf_str(&out), "{\"x\":1,\"y\":2}\n");
        talk("}\n", 2, 2);
        EQ_STR(kg_buf_str(&out), "{\"x\":1,\"y\":2}\n{\"x\":2,\"y\":3}\n");
        EQ_INT(finish(), 0);
    }
}

static void test_order(void)
{
    const char *input = "{\"x\":1,\"ms\":300}\n{\"x\":2}\n{\"x\":3,\"ms\":20}\n{\"x\":4}\n";
    o = (struct kg_loop_opts){.jobs = 2};
    EQ_INT(run(POOL, input), 0);
    EQ_STR(kg_buf_str(&out), "{\"x\":1,\"ms\":300,\"y\":2}\n{\"x\":2,\"y\":3}\n"
                             "{\"x\":3,\"ms\":20,\"y\":4}\n{\"x\":4,\"y\":5}\n");
    o.unordered = true;
    EQ_INT(run(POOL, input), 0);
    EQ_INT(out.len, 73);
    HAS(kg_buf_str(&out), "{\"x\":1,\"ms\":300,\"y\":2}\n");
    HAS(kg_buf_str(&out), "{\"x\":4,\"y\":5}\n");
}

static void test_group(void)
{
    o = (struct kg_loop_opts){0};
    const char *input =
        "{\"uid\":7,\"traj\":0,\"x\":1}\n{\"uid\":\"7\",\"traj\":0,\"x\":2,\"row\" : 5 }\n"
        "{\"uid\":7,\"traj\":1,\"x\":4,\"advantage\":null}\n"
        "{\"uid\":7,\"traj\":0,\"turn\":1.0}\n{\"task_id\":\"t\",\"traj\":\"a\"}\n{}\n"
        "{\"uid\":7,\"traj\":2,\"x\":\"\"}\n{\"uid\":1.5}\n{\"uid\":7,\"turn\":0}\n";
    EQ_INT(run(GROUP, input), 2);
    EQ_STR(
        kg_buf_str(&out),
        "{\"uid\":7,\"traj\":0,\"x\":1,\"advantage\":7,\"row\":0}\n"
        "{\"uid\":\"7\",\"traj\":0,\"x\":2,\"row\" : 1 ,\"advantage\":7}\n"
        "{\"uid\":7,\"traj\":1,\"x\":4,\"advantage\":7,\"row\":2}\n"
        "{\"uid\":7,\"traj\":0,\"turn\":1.0," FIELDS(
            "the same 'uid', 'traj' and 'turn' as <stdin>:1") ",\"advantage\":null}\n"
                                                              "{\"task_id\":\"t\",\"traj\":\"a\",\"advantage\":7,\"row\":3}\n"
                                                              "{" FIELDS(
                                                                  "missing field 'uid' (and no 'task_id')") ",\"advantage\":null}\n"
                                                                                                            "{\"uid\":7,\"traj\":2,\"x\":\"\"," FIELDS(
                                                                                                                "field 'x' must be a number") ",\"advantage\":null}\n"
                                                                                                                                              "{\"uid\":1.5," FIELDS(
                                                                                                                                                  "field 'uid' must be a string or an integer, not 1.5") ",\"advantage\":null}\n"
                                                                                                                                                                                                         "{\"uid\":7,\"turn\":0," FIELDS(
                                                                                                                                                                                                             "field 'turn' must be an integer from 1, not 0") ",\"advantage\":null}\n");
    EQ_INT(run(GROUP, "{\"uid\":1,\"traj\":0,\"x\":-1}\n"),
           2); /* close fails: answered all the same */
    HAS(kg_buf_str(&out),
        "\"status\":\"JUDGE_FAULT\",\"error_code\":\"SYSTEM_ERROR\",\"error_message\":\"x below 0\"");
    EQ_INT(run(GROUP, "{\"uid\":1,\"traj\":0}\n{\"uid\":2,\"traj\":0}\n"), 0);
    HAS(kg_buf_str(&err), "each of the 2 groups has one trajectory");
    EQ_INT(run(GROUP, "{\"uid\":1}\n{\"uid\":1}\n"), 0); /* absent traj: the n-th of its uid */
    HAS(kg_buf_str(&err), "<stdin>:1: field 'traj' is missing");
    OK(!strstr(kg_buf_str(&err), "one trajectory"));
    o.uid_key = "g";
    EQ_INT(run(GROUP, "{\"g\":\"a\",\"uid\":[]}\n{\"g\":\"a\"}\n"), 0);
}

static void test_streams(void)
{
    o = (struct kg_loop_opts){.grouped = true};
    start(GROUP);
    const char *first =
        "{\"uid\":1,\"traj\":0,\"x\":1}\n{\"uid\":1,\"traj\":1,\"x\":2}\n{\"uid\":2,\"traj\":0}\n";
    talk(first, strlen(first), 2);
    EQ_STR(kg_buf_str(&out), "{\"uid\":1,\"traj\":0,\"x\":1,\"advantage\":3,\"row\":0}\n"
                             "{\"uid\":1,\"traj\":1,\"x\":2,\"advantage\":3,\"row\":1}\n");
    talk("{\"uid\":1,\"traj\":3}\n", 19, 4);
    EQ_INT(finish(), 2);
    HAS(kg_buf_str(&out),
        "{\"uid\":2,\"traj\":0,\"advantage\":0,\"row\":0}\n{\"uid\":1,\"traj\":3," FIELDS(
            "'uid' 1 comes back after its group was answered"));
    o = (struct kg_loop_opts){.group_size = 2};
    start(GROUP);
    const char *mixed =
        "{\"uid\":1,\"traj\":0,\"turn\":1,\"x\":1}\n{\"uid\":2,\"traj\":0,\"done\":true}\n"
        "{\"uid\":1,\"traj\":0,\"turn\":2,\"done\":true}\n{\"uid\":1,\"traj\":1,\"x\":8,\"done\":true}\n";
    talk(mixed, strlen(mixed), 3);
    EQ_STR(kg_buf_str(&out),
           "{\"uid\":1,\"traj\":0,\"turn\":1,\"x\":1,\"advantage\":9,\"row\":0}\n"
           "{\"uid\":1,\"traj\":0,\"turn\":2,\"done\":true,\"advantage\":9,\"row\":1}\n"
           "{\"uid\":1,\"traj\":1,\"x\":8,\"done\":true,\"advantage\":9,\"row\":2}\n");
    kg_buf_reset(&out);
    EQ_INT(finish(), 0);
    EQ_STR(kg_buf_str(&out), "{\"uid\":2,\"traj\":0,\"done\":true,\"advantage\":0,\"row\":0}\n");
}

/* More than the spool keeps in memory, from a pipe and from a file: the lines come back unchanged.
 */
static void test_spool(void)
{
    struct kg_buf in = KG_BUF_INIT, want = KG_BUF_INIT;
    char *pad = kg_mem_zalloc(100001), *file = kg_fs_join(dir, "big.jsonl");
    for (int i = 0; i < 200; i++) {
        memset(pad, 'a' + i % 26, 100000);
        kg_buf_addf(&in, "{\"uid\":1,\"traj\":%d,\"pad\":\"%s\"}\n", i, pad);
        kg_buf_addf(&want, "{\"uid\":1,\"traj\":%d,\"pad\":\"%s\",\"advantage\":0,\"row\":%d}\n", i,
                    pad, i);
    }
    o = (struct kg_loop_opts){0};
    EQ_INT(run(GROUP, in.data), 0);
    OK(out.len == want.len && !memcmp(out.data, want.data, want.len));
    EQ_INT(kg_fs_write(file, in.data, in.len, 0600, NULL), 0);
    char *files[] = {file, NULL};
    o.files = files;
    o.n_files = 1;
    EQ_INT(run(GROUP, ""), 0);
    OK(out.len == want.len && !memcmp(out.data, want.data, want.len));
    kg_buf_release(&in);
    kg_buf_release(&want);
    free(pad);
    free(file);
}

static void test_interrupt(void)
{
    o = (struct kg_loop_opts){.jobs = 1};
    start(POOL);
    const char *input = "{\"x\":1}\n{\"x\":2,\"ms\":400}\n{\"x\":3}\n{\"x\":4}\n";
    talk(input, strlen(input), 1); /* the first is answered: the second is at work */
    kill(p.pid, SIGTERM);
    EQ_INT(finish(), 128 + SIGTERM);
    HAS(kg_buf_str(&out), "{\"x\":1,\"y\":2}\n");
    HAS(kg_buf_str(&out), "{\"x\":4," FAULT "}\n");
    o = (struct kg_loop_opts){.grouped = true};
    start(GROUP);
    input = "{\"uid\":1,\"traj\":1}\n{\"uid\":2,\"traj\":1}\n";
    talk(input, strlen(input), 1);
    kill(p.pid, SIGHUP);
    EQ_INT(finish(), 128 + SIGHUP);
    HAS(kg_buf_str(&out), "{\"uid\":2,\"traj\":1," FAULT ",\"advantage\":null}\n");
}

/* The terminal's SIGINT, which all filters of a pipe get: what comes through the pipe is read on.
 */
static void test_interrupted_pipe(void)
{
    const char *input = "{\"x\":1}\n", *more = "{\"x\":2}\n{\"x\": 3}";
    o = (struct kg_loop_opts){0};
    start(MAP);
    talk(input, strlen(input), 1);
    kill(p.pid, SIGINT);
    talk(more, strlen(more), 0);
    EQ_INT(finish(), 128 + SIGINT);
    EQ_STR(kg_buf_str(&out), "{\"x\":1,\"y\":2}\n{\"x\":2,\"y\":3}\n{\"x\": 3,\"y\":4}\n");
    o = (struct kg_loop_opts){.grouped = true};
    start(GROUP);
    input = "{\"uid\":1,\"traj\":1,\"x\":1}\n{\"uid\":2,\"traj\":1,\"x\":1}\n";
    more = "{\"uid\":2,\"traj\":2,\"x\":1}\n";
    talk(input, strlen(input), 1);
    kill(p.pid, SIGINT);
    talk(more, strlen(more), 0);
    EQ_INT(finish(), 128 + SIGINT);
    HAS(kg_buf_str(&out), "{\"uid\":2,\"traj\":2,\"x\":1,\"advantage\":2,\"row\":1}\n");
    for (int jobs = 1; jobs <= 2; jobs++) { /* no new work; what is in flight is answered */
        o = (struct kg_loop_opts){.jobs = jobs};
        start(POOL);
        input = "{\"x\":1}\n{\"x\":2,\"ms\":300}\n{\"x\":3,\"ms\":300}\n{\"x\":4,\"ms\":300}\n";
        more = "{\"x\" : 5}\nno json\n{\"x\":6}\n";
        talk(input, strlen(input), 1);
        kill(p.pid, SIGINT);
        talk(more, strlen(more), 0);
        EQ_INT(finish(), 128 + SIGINT);
        HAS(kg_buf_str(&out), "\n{\"x\":4,\"ms\":300," FAULT "}\n{\"x\" : 5}\n{\"x\":6}\n");
        HAS(kg_buf_str(&err), "x: <stdin>:6: not a JSON object");
    }
}

/* A second SIGINT, or another signal, is what a first one is elsewhere; a file is not read on. */
static void test_interrupted_twice(void)
{
    static const int second[] = {SIGINT, SIGTERM, SIGHUP};
    const char *input = "{\"uid\":1,\"traj\":1,\"x\":1}\n{\"uid\":2,\"traj\":1,\"x\":1}\n";
    const char *more = "{\"uid\":3,\"traj\":1}\n{\"uid\":4,\"traj\":2}\n";
    for (int i = 0; i < 3; i++) {
        o = (struct kg_loop_opts){.grouped = true};
        start(GROUP);
        talk(input, strlen(input), 1);
        kill(p.pid, SIGINT);
        talk(more, strlen(more), 3); /* it is read on: uid 2 and 3 are answered */
        HAS(kg_buf_str(&out), "{\"uid\":3,\"traj\":1,\"advantage\":0,\"row\":0}\n");
        kill(p.pid, second[i]);
        EQ_INT(finish(), 128 + second[i]);
        HAS(kg_buf_str(&out), "{\"uid\":4,\"traj\":2," FAULT ",\"advantage\":null}\n");
    }
    char *file = kg_fs_join(dir, "records"), *files[] = {(char *)"-", file, NULL};
    EQ_INT(kg_fs_write(file, "{\"x\":7}\n", 8, 0600, NULL), 0);
    o = (struct kg_loop_opts){.files = files, .n_files = 2};
    start(MAP);
    talk("{\"x\":1}\n", 8, 1);
    kill(p.pid, SIGINT);
    talk("{\"x\":2}\n", 8, 0);
    EQ_INT(finish(), 128 + SIGINT);
    EQ_STR(kg_buf_str(&out), "{\"x\":1,\"y\":2}\n{\"x\":2,\"y\":3}\n");
    free(file);
}

static void test_done(void)
{
    o = (struct kg_loop_opts){.group_size = 1};
    EQ_INT(run(GROUP,
               "{\"uid\":1,\"traj\":1,\"done\":1}\n{\"uid\":2,\"traj\":1,\"done\":\"true\"}\n"
               "{\"uid\":3,\"traj\":1,\"done\":null}\n{\"uid\":3,\"traj\":1,\"turn\":2,"
               "\"done\":true}\n"),
           2);
    HAS(kg_buf_str(&out),
        "{\"uid\":1,\"traj\":1,\"done\":1," FIELDS(
            "field 'done' must be true or false, not 1") ",\"advantage\":null}\n");
    HAS(kg_buf_str(&out),
        "\"done\":\"true\"," FIELDS("field 'done' must be true or false, not a string"));
    HAS(kg_buf_str(&out), "\"done\":true,\"advantage\":0,\"row\":1}\n");
}

/* Half of a surrogate pair: an answer that every reader takes. */
static void test_surrogates(void)
{
    for (int form = MAP; form <= POOL; form++) {
        o = (struct kg_loop_opts){.jobs = 1};
        EQ_INT(run((enum form)form,
                   "{\"id\":\"\\\\ud800\\ud83d\\uDE00\",\"x\":1}\n"
                   "{\"id\":\"\\ud83d\\ud83d\\ude00\\n\",\"k\\uDFFF\":\"\\udbff\"}\n"),
               2);
        EQ_STR(kg_buf_str(&out),
               "{\"id\":\"\\\\ud800\\ud83d\\uDE00\",\"x\":1,\"y\":2}\n"
               "{\"id\":\"\\ufffd\\ud83d\\ude00\\n\",\"k\\ufffd\":\"\\ufffd\"," FIELDS(
                   "byte 8: '\\\\ud83d' is half of a surrogate pair, which is no character") "}\n");
        HAS(kg_buf_str(&err), "x: <stdin>:2: byte 8: '\\ud83d' is half of a surrogate pair");
        /* where the slow reader reads: a number beyond its form, and a fault behind it */
        EQ_INT(
            run((enum form)form, "{\"big\":1e99999,\"id\":\"\\udc00\"}\n{\"id\":\"\\ud800\",}\n"),
            2);
        HAS(kg_buf_str(&out), "{\"big\":1e99999,\"id\":\"\\ufffd\",\"status\":\"BAD_RECORD\"");
    }
}

static void test_output(void)
{
    for (int form = MAP; form <= GROUP; form++) {
        o = (struct kg_loop_opts){.jobs = 2};
        start((enum form)form);
        close(p.out);
        p.out = -1;
        talk("{\"uid\":1,\"traj\":0}\n", 19, 0);
        EQ_INT(finish(), 128 + SIGPIPE);
        EQ_STR(kg_buf_str(&err), ""); /* quietly */
        int full = open("/dev/full", O_WRONLY), keep = dup(1);
        if (full < 0)
            continue;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            char *file = kg_fs_join(dir, "rejects");
            int null = open("/dev/null", O_WRONLY);
            kg_fs_write(file, "{\"uid\":1,\"traj\":0}\n", 19, 0600, NULL);
            dup2(open(file, O_RDONLY), 0);
            dup2(full, 1);
            dup2(null, 2);
            _exit(program((enum form)form));
        }
        int status;
        waitpid(pid, &status, 0);
        OK(WIFEXITED(status));
        EQ_INT(WEXITSTATUS(status), 5);
        close(full);
        close(keep);
    }
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    dir = kg_fs_tempdir("kg-test", NULL);
    test_lines();
    test_bad_input();
    test_status();
    test_coprocess();
    test_order();
    test_group();
    test_streams();
    test_spool();
    test_interrupt();
    test_interrupted_pipe();
    test_interrupted_twice();
    test_done();
    test_surrogates();
    test_output();
    kg_fs_remove_tree(dir);
    free(dir);
    kg_buf_release(&out);
    kg_buf_release(&err);
    return tap_done();
}
