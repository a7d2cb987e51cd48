/* kg-report: judged and scored records in, a table for people out. See kg-report(1). */
#include "base/exit.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/opt.h"
#include "record/loop.h"
#include "rl/gnuplot.h"
#include "rl/output_text.h"
#include "rl/report_record.h"
#include "score/report.h"

#include <stdlib.h>

struct options {
    struct kg_loop_opts loop;
    struct kg_opt_list fast, k;
    const char *plot, *by;
    bool json, strict, summary;
    int average;
};

/* The numbers of an option that may be given several times; at most max of them. */
static int numbers(const struct kg_opt_list *l, const char *option, double *out, size_t max,
                   size_t *n, struct kg_error *err)
{
    struct kg_error why = KG_ERROR_INIT;
    if (l->n > max)
        return kg_error_set(err, KG_E_USAGE, "--%s: at most %zu of them", option, max);
    for (size_t i = 0; i < l->n; i++)
        if (kg_num_double(l->v[i], 0, 1e6, &out[i], &why))
            return kg_error_set(err, KG_E_USAGE, "--%s: %s", option, why.text);
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < i; k++)
            if (out[k] == out[i])
                return kg_error_set(err, KG_E_USAGE, "--%s: %s is given twice", option, l->v[i]);
    if (l->n)
        *n = l->n;
    return 0;
}

static int report_opts(const struct options *o, struct kg_report_opts *r, struct kg_error *err)
{
    double k[8] = {1, 2, 4, 8};
    *r = (struct kg_report_opts){
        .metrics = {.p = {1, 1.2, 1.5, 2, 3}, .n_p = 5, .strict = o->strict},
        .n_k = 4,
        .by = o->by,
    };
    r->metrics.by_task = o->average == 0;
    if (o->json && o->summary)
        return kg_error_set(err, KG_E_USAGE, "--json and --summary: one or the other");
    if (numbers(&o->fast, "fast", r->metrics.p, KG_METRICS_THRESHOLDS, &r->metrics.n_p, err) ||
        numbers(&o->k, "pass", k, 8, &r->n_k, err))
        return -1;
    for (size_t i = 0; i < r->n_k; i++) {
        r->k[i] = (size_t)k[i];
        if (k[i] < 1 || (double)r->k[i] != k[i])
            return kg_error_set(err, KG_E_USAGE, "--pass: '%s' is not a whole number from 1",
                                o->k.v[i]);
    }
    return 0;
}

/* The exit status that a failed or closed stdout ends with; 0: all was written. */
static int print(const struct options *o, const struct kg_report_opts *r,
                 const struct kg_report_run *run)
{
    struct kg_buf out = KG_BUF_INIT;
    if (o->json) {
        kg_report_json(run->rows, run->n, r, &out);
    } else {
        if (!o->summary) {
            kg_report_table(run->rows, run->n, &out);
            kg_buf_addc(&out, '\n');
        }
        kg_report_text(run->rows, run->n, r, &out);
    }
    int status = kg_output_text(kg_buf_str(&out), out.len, "the report");
    kg_buf_release(&out);
    return status;
}

static int run_report(const struct options *o, const struct kg_report_opts *r, const char *gnuplot)
{
    struct kg_report_run run = {.uid_key = o->loop.uid_key,
                                .traj_key = o->loop.traj_key,
                                .turn_key = o->loop.turn_key,
                                .by = o->by,
                                .named = kg_named_keys(&o->loop)};
    struct kg_error err = KG_ERROR_INIT;
    int status = kg_loop_map(&o->loop, kg_report_run_map, &run);
    kg_named_keys_tell(&run.named);
    if (status <= KG_EXIT_OUTPUT && status != KG_EXIT_OUTPUT) {
        int written = print(o, r, &run);
        status = written ? written : status;
        if (!written && o->plot && kg_gnuplot_report(gnuplot, run.rows, run.n, r, o->plot, &err)) {
            kg_msg_from(&err);
            status = kg_error_exit(err.code);
        }
    }
    kg_report_run_release(&run);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const averages[] = {"task", "sample", NULL};
    struct options o = {0};
    struct kg_report_opts r;
    struct kg_error err = KG_ERROR_INIT;
    const struct kg_opt table[] = {
        {0, "json", KG_OPT_FLAG, NULL, "one JSON object instead of the table", &o.json},
        {0, "summary", KG_OPT_FLAG, NULL, "the summary without the table", &o.summary},
        {0, "plot", KG_OPT_STR, "FILE.svg", "draw the curves into FILE.svg (needs gnuplot)",
         &o.plot},
        {0, "average", KG_OPT_WORD, "OVER", "rates and means over: task or sample", &o.average,
         .words = averages},
        {0, "by", KG_OPT_STR, "FIELD", "a summary for each value of FIELD (a.b for inner ones)",
         &o.by},
        {0, "strict", KG_OPT_FLAG, NULL, "fast@p with speedup > p, as KernelBench has it",
         &o.strict},
        {0, "fast", KG_OPT_LIST, "P", "a p of fast@p (again for more; 1 1.2 1.5 2 3)", &o.fast},
        {0, "pass", KG_OPT_LIST, "K", "a k of pass@k (again for more; 1 2 4 8)", &o.k},
        {0, "uid-key", KG_OPT_STR, "KEY", "key of the group (uid)", &o.loop.uid_key},
        {0, "traj-key", KG_OPT_STR, "KEY", "key of the trajectory (traj)", &o.loop.traj_key},
        {0, "turn-key", KG_OPT_STR, "KEY", "key of the turn (turn)", &o.loop.turn_key},
        KG_LOOP_OPTIONS(o.loop),
        KG_OPT_END};
    const struct kg_opt_usage usage = {
        "[options] [file ...]",
        "tells how a run went: a table for people, or one JSON object",
        NULL,
    };
    char *gnuplot = NULL;
    int status = kg_loop_args(&o.loop, table, &usage, argc, argv);
    if (status >= 0)
        return status;
    // what is missing is told before hours of reading, not after
    if (report_opts(&o, &r, &err) || (o.plot && !(gnuplot = kg_gnuplot_find(&err)))) {
        kg_msg_from(&err);
        return kg_error_exit(err.code);
    }
    if (kg_loop_refuse_append(&o.loop) ||
        (o.plot && kg_loop_refuse_output(&o.loop, "--plot", o.plot)))
        status = KG_EXIT_INPUT;
    else
        status = run_report(&o, &r, gnuplot);
    free(gnuplot);
    return status;
}
