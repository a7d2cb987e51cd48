#include "score/report.h"

#include "base/num.h"

#include <math.h>
#include <stdlib.h>

static void spread(struct kg_jsonout *j, const char *key, const struct kg_spread *s)
{
    kg_jsonout_key(j, key);
    kg_jsonout_object(j);
    kg_jsonout_kv_int(j, "n", (int64_t)s->n);
    kg_jsonout_kv_num(j, "mean", s->mean);
    kg_jsonout_kv_num(j, "min", s->least);
    kg_jsonout_kv_num(j, "max", s->most);
    kg_jsonout_kv_num(j, "geomean", s->geomean);
    kg_jsonout_key(j, "quarters");
    kg_jsonout_array(j);
    for (int i = 0; i < 4; i++)
        kg_jsonout_num(j, s->quarter[i]);
    kg_jsonout_end(j);
    kg_jsonout_end(j);
}

static void by_p(struct kg_jsonout *j, const char *key, const struct kg_metrics_opts *o,
                 const double *v)
{
    kg_jsonout_key(j, key);
    kg_jsonout_object(j);
    for (size_t i = 0; i < o->n_p; i++) {
        char name[KG_NUM_TEXT];
        kg_num_format(o->p[i], name);
        kg_jsonout_kv_num(j, name, v[i]);
    }
    kg_jsonout_end(j);
}

/* Members of the object that is open. */
static void summary(struct kg_jsonout *j, const struct kg_metrics_opts *o,
                    const struct kg_summary *s)
{
    kg_jsonout_kv_int(j, "count", (int64_t)s->n);
    kg_jsonout_kv_int(j, "correct", (int64_t)s->correct);
    kg_jsonout_kv_int(j, "compiled", (int64_t)s->compiled);
    kg_jsonout_kv_num(j, "correct_rate", s->correct_rate);
    kg_jsonout_kv_num(j, "compiled_rate", s->compiled_rate);
    by_p(j, "fast", o, s->fast_all);
    by_p(j, "fast_of_correct", o, s->fast);
    spread(j, "speedup", &s->speedup);
    spread(j, "speedup_in_all", &s->speedup_all);
    spread(j, "time_coverage", &s->time_coverage);
    spread(j, "time_coverage_in_all", &s->time_coverage_all);
    spread(j, "count_coverage", &s->count_coverage);
    spread(j, "count_coverage_in_all", &s->count_coverage_all);
}

static void summary_object(struct kg_jsonout *j, const char *key, const struct kg_metrics_opts *o,
                           const struct kg_summary *s)
{
    if (key)
        kg_jsonout_key(j, key);
    kg_jsonout_object(j);
    summary(j, o, s);
    kg_jsonout_end(j);
}

static void denominators(struct kg_jsonout *j, const struct kg_report_data *d)
{
    static const char *const names[KG_ROW_KINDS] = {
        "judged", "excluded_ours", "excluded_task", "not_judged", "masked", "padding",
    };
    kg_jsonout_key(j, "denominators");
    kg_jsonout_object(j);
    kg_jsonout_kv_int(j, "records", (int64_t)d->n);
    for (int i = 0; i < KG_ROW_KINDS; i++)
        kg_jsonout_kv_int(j, names[i], (int64_t)d->kinds[i]);
    kg_jsonout_kv_int(j, "tasks", (int64_t)d->n_tasks);
    kg_jsonout_kv_int(j, "samples", (int64_t)d->n_samples);
    kg_jsonout_kv_int(j, "rewards", (int64_t)d->rewards);
    kg_jsonout_end(j);
}

static void verdicts(struct kg_jsonout *j, const struct kg_report_data *d)
{
    double judged = (double)d->kinds[KG_ROW_JUDGED];
    kg_jsonout_key(j, "status");
    kg_jsonout_object(j);
    for (int v = 0; v < KG_VERDICT_COUNT; v++)
        if (d->verdicts[v])
            kg_jsonout_kv_int(j, kg_verdict_name((enum kg_verdict)v), (int64_t)d->verdicts[v]);
    kg_jsonout_end(j);
    kg_jsonout_key(j, "class");
    kg_jsonout_object(j);
    for (int c = 0; c < KG_CLASS_COUNT; c++) {
        kg_jsonout_key(j, kg_verdict_class_name((enum kg_verdict_class)c));
        kg_jsonout_object(j);
        kg_jsonout_kv_int(j, "count", (int64_t)d->classes[c]);
        if (c != KG_CLASS_TASK && c != KG_CLASS_OURS)
            kg_jsonout_kv_num(j, "rate", judged > 0 ? (double)d->classes[c] / judged : (double)NAN);
        kg_jsonout_end(j);
    }
    kg_jsonout_end(j);
}

static void turns(struct kg_jsonout *j, const char *key, const struct kg_metrics_opts *o,
                  const struct kg_summary *s, size_t n)
{
    kg_jsonout_key(j, key);
    kg_jsonout_array(j);
    for (size_t i = 0; i < n; i++) {
        kg_jsonout_object(j);
        kg_jsonout_kv_int(j, "turn", (int64_t)i + 1);
        summary(j, o, &s[i]);
        kg_jsonout_end(j);
    }
    kg_jsonout_end(j);
}

