#include "score/report.h"

#include "base/num.h"
#include "score/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kept_text(const struct kg_report_row *r, char text[64])
{
    if (r->kept < 0 && !r->reason)
        return NULL;
    if (r->kept == 1)
        return "yes";
    snprintf(text, 64, "no%s%.50s", r->reason ? ": " : "", r->reason ? r->reason : "");
    return text;
}

void kg_report_table(const struct kg_report_row *rows, size_t n, struct kg_buf *out)
{
    static const char *const heads[] = {"task",     "trajectory", "turn",      "status", "speedup",
                                        "coverage", "reward",     "advantage", "kept"};
    struct kg_table t;
    kg_table_init(&t, "llrlrrrrl");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        kg_table_add(&t, heads[i]);
    for (size_t i = 0; i < n; i++) {
        const struct kg_report_row *r = &rows[i];
        char text[64];
        kg_table_add(&t, r->task);
        kg_table_add(&t, r->traj);
        kg_table_addf(&t, "%" PRId64, r->turn);
        kg_table_add(&t, r->status);
        kg_table_num(&t, r->speedup, 3);
        kg_table_rate(&t, r->time_coverage);
        kg_table_num(&t, r->reward, 4);
        kg_table_num(&t, r->advantage, 4);
        kg_table_add(&t, kept_text(r, text));
    }
    kg_table_print(&t, out);
    kg_table_release(&t);
}

static void rate(struct kg_buf *out, size_t part, size_t whole)
{
    if (whole)
        kg_buf_addf(out, " (%.1f %%)", 100.0 * (double)part / (double)whole);
}

static void denominators(const struct kg_report_data *d, const struct kg_report_opts *o,
                         struct kg_buf *out)
{
    kg_buf_addf(out, "records   %zu: %zu judged", d->n, d->kinds[KG_ROW_JUDGED]);
    static const char *const words[KG_ROW_KINDS] = {
        NULL,
        "left out, the judge's fault",
        "left out, the task's fault",
        "not judged",
        "masked",
        "padding",
    };
    for (int i = KG_ROW_OURS; i < KG_ROW_KINDS; i++)
        if (d->kinds[i] || i == KG_ROW_OURS || i == KG_ROW_TASK)
            kg_buf_addf(out, "; %zu %s", d->kinds[i], words[i]);
    kg_buf_addf(out, "\nsamples   %zu of %zu task%s; averages over %s; fast@p: speedup %s p\n",
                d->n_samples, d->n_tasks, d->n_tasks == 1 ? "" : "s",
                o->metrics.by_task ? "tasks" : "samples", o->metrics.strict ? ">" : ">=");
}

static void verdicts(const struct kg_report_data *d, struct kg_buf *out)
{
    size_t judged = d->kinds[KG_ROW_JUDGED];
    kg_buf_adds(out, "class    ");
    for (int c = 0; c < KG_CLASS_COUNT; c++) {
        if (!d->classes[c] && c != KG_CLASS_PASS && c != KG_CLASS_HACK)
            continue;
        kg_buf_addf(out, "%s %s %zu", c ? "," : "", kg_verdict_class_name((enum kg_verdict_class)c),
                    d->classes[c]);
        if (c != KG_CLASS_TASK && c != KG_CLASS_OURS)
            rate(out, d->classes[c], judged);
    }
    kg_buf_adds(out, "\nstatus   ");
    const char *comma = "";
    for (int v = 0; v < KG_VERDICT_COUNT; v++) {
        if (!d->verdicts[v])
            continue;
        kg_buf_addf(out, "%s %s %zu", comma, kg_verdict_name((enum kg_verdict)v), d->verdicts[v]);
        comma = ",";
    }
    kg_buf_adds(out, *comma ? "\n" : " none\n");
}

/* set, n, compiled, correct, fast@p ..., speedup: geomean, mean, max; coverage */
static void summary_row(struct kg_table *t, const char *name, const struct kg_metrics_opts *o,
                        const struct kg_summary *s)
{
    kg_table_add(t, name);
    kg_table_addf(t, "%zu", s->n);
    kg_table_rate(t, s->compiled_rate);
    kg_table_rate(t, s->correct_rate);
    for (size_t i = 0; i < o->n_p; i++)
        kg_table_rate(t, s->fast_all[i]);
    kg_table_num(t, s->speedup.geomean, 3);
    kg_table_num(t, s->speedup.mean, 3);
    kg_table_num(t, s->speedup.most, 3);
    kg_table_rate(t, s->time_coverage.mean);
}

static void summary_heads(struct kg_table *t, const struct kg_metrics_opts *o, const char *first)
{
    static const char *const a[] = {"n", "compiled", "correct"};
    static const char *const b[] = {"geomean", "mean", "max", "coverage"};
    kg_table_add(t, first);
    for (size_t i = 0; i < 3; i++)
        kg_table_add(t, a[i]);
    for (size_t i = 0; i < o->n_p; i++) {
        char p[KG_NUM_TEXT];
        kg_num_format(o->p[i], p);
        kg_table_addf(t, "fast@%s", p);
    }
    for (size_t i = 0; i < 4; i++)
        kg_table_add(t, b[i]);
}

