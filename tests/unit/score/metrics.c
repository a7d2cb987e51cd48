/* Metrics: fast@p, averages over tasks and samples, turns, pass@k, quality of rejection. */
#include "base/buf.h"
#include "score/metrics.h"
#include "score/report.h"
#include "score/table.h"
#include "tap.h"

#include <stdlib.h>

static const struct kg_metrics_opts opts = {{1, 2}, 2, false, false};

static struct kg_metrics_row row(uint32_t task, uint32_t sample, int64_t turn, bool correct,
                                 double s)
{
    return (struct kg_metrics_row){task, sample, turn, correct, true, s, s / 10, NAN};
}

static void test_summary(void)
{
    struct kg_metrics_row r[] = {row(0, 0, 1, true, 1), row(0, 1, 1, true, 4),
                                 row(0, 2, 1, false, 9), row(1, 3, 1, true, 2)};
    struct kg_metrics_opts o = opts;
    struct kg_summary s;
    kg_metrics_summary(r, 4, &o, &s);
    EQ_INT(s.n, 4);
    EQ_INT(s.correct, 3);
    NEAR(s.correct_rate, 0.75, 0);
    NEAR(s.fast_all[0], 0.75, 0); // >= 1
    NEAR(s.fast_all[1], 0.5, 0);
    NEAR(s.fast[1], 2.0 / 3, 1e-15);
    NEAR(s.speedup.geomean, 2, 1e-12);
    NEAR(s.speedup.mean, 7.0 / 3, 1e-12);
    NEAR(s.speedup.least, 1, 0);
    NEAR(s.speedup.most, 4, 0);
    NEAR(s.speedup_all.mean, 7.0 / 4, 1e-12);
    EQ_INT(s.count_coverage.n, 0);
    OK(isnan(s.count_coverage.mean));
    o.strict = true;
    kg_metrics_summary(r, 4, &o, &s);
    NEAR(s.fast_all[0], 0.5, 0);
    NEAR(s.fast_all[1], 0.25, 0);
    o.strict = false;
    o.by_task = true; // task 0: 2 of 3, task 1: 1 of 1
    kg_metrics_summary(r, 4, &o, &s);
    NEAR(s.correct_rate, (2.0 / 3 + 1) / 2, 1e-15);
    NEAR(s.speedup.mean, (2.5 + 2) / 2, 1e-15);
    NEAR(s.speedup.geomean, 2, 1e-12);
}

static void test_unknown_speedup(void)
{
    struct kg_metrics_row r[] = {row(0, 0, 1, true, NAN), row(0, 1, 1, true, 2)};
    struct kg_summary s;
    kg_metrics_summary(r, 2, &opts, &s);
    EQ_INT(s.speedup.n, 1);
    NEAR(s.fast_all[0], 0.5, 0);
    NEAR(s.speedup.mean, 2, 0);
    kg_metrics_summary(r, 0, &opts, &s);
    OK(isnan(s.correct_rate) && isnan(s.fast_all[0]) && isnan(s.speedup.mean));
}

static void test_turns(void)
{
    // sample 0: wrong, 1.0, 0.5; sample 1: only a third turn of 3; given out of order
    struct kg_metrics_row r[] = {row(0, 0, 3, true, 0.5), row(0, 1, 3, true, 3),
                                 row(0, 0, 1, false, 0), row(0, 0, 2, true, 1)};
    struct kg_turns t;
    kg_metrics_turns(r, 4, 64, &opts, &t);
    EQ_INT(t.n_turns, 3);
    EQ_INT(t.n_samples, 2);
    EQ_INT(t.turn[0].n, 1);
    EQ_INT(t.turn[2].n, 2);
    EQ_INT(t.best[0].n, 2); // all samples, also those without the turn
    NEAR(t.best[0].correct_rate, 0, 0);
    NEAR(t.best[1].fast_all[0], 0.5, 0);
    NEAR(t.best[2].speedup.mean, 2, 0); // 1 and 3, not 0.5 and 3
    NEAR(t.final.speedup.mean, 1.75, 0);
    EQ_INT(t.improvement.improved, 1);
    EQ_INT(t.improvement.regressed, 0);
    kg_metrics_turns_release(&t);
    r[0].turn = 1000000000; // must not allocate as much
    kg_metrics_turns(r, 4, 64, &opts, &t);
    EQ_INT(t.n_turns, 3); // the largest that is listed, not 64
    kg_metrics_turns_release(&t);
    kg_metrics_turns(r, 0, 64, &opts, &t);
    EQ_INT(t.n_turns, 0);
    kg_metrics_turns_release(&t);
}

static void test_pick(void)
{
    struct kg_metrics_row r[] = {row(1, 0, 2, true, 1), row(1, 0, 1, true, 3),
                                 row(1, 0, 3, false, 0), row(0, 1, 1, false, 0)};
    struct kg_metrics_row some[4];
    const double p[] = {0.5, 2, 5};
    double fast[3];
    struct kg_metrics_opts o = opts;
    kg_metrics_sort(r, 4);
    EQ_INT(kg_metrics_pick(r, 4, KG_PICK_FIRST, some), 2);
    NEAR(some[0].speedup, 3, 0);
    EQ_INT(kg_metrics_pick(r, 4, KG_PICK_LAST, some), 2);
    OK(!some[0].correct);
    EQ_INT(kg_metrics_pick(r, 4, KG_PICK_BEST, some), 2);
    NEAR(some[0].speedup, 3, 0);
    kg_metrics_fast(some, 2, &o, p, 3, fast);
    NEAR(fast[0] + fast[1] + fast[2], 1, 0);
    o.by_task = true;
    kg_metrics_fast(r, 4, &o, p, 3, fast); // task 1: 2, 1, 0 of 3; task 0: none of 1
    NEAR(fast[0], (2.0 / 3 + 0) / 2, 1e-15);
    NEAR(fast[1], (1.0 / 3 + 0) / 2, 1e-15);
    NEAR(fast[2], 0, 0);
}