static void pass(struct kg_jsonout *j, const struct kg_report_opts *o,
                 const struct kg_report_data *d)
{
    kg_jsonout_key(j, "pass_at_k");
    kg_jsonout_array(j);
    for (size_t i = 0; i < o->n_k; i++) {
        kg_jsonout_object(j);
        kg_jsonout_kv_int(j, "k", (int64_t)o->k[i]);
        kg_jsonout_kv_num(j, "final", d->pass_final[i]);
        kg_jsonout_kv_num(j, "best", d->pass_best[i]);
        kg_jsonout_kv_int(j, "tasks", (int64_t)d->pass_tasks[i]);
        kg_jsonout_end(j);
    }
    kg_jsonout_end(j);
}

static void bins(struct kg_jsonout *j, const char *key, const double *edges, double step,
                 const size_t *v)
{
    kg_jsonout_key(j, key);
    kg_jsonout_array(j);
    for (int i = 0; i < KG_REPORT_BINS; i++) {
        kg_jsonout_object(j);
        kg_jsonout_kv_num(j, "from", !i ? 0 : edges ? edges[i - 1] : i * step);
        kg_jsonout_kv_int(j, "count", (int64_t)v[i]);
        kg_jsonout_end(j);
    }
    kg_jsonout_end(j);
}

static void sampling(struct kg_jsonout *j, const struct kg_metrics_opts *o,
                     const struct kg_report_data *d)
{
    const struct kg_quality *q = &d->quality;
    if (!d->kept && !d->rejected)
        return;
    kg_jsonout_key(j, "sampling");
    kg_jsonout_object(j);
    kg_jsonout_kv_int(j, "kept", (int64_t)d->kept);
    kg_jsonout_kv_int(j, "rejected", (int64_t)d->rejected);
    kg_jsonout_kv_num(j, "rejected_rate", q->rate);
    kg_jsonout_kv_num(j, "rejected_rate_of_correct", q->correct_rate);
    kg_jsonout_kv_num(j, "rejected_rate_of_incorrect", q->incorrect_rate);
    by_p(j, "rejected_rate_of_fast", o, q->fast_rate);
    summary_object(j, "of_kept", o, &q->kept);
    summary_object(j, "of_rejected", o, &q->rejected);
    kg_jsonout_end(j);
}

/* Members of the object that is open: everything about these rows. */
static void body(struct kg_jsonout *j, const struct kg_report_opts *o,
                 const struct kg_report_data *d)
{
    const struct kg_metrics_opts *m = &o->metrics;
    const struct kg_improvement *i = &d->turns.improvement;
    denominators(j, d);
    verdicts(j, d);
    summary_object(j, "all", m, &d->all);
    turns(j, "turns", m, d->turns.turn, d->turns.n_turns);
    turns(j, "best_by_turn", m, d->turns.best, d->turns.n_turns);
    summary_object(j, "final", m, &d->turns.final);
    kg_jsonout_key(j, "improvement");
    kg_jsonout_object(j);
    kg_jsonout_kv_num(j, "first_correct_rate", i->first_rate);
    kg_jsonout_kv_num(j, "last_correct_rate", i->last_rate);
    kg_jsonout_kv_int(j, "improved", (int64_t)i->improved);
    kg_jsonout_kv_int(j, "regressed", (int64_t)i->regressed);
    kg_jsonout_end(j);
    pass(j, o, d);
    bins(j, "speedup_distribution", kg_report_speedup_edges, 0, d->speedup_bins);
    bins(j, "coverage_distribution", NULL, 1.0 / KG_REPORT_BINS, d->coverage_bins);
    kg_jsonout_kv_num(j, "mean_reward", d->mean_reward);
    sampling(j, m, d);
}

static void by_field(struct kg_jsonout *j, const struct kg_report_row *rows, size_t n,
                     const struct kg_report_opts *o)
{
    size_t n_values;
    const char **v = kg_report_by_values(rows, n, &n_values);
    kg_jsonout_kv_str(j, "by", o->by);
    kg_jsonout_key(j, "groups");
    kg_jsonout_array(j);
    for (size_t i = 0; i < n_values; i++) {
        struct kg_report_data d;
        kg_report_data(rows, n, o, v[i], &d);
        kg_jsonout_object(j);
        kg_jsonout_kv_str(j, "value", v[i]);
        body(j, o, &d);
        kg_jsonout_end(j);
        kg_report_data_release(&d);
    }
    kg_jsonout_end(j);
    free(v);
}

void kg_report_json(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                    struct kg_buf *out)
{
    struct kg_report_data d;
    struct kg_jsonout j;
    kg_report_data(rows, n, o, NULL, &d);
    kg_jsonout_init(&j, out);
    kg_jsonout_object(&j);
    kg_jsonout_kv_str(&j, "version", KG_VERSION);
    kg_jsonout_kv_str(&j, "average", o->metrics.by_task ? "task" : "sample");
    kg_jsonout_kv_bool(&j, "strict", o->metrics.strict);
    body(&j, o, &d);
    if (o->by)
        by_field(&j, rows, n, o);
    kg_jsonout_end(&j);
    kg_buf_addc(out, '\n');
    kg_report_data_release(&d);
}
