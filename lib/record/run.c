#include "record/run.h"
#include "base/clock.h"
#include "base/exit.h"
#include "base/msg.h"
#include "record/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRAW_SECONDS 0.2
#define TELL_SECONDS 60.0

static atomic_int worst;
static atomic_bool output_lost;

void kg_loop_status(int exit_status)
{
    int old = atomic_load(&worst);
    while (exit_status > old && !atomic_compare_exchange_weak(&worst, &old, exit_status))
        ;
}

bool kg_loop_stopping(void)
{
    return kg_stop_signal() || atomic_load(&output_lost);
}

/* ---- progress ----------------------------------------------------------------------------- */

static void progress_text(const struct kg_run *run, double seconds, struct kg_buf *b)
{
    kg_buf_addf(b, "%zu records", run->answered);
    if (run->in.size)
        kg_buf_addf(b, ", %d %% of the input", (int)(100 * run->in.done / run->in.size));
    if (seconds > 0)
        kg_buf_addf(b, ", %.3g/s", (double)run->answered / seconds);
    if (run->bad)
        kg_buf_addf(b, ", %zu bad", run->bad);
    for (int v = 0; v < KG_VERDICT_COUNT; v++)
        if (run->verdicts[v])
            kg_buf_addf(b, ", %s %zu", kg_verdict_name((enum kg_verdict)v), run->verdicts[v]);
}

static void progress(struct kg_run *run)
{
    bool tells = run->o->common.verbose > 0;
    if (run->o->common.quiet || (!run->terminal && !tells))
        return;
    double now = kg_clock_now();
    bool draw = run->terminal && now - run->drawn >= DRAW_SECONDS;
    bool tell = tells && now - run->told >= TELL_SECONDS;
    if (!draw && !tell)
        return;
    struct kg_buf b = KG_BUF_INIT;
    progress_text(run, now - run->started, &b);
    if (tell) {
        kg_msg_verbose("%s", kg_buf_str(&b));
        run->told = now;
    }
    if (draw) {
        kg_msg_progress(kg_buf_str(&b));
        run->drawn = now;
    }
    kg_buf_release(&b);
}

/* ---- begin and end ------------------------------------------------------------------------ */

static void before_wait(void *ctx)
{
    struct kg_run *run = ctx;
    if (run->flush_on_wait) {
        kg_jsonl_flush(&run->out);
        kg_jsonl_flush(&run->rejects);
        progress(run);
    }
}

int kg_loop_args(struct kg_loop_opts *o, const struct kg_opt *table,
                 const struct kg_opt_usage *usage, int argc, char **argv)
{
    int first;
    kg_msg_init(argv[0]);
    int status = kg_opt_parse(table, usage, argc, argv, &first);
    if (status >= 0)
        return status;
    kg_msg_set_level(o->common.quiet ? -1 : o->common.verbose);
    o->files = argv + first;
    o->n_files = argc - first;
    return -1;
}

/* A line that is too long to be read at all goes to --rejects as it comes. */
static void too_long(void *ctx, const char *bytes, size_t n)
{
    struct kg_run *run = ctx;
    if (run->rejects.fd < 0)
        return;
    if (run->before_rejects)
        run->before_rejects(run->ctx);
    kg_jsonl_write(&run->rejects, n ? bytes : "\n", n ? n : 1);
}

