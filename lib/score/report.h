/*
 * The report: from one row a record to a table for people, a summary, and one JSON object. The
 * numbers are those of metrics.h; denominators are always told, for people and in JSON.
 */
#ifndef KG_SCORE_REPORT_H
#define KG_SCORE_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/jsonout.h"
#include "base/verdict.h"
#include "score/metrics.h"

enum kg_report_kind {
    KG_ROW_JUDGED,   /* counts */
    KG_ROW_OURS,     /* class ours: left out */
    KG_ROW_TASK,     /* class task: left out */
    KG_ROW_UNJUDGED, /* no status: left out */
    KG_ROW_MASKED,   /* mask 0: left out */
    KG_ROW_PADDING,  /* turn below 1: left out */
    KG_ROW_KINDS
};

struct kg_report_row {
    const char *task, *traj; /* as they are shown */
    const char *status;      /* as it stands in the record; NULL: none */
    const char *by;          /* value of the --by field; NULL without */
    const char *reason;      /* why it was not kept; NULL: no reason given */
    enum kg_report_kind kind;
    enum kg_verdict verdict; /* nearest verdict */
    int kept;                /* 1, 0, -1: not known */
    uint32_t task_id, sample_id;
    int64_t turn;
    bool correct, compiled;
    double speedup, time_coverage, count_coverage, reward, advantage; /* NaN: not known */
};

struct kg_report_opts {
    struct kg_metrics_opts metrics;
    size_t k[8], n_k; /* of pass@k */
    const char *by;   /* name of the --by field, or NULL */
};

#define KG_REPORT_TURNS 64 /* turns above it count in 'final' only */

/* One line a record: task, trajectory, turn, status, speedup, coverage, reward, advantage, kept. */
void kg_report_table(const struct kg_report_row *rows, size_t n, struct kg_buf *out);

/* The summary, for people and as JSON (one line). */
void kg_report_text(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                    struct kg_buf *out);
void kg_report_json(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                    struct kg_buf *out);

/* ---- what both are made of (report_data.c) ------------------------------------------------ */

#define KG_REPORT_BINS 10

struct kg_report_data {
    size_t n, kinds[KG_ROW_KINDS], verdicts[KG_VERDICT_COUNT], classes[KG_CLASS_COUNT];
    size_t n_tasks, n_samples; /* of judged results */
    struct kg_summary all;     /* every judged result */
    struct kg_turns turns;
    double pass_final[8], pass_best[8]; /* by o->k */
    size_t pass_tasks[8];
    size_t speedup_bins[KG_REPORT_BINS], coverage_bins[KG_REPORT_BINS]; /* of right results */
    size_t kept, rejected;
    struct kg_quality quality; /* when kept + rejected > 0 */
    size_t rewards, advantages;
    double mean_reward; /* NaN: none */
};

/* Bins of the speedup: bin i holds [edge i-1, edge i); the last one all above. */
extern const double kg_report_speedup_edges[KG_REPORT_BINS - 1];

/* by: only rows with that value (an interned pointer); NULL: all. Release it. */
void kg_report_data(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                    const char *by, struct kg_report_data *out);
void kg_report_data_release(struct kg_report_data *d);

/* The distinct values of 'by', in the order of first appearance; malloc'ed. */
const char **kg_report_by_values(const struct kg_report_row *rows, size_t n, size_t *n_values);

#endif
