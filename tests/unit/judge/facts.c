/* Findings: their order, and that no claim of a worker is ever 'ours'. */
#include "judge/facts.h"

#include <signal.h>

#include "tap.h"

static struct kg_task task;
static struct kg_arg args[2];
static struct kg_instance in;
static struct kg_answer answer;

static struct kg_facts right(void)
{
    struct kg_facts f = {.in = &in, .answer = &answer};
    answer = (struct kg_answer){.what = KG_ANSWER_DONE};
    f.out[0] = (struct kg_output_facts){.arg = 1};
    f.out[0].stats.count = 10;
    f.out[0].stats.rel_l2_limit = INFINITY;
    f.n_out = 1;
    return f;
}

static struct kg_findings of(const struct kg_facts *f)
{
    struct kg_findings out = {.n = 0};
    kg_facts_judge(f, &out);
    return out;
}

static enum kg_verdict verdict(const struct kg_facts *f)
{
    struct kg_findings out = of(f);
    return kg_findings_verdict(&out);
}

static void ends(void)
{
    struct kg_facts f = right();
    f.n_out = 0;
    answer.what = KG_ANSWER_TIMEOUT;
    EQ_INT(verdict(&f), KG_TIMEOUT);
    answer.what = KG_ANSWER_ENDED;
    answer.end.how = KG_PROC_EXITED;
    EQ_INT(verdict(&f), KG_EARLY_EXIT);
    answer.hung_up = true;
    answer.end.how = KG_PROC_KILLED;
    EQ_INT(verdict(&f), KG_EARLY_EXIT);
    answer.hung_up = false;
    answer.end.how = KG_PROC_SIGNALED;
    static const struct {
        int signo;
        enum kg_verdict v;
    } signals[] = {
        {SIGSEGV, KG_ILLEGAL_ADDRESS}, {SIGBUS, KG_ILLEGAL_ADDRESS}, {SIGSYS, KG_SANDBOX_VIOLATION},
        {SIGABRT, KG_CRASH},           {SIGFPE, KG_CRASH},           {SIGKILL, KG_CRASH}};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        answer.end.status = signals[i].signo;
        EQ_INT(verdict(&f), signals[i].v);
    }
}

static void claims(void)
{
    struct kg_facts f = right();
    f.n_out = 0;
    for (unsigned s = KG_DONE_LOAD; s <= KG_DONE_WORKER; s++) {
        answer.done.status = s;
        enum kg_verdict_class c = kg_verdict_class(verdict(&f));
        OK(c == KG_CLASS_WRONG || c == KG_CLASS_CRASH);
    }
    answer.done.status = KG_DONE_LAUNCH;
    EQ_INT(verdict(&f), KG_LAUNCH_ERROR);
    answer.done.status = KG_DONE_OOM;
    EQ_INT(verdict(&f), KG_OOM);
    answer.done.status = KG_DONE_LOAD;
    EQ_INT(verdict(&f), KG_LOAD_ERROR);
}

/* Each cause beside all the later ones: the earlier is the verdict, the others still stand. */
static void order(void)
{
    struct kg_facts f = right();
    struct kg_cmp_stats *s = &f.out[0].stats;
    f.no_kernel = true;
    EQ_INT(verdict(&f), KG_NO_CUSTOM_KERNEL);
    s->bad = 3;
    s->worst = 7;
    EQ_INT(verdict(&f),
           KG_INCORRECT_NUMERICAL); /* and a wrong answer is not asked for its kernels */
    EQ_INT(of(&f).n, 1);
    f.downgrade = true;
    EQ_INT(verdict(&f), KG_PRECISION_DOWNGRADE);
    f.nondeterministic = true;
    EQ_INT(verdict(&f), KG_NONDETERMINISTIC);
    s->nonfinite = 2;
    EQ_INT(verdict(&f), KG_NONFINITE);
    f.out[0].late = true;
    EQ_INT(verdict(&f), KG_LATE_WRITE);
    f.out[0].stale = true;
    EQ_INT(verdict(&f), KG_STALE_OUTPUT);
    s->unwritten = 1;
    EQ_INT(verdict(&f), KG_UNWRITTEN_OUTPUT);
    f.out[0].late_written = true;
    EQ_INT(verdict(&f), KG_STALE_OUTPUT); /* it was written after all, only late */
    f.out[0].late_written = false;
    f.guard_bytes = 4;
    f.guard_arg = 1;
    f.guard_where = 40;
    EQ_INT(verdict(&f), KG_OOB_WRITE);
    HAS(of(&f).item[0].text, "4 bytes outside of 'y' were written, nearest 1 past its end");
    answer.done.status = KG_DONE_RUNTIME;
    EQ_INT(verdict(&f), KG_RUNTIME_ERROR);
    f.mutated = true;
    EQ_INT(verdict(&f), KG_INPUT_MUTATED);
    HAS(of(&f).item[0].text, "'x'");
    answer.done.status = KG_DONE_OOM;
    EQ_INT(verdict(&f), KG_OOM);
    EQ_INT(of(&f).n, 10);
}