/* The file of --rejects, opened and emptied; -1: told. */
static int open_rejects(const struct kg_loop_opts *o)
{
    struct stat st;
    if (kg_loop_refuse_output(o, "--rejects", o->rejects))
        return -1;
    int fd = open(o->rejects, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0 && !fstat(fd, &st) && (!S_ISREG(st.st_mode) || !ftruncate(fd, 0)))
        return fd;
    kg_msg_error("cannot open '%s': %s", o->rejects, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

int kg_run_begin(struct kg_run *run, const struct kg_loop_opts *o, const char *const *own)
{
    memset(run, 0, sizeof *run);
    run->o = o;
    run->own = own;
    kg_stop_install();
    int rejects = -1;
    if (kg_loop_refuse_append(o) || (o->rejects && (rejects = open_rejects(o)) < 0))
        return KG_EXIT_INPUT;
    kg_jsonl_writer_init(&run->out, STDOUT_FILENO, "standard output");
    kg_jsonl_writer_init(&run->rejects, rejects, o->rejects);
    kg_jsonl_open(&run->in, o->files, o->n_files);
    run->in.before_wait = before_wait;
    run->in.too_long = too_long;
    run->in.ctx = run;
    run->flush_on_wait = true;
    run->terminal = isatty(STDERR_FILENO) == 1;
    run->count_verdicts = o->fail || run->terminal || o->common.verbose > 0;
    run->started = run->drawn = run->told = kg_clock_now();
    return 0;
}

static void sum_up(const struct kg_run *run)
{
    if (run->terminal)
        kg_msg_progress(NULL);
    struct kg_buf b = KG_BUF_INIT;
    progress_text(run, kg_clock_now() - run->started, &b);
    kg_msg_verbose("%s", kg_buf_str(&b));
    kg_buf_release(&b);
}

int kg_run_end(struct kg_run *run)
{
    if (run->rejects.fd >= 0) {
        kg_jsonl_writer_end(&run->rejects);
        close(run->rejects.fd);
    }
    kg_jsonl_writer_end(&run->out);
    sum_up(run);
    if (run->bad || run->in.faults)
        kg_loop_status(KG_EXIT_INPUT);
    size_t not_passed = 0;
    for (int v = 0; v < KG_VERDICT_COUNT; v++)
        not_passed += v == KG_PASSED ? 0 : run->verdicts[v];
    if (run->o->fail && not_passed)
        kg_loop_status(KG_EXIT_VERDICT);
    if ((run->out.failed && !run->out.closed) || run->rejects.failed)
        kg_loop_status(KG_EXIT_OUTPUT);
    kg_jsonl_close(&run->in);
    int status = atomic_load(&worst);
    if (status == KG_EXIT_OUTPUT)
        return status;
    if (run->out.closed) /* as a shell shows a program that the signal has ended */
        return 128 + SIGPIPE;
    return kg_stop_signal() ? 128 + kg_stop_signal() : status;
}

/* ---- a record ----------------------------------------------------------------------------- */

static void tell(const struct kg_error *err, struct kg_error *said)
{
    if (said)
        *said = *err;
    else
        kg_msg_from(err);
}

void kg_run_tell(struct kg_error *said)
{
    if (said->code)
        kg_msg_from(said);
    kg_error_clear(said);
}

bool kg_run_parse(struct kg_record *r, const char *source, const struct kg_jsonl_line *line,
                  struct kg_error *said)
{
    struct kg_error err = KG_ERROR_INIT;
    if (!kg_record_parse(r, source, line->no, line->text, line->len, &err))
        return true;
    tell(&err, said);
    return false;
}

bool kg_run_fault(const struct kg_run *run, struct kg_record *r, struct kg_error *said)
{
    if (!r->error.code)
        return false;
    struct kg_error err = r->error;
    tell(&err, said);
    kg_record_answer(r, KG_BAD_RECORD, err.text, run->own);
    return true;
}

int kg_run_verdict(const struct kg_run *run, struct kg_record *r)
{
    enum kg_verdict v;
    return run->count_verdicts && kg_record_verdict(r, &v) ? (int)v : -1;
}

void kg_run_render(const struct kg_run *run, struct kg_record *r, int answer, struct kg_buf *out,
                   struct kg_outcome *what, struct kg_error *said)
{
    what->reject = false;
    what->bad = kg_run_fault(run, r, said);
    what->verdict = what->bad ? KG_BAD_RECORD : kg_run_verdict(run, r);
    if (answer == KG_LOOP_KEEP || what->bad)
        kg_record_write(r, out);
}

void kg_run_count(struct kg_run *run, const struct kg_outcome *what, const char *line, size_t len)
{
    run->answered += !what->reject;
    run->bad += what->bad;
    if (what->verdict >= 0)
        run->verdicts[what->verdict]++;
    if (what->reject && run->rejects.fd >= 0) {
        kg_buf_add(&run->rejects.buf, line, len);
        kg_buf_addc(&run->rejects.buf, '\n');
        kg_jsonl_added(&run->rejects);
    }
    progress(run);
}

bool kg_run_ends(void)
{
    return kg_stop_wanted() || atomic_load(&output_lost);
}

bool kg_run_over(const struct kg_run *run)
{
    if (run->out.failed)
        atomic_store(&output_lost, true);
    return kg_run_ends();
}
