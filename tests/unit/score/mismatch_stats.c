/* Batch metrics against the formulas written out, on a few tokens; the golden cases do the rest. */
#include "score/mismatch_stats.h"

#include <stdlib.h>

#include "base/value.h"
#include "tap.h"

static struct kg_buf text;
static struct kg_jsonout out;

static void open_object(void)
{
    kg_buf_reset(&text);
    kg_jsonout_init(&out, &text);
    kg_jsonout_object(&out);
}

/* The number under a key of the object written last; NaN for null and nothing. */
static double field(const char *key)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\"%s\":", key);
    const char *at = strstr(kg_buf_str(&text), pattern);
    char *end;
    if (!at)
        return NAN;
    at += strlen(pattern);
    double x = strtod(at, &end);
    return end == at ? NAN : x;
}

static void test_policies(void)
{
    double train[] = {-1, -2, -4, -9}, rollout[] = {-1.5, -2, -3, -1}, mask[] = {1, 1, 1, 0};
    struct kg_policy p;
    struct kg_mismatch_bounds b;
    struct kg_token_stats t, empty = {0};
    struct kg_mismatch_stats s;
    kg_policy_init(&p);
    kg_mismatch_bounds(&p, &b);
    kg_token_stats_of(train, rollout, mask, 4, &b, &t);
    EQ_INT(t.n, 3);
    EQ_INT(t.catastrophic, 0);
    kg_mismatch_stats_init(&s);
    kg_mismatch_stats_add(&s, &t, false);
    kg_mismatch_stats_add(&s, &empty, false);
    open_object();
    kg_mismatch_stats_json(&s, &out);
    kg_jsonout_end(&out);
    NEAR(field("rows"), 1, 0);
    NEAR(field("training_log_ppl"), 7.0 / 3, 1e-15);
    NEAR(field("training_ppl"), exp(7.0 / 3), 1e-12);
    NEAR(field("kl"), 0.5 / 3, 1e-15);
    NEAR(field("k3_kl"), (exp(0.5) - 1.5 + exp(-1)) / 3, 1e-15);
    NEAR(field("log_ppl_diff"), 7.0 / 3 - 6.5 / 3, 1e-15);
    NEAR(field("chi2_token"), (exp(1) + 1 + exp(-2)) / 3 - 1, 1e-14);
    NEAR(field("chi2_seq"), exp(-1) - 1, 1e-15);
    kg_mismatch_stats_add(&s, &empty, true); /* as released: perplexity 1 */
    open_object();
    kg_mismatch_stats_json(&s, &out);
    kg_jsonout_end(&out);
    NEAR(field("rows"), 2, 0);
    NEAR(field("training_ppl"), (exp(7.0 / 3) + 1) / 2, 1e-12);
    t.d = NAN;
    kg_mismatch_stats_add(&s, &t, false);
    EQ_INT(s.not_numbers, 1);
    EQ_INT(s.rows, 2);
}

static void test_token_weights(void)
{
    double train[] = {log(0.25), 0, log(4)}, rollout[] = {0, 0, 0};
    struct kg_weight_stats s;
    struct kg_weight_row row;
    kg_weight_stats_init(&s, KG_LEVEL_TOKEN, 0.5, 2);
    kg_weight_row_tokens(&s, train, rollout, NULL, 3, &row);
    kg_weight_stats_add(&s, &row, NAN, true, 2, false);
    open_object();
    kg_weight_stats_json(&s, &out);
    kg_jsonout_end(&out);
    double mean = 3.5 / 3, square = 5.25 / 3; /* of 0.5, 1, 2 */
    NEAR(field("mean"), 5.25 / 3, 1e-15);
    NEAR(field("max"), 4, 1e-14);
    NEAR(field("min"), 0.25, 1e-15);
    NEAR(field("fraction_high"), 1.0 / 3, 0);
    NEAR(field("std"), sqrt(square - mean * mean), 1e-14);
    NEAR(field("eff_sample_fraction"), mean * mean / square, 1e-14);
    NEAR(field("masked_fraction"), 2.0 / 3, 0);
    NEAR(field("seq_masked_fraction"), 1, 0);
    NEAR(field("seq_max_deviation"), 0.75, 1e-15);
}

/* Weights near 1: a std of 1e-9 that squares minus squares would lose. */
static void test_no_cancellation(void)
{
    struct kg_weight_stats s;
    struct kg_weight_row row;
    kg_weight_stats_init(&s, KG_LEVEL_TURN, 0.5, 2);
    for (int i = 0; i < 2; i++) {
        double d = i ? 1e-9 : -1e-9;
        kg_weight_row_unit(&s, d, 10, &row);
        kg_weight_stats_add(&s, &row, d, false, 0, false);
    }
    open_object();
    kg_weight_stats_json(&s, &out);
    kg_jsonout_end(&out);
    NEAR(field("std"), 1e-9, 1e-15);
    NEAR(field("seq_std"), 1e-9 * sqrt(2), 1e-15);
}

int main(void)
{
    test_policies();
    test_token_weights();
    test_no_cancellation();
    kg_buf_release(&text);
    return tap_done();
}
