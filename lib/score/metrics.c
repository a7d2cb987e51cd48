#include "score/metrics.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value of a result, with the task that it counts for. */
struct item {
    double x;
    uint32_t task;
};

static int descending(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return (x->x < y->x) - (x->x > y->x);
}

/* Mean of the items; by task: the mean over tasks of each task's mean, for which those of a task
 * stand together. NaN for none. */
static double mean(const struct item *v, size_t n, bool by_task)
{
    double total = 0;
    size_t groups = 0;
    if (!n)
        return NAN;
    if (!by_task) {
        for (size_t i = 0; i < n; i++)
            total += v[i].x;
        return total / (double)n;
    }
    for (size_t i = 0, end; i < n; i = end, groups++) {
        double sum = 0;
        for (end = i; end < n && v[end].task == v[i].task; end++)
            sum += v[end].x;
        total += sum / (double)(end - i);
    }
    return total / (double)groups;
}

/* v sorted in descending order: its four quarters, the first ones longer where n % 4 > 0 */
static void quarters(const struct item *v, size_t n, double out[4])
{
    size_t at = 0;
    for (size_t q = 0; q < 4; q++) {
        size_t len = n / 4 + (q < n % 4);
        double sum = 0;
        for (size_t i = 0; i < len; i++)
            sum += v[at + i].x;
        out[q] = len ? sum / (double)len : 0;
        at += len;
    }
}

/* Changes v, whose items stand by task. */
static struct kg_spread spread(struct item *v, size_t n, bool by_task)
{
    struct kg_spread s = {n, NAN, NAN, NAN, NAN, {NAN, NAN, NAN, NAN}};
    size_t positive = 0;
    if (!n)
        return s;
    s.mean = mean(v, n, by_task);
    struct item *sorted = kg_mem_array(n, sizeof *sorted);
    memcpy(sorted, v, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, descending);
    s.most = sorted[0].x;
    s.least = sorted[n - 1].x;
    quarters(sorted, n, s.quarter);
    free(sorted);
    for (size_t i = 0; i < n; i++)
        if (v[i].x > 0)
            v[positive++] = (struct item){log(v[i].x), v[i].task};
    if (positive)
        s.geomean = exp(mean(v, positive, by_task));
    return s;
}

static bool is_fast(const struct kg_metrics_opts *o, const struct kg_metrics_row *r, double p)
{
    return r->correct && (o->strict ? r->speedup > p : r->speedup >= p);
}

enum field { SPEEDUP, TIME_COVERAGE, COUNT_COVERAGE };

static double value(const struct kg_metrics_row *r, enum field f)
{
    return f == SPEEDUP ? r->speedup : f == TIME_COVERAGE ? r->time_coverage : r->count_coverage;
}

/* of: right results that know the value; all: those not right as 0 as well */
static void spreads(const struct kg_metrics_row *rows, size_t n, enum field f, bool by_task,
                    struct item *v, struct kg_spread *of, struct kg_spread *all)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].correct && !isnan(value(&rows[i], f)))
            v[m++] = (struct item){value(&rows[i], f), rows[i].task};
    *of = spread(v, m, by_task);
    m = 0;
    for (size_t i = 0; i < n; i++) {
        double x = rows[i].correct ? value(&rows[i], f) : 0;
        if (!isnan(x))
            v[m++] = (struct item){x, rows[i].task};
    }
    *all = spread(v, m, by_task);
}

static void rates(const struct kg_metrics_row *rows, size_t n, const struct kg_metrics_opts *o,
                  struct item *v, struct kg_summary *out)
{
    size_t m;
    for (size_t i = 0; i < n; i++)
        v[i] = (struct item){rows[i].correct, rows[i].task};
    out->correct_rate = mean(v, n, o->by_task);
    for (size_t i = 0; i < n; i++)
        v[i] = (struct item){rows[i].compiled, rows[i].task};
    out->compiled_rate = mean(v, n, o->by_task);
    for (size_t k = 0; k < o->n_p; k++) {
        for (size_t i = 0; i < n; i++)
            v[i] = (struct item){is_fast(o, &rows[i], o->p[k]), rows[i].task};
        out->fast_all[k] = mean(v, n, o->by_task);
        m = 0;
        for (size_t i = 0; i < n; i++)
            if (rows[i].correct)
                v[m++] = (struct item){is_fast(o, &rows[i], o->p[k]), rows[i].task};
        out->fast[k] = mean(v, m, o->by_task);
    }
}

static int by_task_only(const void *a, const void *b)
{
    const struct kg_metrics_row *x = a, *y = b;
    return (x->task > y->task) - (x->task < y->task);
}

