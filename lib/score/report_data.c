#include "score/report.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double kg_report_speedup_edges[KG_REPORT_BINS - 1] = {0.25, 0.5, 0.8, 1, 1.2, 1.5, 2, 3, 5};

static size_t speedup_bin(double s)
{
    size_t i = 0;
    while (i < KG_REPORT_BINS - 1 && s >= kg_report_speedup_edges[i])
        i++;
    return i;
}

static size_t coverage_bin(double c)
{
    double x = floor(c * KG_REPORT_BINS);
    return x < 0 ? 0 : x >= KG_REPORT_BINS ? KG_REPORT_BINS - 1 : (size_t)x;
}

static struct kg_metrics_row metrics_row(const struct kg_report_row *r)
{
    return (struct kg_metrics_row){r->task_id,  r->sample_id, r->turn,          r->correct,
                                   r->compiled, r->speedup,   r->time_coverage, r->count_coverage};
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t distinct(uint32_t *v, size_t n)
{
    size_t m = 0;
    if (n)
        qsort(v, n, sizeof *v, compare_ids);
    for (size_t i = 0; i < n; i++)
        m += !i || v[i] != v[i - 1];
    return m;
}

static void count(struct kg_report_data *d, const struct kg_report_row *r, double *reward_sum)
{
    d->n++;
    d->kinds[r->kind]++;
    if (r->kind == KG_ROW_JUDGED || r->kind == KG_ROW_OURS || r->kind == KG_ROW_TASK) {
        d->verdicts[r->verdict]++;
        d->classes[kg_verdict_class(r->verdict)]++;
    }
    if (r->kind != KG_ROW_JUDGED)
        return;
    if (r->correct && !isnan(r->speedup))
        d->speedup_bins[speedup_bin(r->speedup)]++;
    if (r->correct && !isnan(r->time_coverage))
        d->coverage_bins[coverage_bin(r->time_coverage)]++;
    if (!isnan(r->reward)) {
        d->rewards++;
        *reward_sum += r->reward;
    }
    d->advantages += !isnan(r->advantage);
}

/* Quality of the rows that kg-sample has decided on. */
static void quality(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                    const char *by, struct kg_report_data *d)
{
    struct kg_metrics_row *some = kg_mem_array(n + 1, sizeof *some);
    bool *gone = kg_mem_array(n + 1, sizeof *gone);
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        const struct kg_report_row *r = &rows[i];
        if ((by && r->by != by) || r->kind != KG_ROW_JUDGED || r->kept < 0)
            continue;
        gone[m] = !r->kept;
        some[m++] = metrics_row(r);
        d->kept += r->kept == 1;
        d->rejected += r->kept == 0;
    }
    if (m)
        kg_metrics_quality(some, gone, m, &o->metrics, &d->quality);
    free(some);
    free(gone);
}

void kg_report_data(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                    const char *by, struct kg_report_data *out)
{
    struct kg_metrics_row *judged = kg_mem_array(n + 1, sizeof *judged);
    uint32_t *ids = kg_mem_array(n + 1, sizeof *ids);
    double reward_sum = 0;
    size_t m = 0;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < n; i++) {
        if (by && rows[i].by != by)
            continue;
        count(out, &rows[i], &reward_sum);
        if (rows[i].kind == KG_ROW_JUDGED)
            judged[m++] = metrics_row(&rows[i]);
    }
    out->mean_reward = out->rewards ? reward_sum / (double)out->rewards : NAN;
    for (size_t i = 0; i < m; i++)
        ids[i] = judged[i].task;
    out->n_tasks = distinct(ids, m);
    for (size_t i = 0; i < m; i++)
        ids[i] = judged[i].sample;
    out->n_samples = distinct(ids, m);
    kg_metrics_summary(judged, m, &o->metrics, &out->all);
    kg_metrics_turns(judged, m, KG_REPORT_TURNS, &o->metrics, &out->turns);
    for (size_t i = 0; i < o->n_k; i++) {
        out->pass_final[i] = kg_metrics_pass(judged, m, o->k[i], false, &out->pass_tasks[i]);
        out->pass_best[i] = kg_metrics_pass(judged, m, o->k[i], true, &out->pass_tasks[i]);
    }
    quality(rows, n, o, by, out);
    free(judged);
    free(ids);
}

void kg_report_data_release(struct kg_report_data *d)
{
    kg_metrics_turns_release(&d->turns);
    memset(d, 0, sizeof *d);
}

const char **kg_report_by_values(const struct kg_report_row *rows, size_t n, size_t *n_values)
{
    const char **v = NULL;
    size_t cap = 0;
    *n_values = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        // the value of the row before is the likely one: look from the end
        for (k = *n_values; k > 0 && v[k - 1] != rows[i].by;)
            k--;
        if (k || !rows[i].by)
            continue;
        v = kg_mem_grow(v, *n_values, &cap, sizeof *v);
        v[(*n_values)++] = rows[i].by;
    }
    return v;
}
