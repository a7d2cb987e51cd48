#include "judge/facts.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void kg_findings_add(struct kg_findings *f, enum kg_verdict v, const char *fmt, ...)
{
    if (f->n == KG_FINDINGS)
        return;
    struct kg_finding *i = &f->item[f->n++];
    va_list ap;
    i->verdict = v;
    va_start(ap, fmt);
    vsnprintf(i->text, sizeof i->text, fmt, ap);
    va_end(ap);
    kg_utf8_clean_line(i->text, strlen(i->text));
}

enum kg_verdict kg_findings_verdict(const struct kg_findings *f)
{
    return f->n ? f->item[0].verdict : KG_PASSED;
}

static enum kg_verdict of_signal(int signo)
{
    switch (signo) {
    case SIGSEGV:
    case SIGBUS:
        return KG_ILLEGAL_ADDRESS;
    case SIGSYS: /* seccomp's */
        return KG_SANDBOX_VIOLATION;
    default:
        return KG_CRASH;
    }
}

/* The worker's end. A clean end is one before its answer was taken, whatever its status. */
static void judge_end(const struct kg_answer *a, struct kg_findings *out)
{
    struct kg_buf text = KG_BUF_INIT;
    kg_answer_text(a, &text);
    if (a->what == KG_ANSWER_TIMEOUT) {
        kg_findings_add(out, KG_TIMEOUT, "%s", kg_buf_str(&text));
    } else if (a->hung_up || a->end.how == KG_PROC_EXITED) {
        kg_findings_add(out, KG_EARLY_EXIT, "%s", kg_buf_str(&text));
    } else {
        if (a->faulted && of_signal(a->end.status) == KG_ILLEGAL_ADDRESS)
            kg_buf_addf(&text, " at address 0x%llx", (unsigned long long)a->fault.address);
        if (of_signal(a->end.status) == KG_SANDBOX_VIOLATION && a->refused[0])
            kg_buf_addf(&text, ", after it was refused: %s", a->refused);
        kg_findings_add(out, of_signal(a->end.status), "%s", kg_buf_str(&text));
    }
    kg_buf_release(&text);
}

/* What the worker said of the call. A lie there only loses: every word is a failure, and none of
 * them is 'ours', which would void the record. */
static void judge_claim(const struct kg_answer *a, struct kg_findings *out)
{
    static const enum kg_verdict of[] = {
        [KG_DONE_LOAD] = KG_LOAD_ERROR,           [KG_DONE_ENTRY] = KG_LOAD_ERROR,
        [KG_DONE_EXCEPTION] = KG_RUNTIME_ERROR,   [KG_DONE_RUNTIME] = KG_RUNTIME_ERROR,
        [KG_DONE_LAUNCH] = KG_LAUNCH_ERROR,       [KG_DONE_OOM] = KG_OOM,
        [KG_DONE_UNSUPPORTED] = KG_RUNTIME_ERROR, [KG_DONE_WORKER] = KG_RUNTIME_ERROR,
    };
    if (a->what != KG_ANSWER_DONE || a->done.status == KG_DONE_OK ||
        a->done.status >= sizeof of / sizeof *of)
        return;
    /* a GPU's own words for it: illegal address, misaligned, wrong space, illegal program counter
     */
    enum kg_verdict v = of[a->done.status];
    if (v == KG_RUNTIME_ERROR &&
        (a->done.code == 700 || (a->done.code >= 716 && a->done.code <= 718)))
        v = KG_ILLEGAL_ADDRESS;
    const char *said = a->done.text[0] ? a->done.text : kg_wire_status_name(a->done.status);
    if (a->done.code)
        kg_findings_add(out, v, "%s (code %d)", said, a->done.code);
    else
        kg_findings_add(out, v, "%s", said);
}

static const char *arg_name(const struct kg_facts *f, size_t arg)
{
    return f->in->task->args[arg].name;
}

static void judge_guard(const struct kg_facts *f, struct kg_findings *out)
{
    if (!f->guard_bytes)
        return;
    int64_t bytes = (int64_t)f->in->args[f->guard_arg].bytes;
    bool before = f->guard_where < 0;
    kg_findings_add(out, KG_OOB_WRITE, "%zu bytes outside of '%s' were written, nearest %lld %s",
                    f->guard_bytes, arg_name(f, f->guard_arg),
                    (long long)(before ? -f->guard_where : f->guard_where - bytes + 1),
                    before ? "before its start" : "past its end");
}

static void judge_unwritten(const struct kg_facts *f, const struct kg_output_facts *o,
                            struct kg_findings *out)
{
    enum kg_dtype t = f->in->task->args[o->arg].dtype;
    if (kg_cmp_ok(&o->stats) || o->late_written ||
        kg_cmp_verdict(t, &o->stats) != KG_UNWRITTEN_OUTPUT)
        return;
    kg_findings_add(out, KG_UNWRITTEN_OUTPUT, "%zu of %zu elements of '%s' were not written",
                    o->stats.unwritten, o->stats.count, arg_name(f, o->arg));
}