/* The rows with those of a task together: themselves, or a copy in *copy (free it). */
static const struct kg_metrics_row *in_task_order(const struct kg_metrics_row *rows, size_t n,
                                                  struct kg_metrics_row **copy)
{
    size_t i = 1;
    *copy = NULL;
    while (i < n && rows[i - 1].task <= rows[i].task)
        i++;
    if (i >= n)
        return rows;
    *copy = kg_mem_array(n, sizeof **copy);
    memcpy(*copy, rows, n * sizeof **copy);
    qsort(*copy, n, sizeof **copy, by_task_only);
    return *copy;
}

void kg_metrics_summary(const struct kg_metrics_row *rows, size_t n,
                        const struct kg_metrics_opts *o, struct kg_summary *out)
{
    struct item *v = kg_mem_array(n + 1, sizeof *v);
    struct kg_metrics_row *copy;
    rows = in_task_order(rows, n, &copy);
    memset(out, 0, sizeof *out);
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        out->correct += rows[i].correct;
        out->compiled += rows[i].compiled;
    }
    rates(rows, n, o, v, out);
    spreads(rows, n, SPEEDUP, o->by_task, v, &out->speedup, &out->speedup_all);
    spreads(rows, n, TIME_COVERAGE, o->by_task, v, &out->time_coverage, &out->time_coverage_all);
    spreads(rows, n, COUNT_COVERAGE, o->by_task, v, &out->count_coverage, &out->count_coverage_all);
    free(copy);
    free(v);
}

void kg_metrics_fast(const struct kg_metrics_row *rows, size_t n, const struct kg_metrics_opts *o,
                     const double *p, size_t n_p, double *out)
{
    struct item *v = kg_mem_array(n + 1, sizeof *v);
    struct kg_metrics_row *copy;
    rows = in_task_order(rows, n, &copy);
    for (size_t k = 0; k < n_p; k++) {
        for (size_t i = 0; i < n; i++)
            v[i] = (struct item){is_fast(o, &rows[i], p[k]), rows[i].task};
        out[k] = mean(v, n, o->by_task);
    }
    free(copy);
    free(v);
}

static int by_sample_turn(const void *a, const void *b)
{
    const struct kg_metrics_row *x = a, *y = b;
    if (x->sample != y->sample)
        return x->sample < y->sample ? -1 : 1;
    return (x->turn > y->turn) - (x->turn < y->turn);
}

void kg_metrics_sort(struct kg_metrics_row *rows, size_t n)
{
    if (n)
        qsort(rows, n, sizeof *rows, by_sample_turn);
}

static size_t sample_end(const struct kg_metrics_row *rows, size_t n, size_t from)
{
    size_t end = from;
    while (end < n && rows[end].sample == rows[from].sample)
        end++;
    return end;
}

/* Is b a better history's best than a? Right beats wrong, then the known and larger speedup. */
static bool better(const struct kg_metrics_row *a, const struct kg_metrics_row *b)
{
    if (!b->correct || !a->correct)
        return b->correct;
    return isnan(a->speedup) ? !isnan(b->speedup) : b->speedup > a->speedup;
}

/* One row a sample: the best of its turns up to 'turn', or a row that is not right. */
static size_t best_rows(const struct kg_metrics_row *rows, size_t n, int64_t turn,
                        struct kg_metrics_row *out)
{
    size_t m = 0;
    for (size_t i = 0, end; i < n; i = end) {
        struct kg_metrics_row best = {.task = rows[i].task, .sample = rows[i].sample};
        best.speedup = best.time_coverage = best.count_coverage = NAN;
        end = sample_end(rows, n, i);
        for (size_t k = i; k < end && rows[k].turn <= turn; k++) {
            bool compiled = best.compiled || rows[k].compiled;
            if (better(&best, &rows[k]))
                best = rows[k];
            best.compiled = compiled;
        }
        out[m++] = best;
    }
    return m;
}

static size_t turn_rows(const struct kg_metrics_row *rows, size_t n, int64_t turn,
                        struct kg_metrics_row *out)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].turn == turn)
            out[m++] = rows[i];
    return m;
}

size_t kg_metrics_pick(const struct kg_metrics_row *rows, size_t n, enum kg_metrics_pick which,
                       struct kg_metrics_row *out)
{
    size_t m = 0;
    if (which == KG_PICK_BEST)
        return best_rows(rows, n, INT64_MAX, out);
    for (size_t i = 0, end; i < n; i = end) {
        end = sample_end(rows, n, i);
        out[m++] = rows[which == KG_PICK_FIRST ? i : end - 1];
    }
    return m;
}

static double right_rate(const struct kg_metrics_row *rows, size_t n, bool by_task)
{
    struct kg_metrics_opts o = {.by_task = by_task};
    struct kg_summary s;
    kg_metrics_summary(rows, n, &o, &s);
    return s.correct_rate;
}

