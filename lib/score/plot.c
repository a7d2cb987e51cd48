#include "score/plot.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { GRID = 96 }; /* values of p */
static const double grid_from = 0.25, grid_step = 0.05;

static const struct {
    enum kg_verdict_class class;
    const char *colour;
} stack[] = {
    {KG_CLASS_PASS, "#2e8b57"}, {KG_CLASS_WRONG, "#e0a030"},   {KG_CLASS_CRASH, "#c05030"},
    {KG_CLASS_HACK, "#8040a0"}, {KG_CLASS_SUSPECT, "#b090d0"}, {KG_CLASS_TASK, "#909090"},
    {KG_CLASS_OURS, "#c0c0c0"},
};
enum { N_STACK = sizeof stack / sizeof *stack };

/* Judged rows as metrics rows. */
static size_t judged_rows(const struct kg_report_row *rows, size_t n, struct kg_metrics_row *out)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].kind == KG_ROW_JUDGED)
            out[m++] = (struct kg_metrics_row){
                rows[i].task_id,  rows[i].sample_id, rows[i].turn, rows[i].correct,
                rows[i].compiled, rows[i].speedup,   NAN,          NAN};
    return m;
}

/* Columns: p, fast@p of the first, the last and the best turn. */
static void add_fast(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                     struct kg_buf *out)
{
    struct kg_metrics_row *v = kg_mem_array(n + 1, sizeof *v);
    struct kg_metrics_row *some = kg_mem_array(n + 1, sizeof *some);
    double p[GRID], fast[3][GRID];
    size_t m = judged_rows(rows, n, v);
    kg_metrics_sort(v, m);
    for (size_t i = 0; i < GRID; i++)
        p[i] = grid_from + grid_step * (double)i;
    for (int which = KG_PICK_FIRST; which <= KG_PICK_BEST; which++) {
        size_t k = kg_metrics_pick(v, m, (enum kg_metrics_pick)which, some);
        kg_metrics_fast(some, k, &o->metrics, p, GRID, fast[which]);
    }
    kg_buf_adds(out, "$fast << EOD\n");
    for (size_t i = 0; m && i < GRID; i++)
        kg_buf_addf(out, "%.9g %.9g %.9g %.9g\n", p[i], fast[0][i], fast[1][i], fast[2][i]);
    kg_buf_adds(out, "EOD\n");
    free(v);
    free(some);
}

/* One line a turn: its number, then the share of each class of the stack. Returns the lines. */
static size_t add_classes(const struct kg_report_row *rows, size_t n, struct kg_buf *out)
{
    size_t counts[KG_REPORT_TURNS + 1][KG_CLASS_COUNT] = {{0}}, total[KG_REPORT_TURNS + 1] = {0};
    size_t lines = 0;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].kind > KG_ROW_TASK || rows[i].turn > KG_REPORT_TURNS)
            continue;
        counts[rows[i].turn][kg_verdict_class(rows[i].verdict)]++;
        total[rows[i].turn]++;
    }
    kg_buf_adds(out, "$classes << EOD\n");
    for (int t = 1; t <= KG_REPORT_TURNS; t++) {
        if (!total[t])
            continue;
        kg_buf_addf(out, "%d", t);
        for (size_t c = 0; c < N_STACK; c++)
            kg_buf_addf(out, " %.9g", (double)counts[t][stack[c].class] / (double)total[t]);
        kg_buf_addc(out, '\n');
        lines++;
    }
    kg_buf_adds(out, "EOD\n");
    return lines;
}

static size_t add_scatter(const struct kg_report_row *rows, size_t n, struct kg_buf *out)
{
    size_t lines = 0;
    kg_buf_adds(out, "$scatter << EOD\n");
    for (size_t i = 0; i < n; i++) {
        const struct kg_report_row *r = &rows[i];
        if (r->kind != KG_ROW_JUDGED || !r->correct || !(r->speedup > 0) || !isfinite(r->speedup) ||
            !isfinite(r->time_coverage))
            continue;
        kg_buf_addf(out, "%.9g %.9g\n", r->time_coverage, r->speedup);
        lines++;
    }
    kg_buf_adds(out, "EOD\n");
    return lines;
}

static void no_data(struct kg_buf *out)
{
    kg_buf_adds(out, "set label 1 'no data' at graph 0.5,0.5 center\n"
                     "plot [0:1][0:1] NaN notitle\nunset label 1\n");
}

static void plot_classes(size_t lines, struct kg_buf *out)
{
    kg_buf_adds(out, "set title 'verdict classes by turn'\nset xlabel 'turn'\nset ylabel 'share'\n"
                     "set style data histograms\nset style histogram rowstacked\n"
                     "set style fill solid 0.9 border -1\nset boxwidth 0.8\nset yrange [0:1]\n"
                     "set key outside below\n");
    if (!lines) {
        no_data(out);
        return;
    }
    kg_buf_adds(out, "plot ");
    for (size_t c = 0; c < N_STACK; c++)
        kg_buf_addf(out, "%s$classes using %zu%s title '%s' linecolor rgb '%s'", c ? ", " : "",
                    c + 2, c ? "" : ":xtic(1)", kg_verdict_class_name(stack[c].class),
                    stack[c].colour);
    kg_buf_adds(out, "\n");
}

/* 'text' for gnuplot: a quote is written twice */
static void add_quoted(struct kg_buf *out, const char *s)
{
    kg_buf_addc(out, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            kg_buf_addc(out, '\'');
        kg_buf_addc(out, *s);
    }
    kg_buf_addc(out, '\'');
}

void kg_report_plot(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                    const char *svg, struct kg_buf *out)
{
    size_t judged = 0;
    for (size_t i = 0; i < n; i++)
        judged += rows[i].kind == KG_ROW_JUDGED;
    add_fast(rows, n, o, out);
    size_t turns = add_classes(rows, n, out);
    size_t points = add_scatter(rows, n, out);
    kg_buf_adds(out,
                "set terminal svg noenhanced size 1320,460 font 'sans,12' background rgb 'white'\n"
                "set output ");
    add_quoted(out, svg);
    kg_buf_addf(out,
                "\nset multiplot layout 1,3\nset grid\n"
                "set title 'fast@p of all judged samples, mean over %s'\n"
                "set xlabel 'p'\nset ylabel 'share with speedup %s p'\nset yrange [0:1]\n"
                "set key outside below\n",
                o->metrics.by_task ? "tasks" : "samples", o->metrics.strict ? ">" : ">=");
    if (judged)
        kg_buf_adds(out, "plot $fast using 1:2 with lines linewidth 2 title 'first turn', "
                         "$fast using 1:3 with lines linewidth 2 title 'last turn', "
                         "$fast using 1:4 with lines linewidth 2 title 'best turn'\n");
    else
        no_data(out);
    plot_classes(turns, out);
    kg_buf_adds(out, "set title 'coverage and speedup of right results'\nset xlabel 'coverage'\n"
                     "set ylabel 'speedup'\nunset key\nset style data points\n");
    if (points)
        kg_buf_adds(out, "set autoscale y\nset logscale y\nset xrange [0:1.05]\n"
                         "plot $scatter using 1:2 with points pointtype 7 pointsize 0.5\n");
    else
        no_data(out);
    kg_buf_adds(out, "unset multiplot\nset output\n");
}