/* NONFINITE, NONDETERMINISTIC, PRECISION_DOWNGRADE, INCORRECT_NUMERICAL. */
static void judge_values(const struct kg_facts *f, const struct kg_output_facts *o,
                         struct kg_findings *out)
{
    const struct kg_cmp_stats *s = &o->stats;
    const char *name = arg_name(f, o->arg);
    if (kg_cmp_ok(s))
        return;
    if (f->in->task->checked) { /* of its values check alone could say more */
        if (s->nonfinite > s->unwritten)
            kg_findings_add(
                out, KG_NONFINITE,
                "%zu elements of '%s' are NaN or infinite, of the reference's answer none",
                s->nonfinite - s->unwritten, name);
        return;
    }
    /* poison is a NaN too: unwritten elements alone do not make an output non-finite */
    if (s->nonfinite > s->unwritten && kg_dtype_is_float(f->in->task->args[o->arg].dtype))
        kg_findings_add(out, KG_NONFINITE, "%zu elements of '%s' are NaN or infinite, not %.9g",
                        s->nonfinite - s->unwritten, name, s->worst_want);
    if (f->nondeterministic)
        kg_findings_add(out, KG_NONDETERMINISTIC, "same inputs, different answers in '%s'", name);
    if (f->downgrade)
        kg_findings_add(out, KG_PRECISION_DOWNGRADE,
                        "'%s' has a relative error of %.3g, that of a lower format than %s", name,
                        s->rel_l2, kg_precision_name(f->in->task->precision));
    if (s->bad)
        kg_findings_add(out, KG_INCORRECT_NUMERICAL,
                        "%zu of %zu elements of '%s' are wrong, worst at %zu: got %.9g, want %.9g",
                        s->bad, s->count, name, s->worst, s->worst_got, s->worst_want);
    else
        kg_findings_add(out, KG_INCORRECT_NUMERICAL,
                        "relative error of '%s' is %.3g over all its elements, limit %.3g", name,
                        s->rel_l2, s->rel_l2_limit);
}

/* The values of an answer that check refuses; which elements are to blame it does not say. */
static void judge_refusal(const struct kg_facts *f, struct kg_findings *out)
{
    if (!f->refused)
        return;
    if (f->nondeterministic)
        kg_findings_add(out, KG_NONDETERMINISTIC, "same inputs, wrong and right answers");
    kg_findings_add(out, KG_INCORRECT_NUMERICAL,
                    "the task's check refuses the answer: it returned %d", f->refused);
}

bool kg_facts_output_right(const struct kg_facts *f, const struct kg_output_facts *o)
{
    return !f->refused && kg_cmp_ok(&o->stats);
}

bool kg_facts_right(const struct kg_facts *f)
{
    for (size_t i = 0; i < f->n_out; i++)
        if (!kg_facts_output_right(f, &f->out[i]))
            return false;
    return f->n_out > 0;
}

/* Of an answer that check refuses some output may be right, and equal an earlier one for that. */
static bool is_stale(const struct kg_facts *f, const struct kg_output_facts *o)
{
    for (size_t i = 0; f->refused && i < f->n_out; i++)
        if (!f->out[i].stale)
            return false;
    return o->stale && !kg_facts_output_right(f, o);
}

void kg_facts_judge(const struct kg_facts *f, struct kg_findings *out)
{
    if (f->answer->what != KG_ANSWER_DONE)
        judge_end(f->answer, out);
    if (f->answer->what == KG_ANSWER_DONE && f->answer->done.status == KG_DONE_OOM)
        judge_claim(f->answer, out);
    if (f->mutated)
        kg_findings_add(out, KG_INPUT_MUTATED, "input '%s' was changed",
                        arg_name(f, f->mutated_arg));
    if (f->answer->what == KG_ANSWER_DONE && f->answer->done.status != KG_DONE_OOM)
        judge_claim(f->answer, out);
    judge_guard(f, out);
    for (size_t i = 0; i < f->n_out; i++)
        judge_unwritten(f, &f->out[i], out);
    for (size_t i = 0; i < f->n_out; i++)
        if (is_stale(f, &f->out[i]))
            kg_findings_add(out, KG_STALE_OUTPUT, "'%s' holds the answer of an earlier call",
                            arg_name(f, f->out[i].arg));
    for (size_t i = 0; i < f->n_out; i++)
        if (f->out[i].late)
            kg_findings_add(out, KG_LATE_WRITE, "'%s' changed after the call was done",
                            arg_name(f, f->out[i].arg));
    if (f->async)
        kg_findings_add(
            out, KG_ASYNC_WORK,
            "device work goes on beside the calls: %llu started between them, %llu still "
            "running when the call was done",
            (unsigned long long)f->answer->activity.outside,
            (unsigned long long)f->answer->activity.unjoined);
    for (size_t i = 0; i < f->n_out; i++)
        judge_values(f, &f->out[i], out);
    judge_refusal(f, out);
    if (!kg_facts_right(f))
        return;
    if (f->answer->no_profile[0])
        kg_findings_add(out, KG_NO_PROFILE, "%s", f->answer->no_profile);
    else if (f->no_kernel)
        kg_findings_add(out, KG_NO_CUSTOM_KERNEL,
                        "the answer is right, but no kernel of the candidate was launched");
}