static void table_begin(struct kg_table *t, const struct kg_metrics_opts *o, const char *first,
                        char align[KG_TABLE_COLUMNS + 1])
{
    size_t n = 8 + o->n_p;
    memset(align, 'r', n);
    align[0] = 'l';
    align[n] = '\0';
    kg_table_init(t, align);
    summary_heads(t, o, first);
}

static void sets(const struct kg_report_data *d, const struct kg_report_opts *o, struct kg_buf *out)
{
    char align[KG_TABLE_COLUMNS + 1], name[32];
    const struct kg_metrics_opts *m = &o->metrics;
    struct kg_table t;
    table_begin(&t, m, "set", align);
    for (size_t i = 0; i < d->turns.n_turns; i++) {
        if (!d->turns.turn[i].n)
            continue;
        snprintf(name, sizeof name, "turn %zu", i + 1);
        summary_row(&t, name, m, &d->turns.turn[i]);
    }
    for (size_t i = 1; i < d->turns.n_turns; i++) {
        snprintf(name, sizeof name, "best of 1-%zu", i + 1);
        summary_row(&t, name, m, &d->turns.best[i]);
    }
    summary_row(&t, "final", m, &d->turns.final);
    if (d->kept || d->rejected) {
        summary_row(&t, "kept", m, &d->quality.kept);
        summary_row(&t, "rejected", m, &d->quality.rejected);
    }
    kg_table_print(&t, out);
    kg_table_release(&t);
}

static void pass(const struct kg_report_data *d, const struct kg_report_opts *o, struct kg_buf *out)
{
    bool any = false;
    for (size_t i = 0; i < o->n_k; i++) {
        if (!d->pass_tasks[i])
            continue;
        kg_buf_addf(out, "%s pass@%zu %.1f %% (%zu task%s)", any ? "," : "pass@k   ", o->k[i],
                    100 * d->pass_final[i], d->pass_tasks[i], d->pass_tasks[i] == 1 ? "" : "s");
        any = true;
    }
    if (any)
        kg_buf_adds(out, "; by the last turn\n");
}

static void distributions(const struct kg_report_data *d, struct kg_buf *out)
{
    kg_buf_adds(out, "speedup  ");
    for (int i = 0; i < KG_REPORT_BINS; i++) {
        char edge[KG_NUM_TEXT];
        kg_num_format(kg_report_speedup_edges[i < KG_REPORT_BINS - 1 ? i : i - 1], edge);
        kg_buf_addf(out, "%s %s%s: %zu", i ? "," : "", i < KG_REPORT_BINS - 1 ? "<" : ">=", edge,
                    d->speedup_bins[i]);
    }
    kg_buf_adds(out, "\ncoverage ");
    for (int i = 0; i < KG_REPORT_BINS; i++)
        kg_buf_addf(out, "%s %d-%d %%: %zu", i ? "," : "", 100 / KG_REPORT_BINS * i,
                    100 / KG_REPORT_BINS * (i + 1), d->coverage_bins[i]);
    kg_buf_adds(out, "\n");
    if (d->rewards)
        kg_buf_addf(out, "reward    mean %.4f of %zu\n", d->mean_reward, d->rewards);
    if (d->kept || d->rejected) {
        kg_buf_addf(out, "sampling  %zu kept, %zu rejected", d->kept, d->rejected);
        rate(out, d->rejected, d->kept + d->rejected);
        kg_buf_adds(out, "\n");
    }
}

static void by_field(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                     struct kg_buf *out)
{
    char align[KG_TABLE_COLUMNS + 1];
    size_t n_values;
    const char **v = kg_report_by_values(rows, n, &n_values);
    struct kg_table t;
    table_begin(&t, &o->metrics, o->by, align);
    for (size_t i = 0; i < n_values; i++) {
        struct kg_report_data d;
        kg_report_data(rows, n, o, v[i], &d);
        summary_row(&t, v[i], &o->metrics, &d.all);
        kg_report_data_release(&d);
    }
    kg_buf_adds(out, "\n");
    kg_table_print(&t, out);
    kg_table_release(&t);
    free(v);
}

void kg_report_text(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                    struct kg_buf *out)
{
    struct kg_report_data d;
    kg_report_data(rows, n, o, NULL, &d);
    denominators(&d, o, out);
    verdicts(&d, out);
    pass(&d, o, out);
    distributions(&d, out);
    kg_buf_adds(out, "\n");
    sets(&d, o, out);
    if (o->by)
        by_field(rows, n, o, out);
    kg_report_data_release(&d);
}