static void values(void)
{
    struct kg_facts f = right();
    struct kg_cmp_stats *s = &f.out[0].stats;
    EQ_INT(verdict(&f), KG_PASSED);
    OK(kg_facts_right(&f));
    f.n_out = 0;
    OK(!kg_facts_right(&f)); /* nothing compared is not right */
    f.n_out = 1;
    f.out[0].stale = true; /* the same bytes as before, but right */
    EQ_INT(verdict(&f), KG_PASSED);
    f.out[0].stale = false;
    s->rel_l2 = 1e-3;
    s->rel_l2_limit = 1e-4;
    EQ_INT(verdict(&f), KG_INCORRECT_NUMERICAL);
    HAS(of(&f).item[0].text, "over all its elements");
    s->rel_l2_limit = INFINITY;
    s->bad = s->unwritten = s->nonfinite = 10; /* poison is a NaN: unwritten, and no more */
    EQ_INT(verdict(&f), KG_UNWRITTEN_OUTPUT);
    OK(of(&f).item[1].verdict != KG_NONFINITE);
    f.guard_bytes = 1;
    f.guard_arg = 1;
    f.guard_where = -3;
    HAS(of(&f).item[0].text, "nearest 3 before its start");
}

/* What check refuses is wrong as a whole, however its elements look. */
static void refused(void)
{
    struct kg_facts f = right();
    f.no_kernel = true;
    f.refused = 41;
    OK(!kg_facts_right(&f) && !kg_facts_output_right(&f, &f.out[0]));
    EQ_INT(verdict(&f), KG_INCORRECT_NUMERICAL);
    EQ_INT(of(&f).n, 1);
    HAS(of(&f).item[0].text, "check refuses the answer: it returned 41");
    f.nondeterministic = true;
    EQ_INT(verdict(&f), KG_NONDETERMINISTIC);
    f.out[0].late = true;
    EQ_INT(verdict(&f), KG_LATE_WRITE);
    f.out[0].stale = true;
    EQ_INT(verdict(&f), KG_STALE_OUTPUT);
    f.refused = -1;
    EQ_INT(verdict(&f), KG_STALE_OUTPUT);
    f.n_out = 2; /* one of two is no proof */
    f.out[1] = f.out[0];
    f.out[1].stale = false;
    EQ_INT(verdict(&f), KG_LATE_WRITE);
    f.n_out = 1;
    f.refused = 0;
    EQ_INT(verdict(&f), KG_LATE_WRITE); /* the same bytes may be right again */
    f.out[0].stats.bad = f.out[0].stats.unwritten = 1;
    EQ_INT(verdict(&f), KG_UNWRITTEN_OUTPUT);
}

int main(void)
{
    task.args = args;
    task.n_args = 2;
    args[0] = (struct kg_arg){.name = "x", .dtype = KG_FLOAT32, .role = KG_ROLE_IN};
    args[1] = (struct kg_arg){.name = "y", .dtype = KG_FLOAT32, .role = KG_ROLE_OUT};
    in.task = &task;
    in.args[0].count = in.args[1].count = 10;
    in.args[0].bytes = in.args[1].bytes = 40;
    ends();
    claims();
    order();
    values();
    refused();
    return tap_done();
}