static void test_pass(void)
{
    struct kg_metrics_row r[] = {row(0, 0, 1, true, 1), row(0, 0, 2, false, 0),
                                 row(0, 1, 1, false, 0), row(1, 2, 1, true, 1)};
    size_t tasks;
    NEAR(kg_metrics_pass_at_k(8, 4, 4), 1 - 1.0 / 70, 1e-15);
    NEAR(kg_metrics_pass_at_k(8, 0, 4), 0, 0);
    NEAR(kg_metrics_pass_at_k(8, 5, 4), 1, 0);
    OK(isnan(kg_metrics_pass_at_k(3, 1, 4)));
    NEAR(kg_metrics_pass(r, 4, 1, false, &tasks), (0 + 1) / 2.0, 0);
    EQ_INT(tasks, 2);
    NEAR(kg_metrics_pass(r, 4, 1, true, &tasks), (0.5 + 1) / 2, 0);
    NEAR(kg_metrics_pass(r, 4, 2, true, &tasks), 1, 0);
    EQ_INT(tasks, 1);
    OK(isnan(kg_metrics_pass(r, 4, 3, true, &tasks)));
    EQ_INT(tasks, 0);
}

static void test_quality(void)
{
    struct kg_metrics_row r[] = {row(0, 0, 1, true, 1), row(0, 1, 1, true, 2),
                                 row(0, 2, 1, false, 0), row(0, 3, 1, false, 0)};
    const bool gone[] = {true, false, false, true};
    struct kg_quality q;
    kg_metrics_quality(r, gone, 4, &opts, &q);
    NEAR(q.rate, 0.5, 0);
    NEAR(q.correct_rate, 0.5, 0);
    NEAR(q.incorrect_rate, 0.5, 0);
    NEAR(q.fast_rate[0], 0.5, 0);
    NEAR(q.fast_rate[1], 0, 0);
    EQ_INT(q.rejected.n, 2);
    NEAR(q.kept.speedup.mean, 2, 0);
}

static void test_table(void)
{
    struct kg_table t;
    struct kg_buf out = KG_BUF_INIT;
    kg_table_init(&t, "lr");
    kg_table_add(&t, "n\033ame");
    kg_table_add(&t, "x");
    kg_table_add(&t, "\xc3\xa9");
    kg_table_num(&t, NAN, 2);
    kg_table_add(&t, NULL);
    kg_table_rate(&t, 0.125);
    kg_table_print(&t, &out);
    EQ_STR(kg_buf_str(&out), "n?ame       x\n\xc3\xa9           -\n-      12.5 %\n");
    kg_buf_release(&out);
    kg_table_release(&t);
}

static struct kg_report_row judged(const char *by, bool correct, double s)
{
    return (struct kg_report_row){.task = "t",
                                  .traj = "0",
                                  .status = correct ? "PASSED" : "TIMEOUT",
                                  .by = by,
                                  .verdict = correct ? KG_PASSED : KG_TIMEOUT,
                                  .kept = -1,
                                  .turn = 1,
                                  .correct = correct,
                                  .compiled = true,
                                  .speedup = s,
                                  .time_coverage = 0.5,
                                  .count_coverage = NAN,
                                  .reward = NAN,
                                  .advantage = NAN};
}

static void test_report(void)
{
    static const char *a = "a", *b = "b";
    struct kg_report_row r[] = {judged(a, true, 1), judged(b, false, NAN), judged(a, true, 2)};
    struct kg_report_opts o = {.metrics = opts, .k = {1}, .n_k = 1, .by = "x"};
    struct kg_report_data d;
    struct kg_buf out = KG_BUF_INIT;
    size_t n;
    for (int i = 0; i < 3; i++)
        r[i].sample_id = (uint32_t)i;
    r[2].kind = KG_ROW_OURS;
    r[2].verdict = KG_JUDGE_FAULT;
    kg_report_data(r, 3, &o, NULL, &d);
    EQ_INT(d.n, 3);
    EQ_INT(d.kinds[KG_ROW_JUDGED], 2);
    EQ_INT(d.all.n, 2); // ours is in no denominator
    EQ_INT(d.classes[KG_CLASS_OURS], 1);
    EQ_INT(d.n_samples, 2);
    EQ_INT(d.coverage_bins[5], 1);
    kg_report_data_release(&d);
    const char **v = kg_report_by_values(r, 3, &n);
    EQ_INT(n, 2);
    EQ_STR(v[1], "b");
    free(v);
    kg_report_text(r, 3, &o, &out);
    HAS(out.data, "3: 2 judged; 1 left out, the judge's fault");
    kg_buf_release(&out);
}

int main(void)
{
    test_summary();
    test_unknown_speedup();
    test_turns();
    test_pick();
    test_pass();
    test_quality();
    test_table();
    test_report();
    return tap_done();
}
