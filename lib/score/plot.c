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

/* Coverages and speedups, and the range of the speedups, which holds 1. Returns the points. */
static size_t add_scatter(const struct kg_report_row *rows, size_t n, double range[2],
                          struct kg_buf *out)
{
    size_t lines = 0;
    range[0] = 0.5;
    range[1] = 2;
    kg_buf_adds(out, "$scatter << EOD\n");
    for (size_t i = 0; i < n; i++) {
        const struct kg_report_row *r = &rows[i];
        if (r->kind != KG_ROW_JUDGED || !r->correct || !(r->speedup > 0) || !isfinite(r->speedup) ||
            !isfinite(r->time_coverage))
            continue;
        kg_buf_addf(out, "%.9g %.9g\n", r->time_coverage, r->speedup);
        range[0] = fmin(range[0], r->speedup);
        range[1] = fmax(range[1], r->speedup);
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

static void plot_fast(size_t judged, const struct kg_report_opts *o, struct kg_buf *out)
{
    kg_buf_addf(out,
                "set title 'fast@p of all judged samples, mean over %s'\n"
                "set xlabel 'p'\nset ylabel 'share with speedup %s p'\n"
                "set xrange [0:5]\nset xtics 1\nset yrange [0:1.02]\n",
                o->metrics.by_task ? "tasks" : "samples", o->metrics.strict ? ">" : ">=");
    if (!judged) {
        no_data(out);
        return;
    }
    /* thinner ones on thicker ones: all are seen where they coincide */
    kg_buf_adds(out, "plot $fast using 1:2 with lines linewidth 6 linecolor rgb '#a8c4e0' "
                     "title 'first turn', $fast using 1:3 with lines linewidth 3 "
                     "linecolor rgb '#205090' title 'last turn', $fast using 1:4 with lines "
                     "linewidth 1.5 linecolor rgb '#e07020' title 'best turn'\n");
}

static void plot_classes(size_t turns, struct kg_buf *out)
{
    kg_buf_adds(out, "set title 'verdict classes by turn'\nset xlabel 'turn'\n"
                     "set ylabel 'share of results'\nset autoscale x\nset xtics autofreq\n"
                     "set style data histograms\nset style histogram rowstacked\n"
                     "set style fill solid 0.9 border -1\nset boxwidth 0.8\nset yrange [0:1]\n");
    if (!turns) {
        no_data(out);
        return;
    }
    kg_buf_adds(out, "plot ");
    for (size_t c = 0; c < N_STACK; c++) {
        kg_buf_addf(out, "%s$classes using %zu", c ? ", " : "", c + 2);
        if (!c) /* the numbers of up to 16 turns have room */
            kg_buf_addf(out, ":xtic(int($0) %% %zu ? '' : strcol(1))", (turns + 15) / 16);
        kg_buf_addf(out, " title '%s' linecolor rgb '%s'", kg_verdict_class_name(stack[c].class),
                    stack[c].colour);
    }
    kg_buf_adds(out, "\n");
}

/* Speedups by powers of 2, with some air at both ends, and a line where the reference is. */
static void plot_scatter(size_t points, const double range[2], struct kg_buf *out)
{
    kg_buf_adds(out, "set title 'coverage and speedup of right results'\nset xlabel 'coverage'\n"
                     "set ylabel 'speedup'\nunset key\nset style data points\n");
    if (!points) {
        no_data(out);
        return;
    }
    kg_buf_addf(out,
                "set logscale y 2\nset yrange [%.9g:%.9g]\nset xrange [0:1.05]\n"
                "set xtics 0.2\n"
                "plot 1 with lines linewidth 1.5 linecolor rgb '#808080', $scatter using 1:2 with "
                "points pointtype 7 pointsize 0.5 linecolor rgb '#205090'\n",
                range[0] / 1.2, range[1] * 1.2);
}

void kg_report_plot(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                    const char *svg, struct kg_buf *out)
{
    size_t judged = 0;
    for (size_t i = 0; i < n; i++)
        judged += rows[i].kind == KG_ROW_JUDGED;
    add_fast(rows, n, o, out);
    size_t turns = add_classes(rows, n, out);
    double range[2];
    size_t points = add_scatter(rows, n, range, out);
    kg_buf_adds(out,
                "set terminal svg noenhanced size 1320,460 font 'sans,12' background rgb 'white'\n"
                "set output ");
    add_quoted(out, svg);
    kg_buf_adds(out, "\nset multiplot layout 1,3\nset grid\nset tmargin 3\nset bmargin 6\n"
                     "set lmargin 9\nset rmargin 3\n"
                     "set key bmargin center horizontal Left reverse samplen 1.2 width -2\n");
    plot_fast(judged, o, out);
    plot_classes(turns, out);
    plot_scatter(points, range, out);
    kg_buf_adds(out, "unset multiplot\nset output\n");
}