static void finals(const struct kg_metrics_row *rows, size_t n, const struct kg_metrics_opts *o,
                   struct kg_metrics_row *some, struct kg_turns *out)
{
    struct kg_improvement *imp = &out->improvement;
    for (size_t i = 0, end; i < n; i = end) {
        end = sample_end(rows, n, i);
        imp->improved += !rows[i].correct && rows[end - 1].correct;
        imp->regressed += rows[i].correct && !rows[end - 1].correct;
    }
    size_t m = kg_metrics_pick(rows, n, KG_PICK_FIRST, some);
    imp->first_rate = right_rate(some, m, o->by_task);
    kg_metrics_pick(rows, n, KG_PICK_LAST, some);
    kg_metrics_summary(some, m, o, &out->final);
    imp->last_rate = out->final.correct_rate;
    out->n_samples = m;
}

void kg_metrics_turns(struct kg_metrics_row *rows, size_t n, size_t max_turn,
                      const struct kg_metrics_opts *o, struct kg_turns *out)
{
    struct kg_metrics_row *some = kg_mem_array(n + 1, sizeof *some);
    memset(out, 0, sizeof *out);
    kg_metrics_sort(rows, n);
    for (size_t i = 0; i < n; i++)
        if (rows[i].turn > (int64_t)out->n_turns && rows[i].turn <= (int64_t)max_turn)
            out->n_turns = (size_t)rows[i].turn;
    out->turn = kg_mem_array(out->n_turns + 1, sizeof *out->turn);
    out->best = kg_mem_array(out->n_turns + 1, sizeof *out->best);
    for (size_t t = 1; t <= out->n_turns; t++) {
        size_t m = turn_rows(rows, n, (int64_t)t, some);
        kg_metrics_summary(some, m, o, &out->turn[t - 1]);
        m = best_rows(rows, n, (int64_t)t, some);
        kg_metrics_summary(some, m, o, &out->best[t - 1]);
    }
    finals(rows, n, o, some, out);
    free(some);
}

void kg_metrics_turns_release(struct kg_turns *t)
{
    free(t->turn);
    free(t->best);
    memset(t, 0, sizeof *t);
}

double kg_metrics_pass_at_k(size_t n, size_t c, size_t k)
{
    double none = 1;
    if (n < k || !k)
        return NAN;
    for (size_t i = 0; i < k; i++)
        none *= n - c > i ? (double)(n - c - i) / (double)(n - i) : 0;
    return 1 - none;
}

static int by_task_sample_turn(const void *a, const void *b)
{
    const struct kg_metrics_row *x = a, *y = b;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return by_sample_turn(a, b);
}

double kg_metrics_pass(struct kg_metrics_row *rows, size_t n, size_t k, bool best, size_t *tasks)
{
    double total = 0;
    *tasks = 0;
    if (n)
        qsort(rows, n, sizeof *rows, by_task_sample_turn);
    for (size_t i = 0; i < n;) {
        size_t samples = 0, passed = 0;
        uint32_t task = rows[i].task;
        while (i < n && rows[i].task == task) {
            size_t end = sample_end(rows, n, i);
            bool pass = rows[end - 1].correct;
            for (; best && i < end; i++)
                pass |= rows[i].correct;
            i = end;
            samples++;
            passed += pass;
        }
        double p = kg_metrics_pass_at_k(samples, passed, k);
        if (!isnan(p)) {
            total += p;
            ++*tasks;
        }
    }
    return *tasks ? total / (double)*tasks : NAN;
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

void kg_metrics_quality(const struct kg_metrics_row *rows, const bool *rejected, size_t n,
                        const struct kg_metrics_opts *o, struct kg_quality *out)
{
    struct kg_metrics_row *some = kg_mem_array(n + 1, sizeof *some);
    memset(out, 0, sizeof *out);
    for (int side = 0; side < 2; side++) {
        size_t m = 0;
        for (size_t i = 0; i < n; i++)
            if (rejected[i] == (side == 0))
                some[m++] = rows[i];
        kg_metrics_summary(some, m, o, side ? &out->kept : &out->rejected);
    }
    size_t right = out->rejected.correct + out->kept.correct;
    out->rate = share(out->rejected.n, n);
    out->correct_rate = share(out->rejected.correct, right);
    out->incorrect_rate = share(out->rejected.n - out->rejected.correct, n - right);
    for (size_t k = 0; k < o->n_p; k++) {
        size_t fast = 0, gone = 0;
        for (size_t i = 0; i < n; i++) {
            bool f = is_fast(o, &rows[i], o->p[k]);
            fast += f;
            gone += f && rejected[i];
        }
        out->fast_rate[k] = share(gone, fast);
    }
    free(some);
}
