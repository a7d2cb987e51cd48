#include "score/mismatch_stats.h"

#include <math.h>

static double clamp(double x, double lower, double upper)
{
    return x > upper ? upper : x < lower ? lower : x;
}

static double clamp_log(double x)
{
    return clamp(x, -KG_MISMATCH_CLAMP, KG_MISMATCH_CLAMP);
}

static double mean_of(struct kg_exactsum *s, uint64_t n)
{
    return n ? kg_exactsum_round(s) / (double)n : NAN;
}

/* ---- policies ------------------------------------------------------------------------------ */

void kg_token_stats_of(const double *train, const double *rollout, const double *mask, size_t n,
                       const struct kg_mismatch_bounds *b, struct kg_token_stats *t)
{
    *t = (struct kg_token_stats){0};
    for (size_t i = 0; i < n; i++) {
        if (mask && mask[i] == 0)
            continue;
        double d = train[i] - rollout[i], c = exp(clamp_log(d));
        t->n++;
        t->train += train[i];
        t->rollout += rollout[i];
        t->d += d;
        t->k3 += exp(d) - d - 1;
        t->chi2 += c * c;
        t->catastrophic += d < b->veto;
    }
}

void kg_mismatch_stats_init(struct kg_mismatch_stats *s)
{
    struct kg_exactsum *sums[] = {
        &s->training_ppl, &s->training_log, &s->rollout_ppl, &s->rollout_log, &s->kl,      &s->k3,
        &s->diff,         &s->abs_diff,     &s->ratio,       &s->chi2_token,  &s->chi2_seq};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        kg_exactsum_init(sums[i]);
    s->diff_max = -INFINITY;
    s->diff_min = INFINITY;
    s->rows = s->tokens = s->catastrophic = s->not_numbers = 0;
}

void kg_mismatch_stats_add(struct kg_mismatch_stats *s, const struct kg_token_stats *t,
                           bool count_empty)
{
    if (!t->n && !count_empty)
        return;
    double n = (double)t->n;
    double train = t->n ? t->train / n : 0, rollout = t->n ? t->rollout / n : 0;
    if (!isfinite(t->d) || !isfinite(train) || !isfinite(rollout)) {
        s->not_numbers++;
        return;
    }
    double diff = rollout - train;
    s->rows++;
    s->tokens += t->n;
    s->catastrophic += t->catastrophic;
    kg_exactsum_add(&s->training_ppl, exp(-train));
    kg_exactsum_add(&s->training_log, -train);
    kg_exactsum_add(&s->rollout_ppl, exp(-rollout));
    kg_exactsum_add(&s->rollout_log, -rollout);
    kg_exactsum_add(&s->kl, -t->d);
    kg_exactsum_add(&s->k3, t->k3);
    kg_exactsum_add(&s->diff, diff);
    kg_exactsum_add(&s->abs_diff, fabs(diff));
    kg_exactsum_add(&s->ratio, exp(diff));
    kg_exactsum_add(&s->chi2_token, t->chi2);
    kg_exactsum_add(&s->chi2_seq, exp(2 * clamp_log(t->d)));
    s->diff_max = fmax(s->diff_max, diff);
    s->diff_min = fmin(s->diff_min, diff);
}

void kg_mismatch_stats_json(struct kg_mismatch_stats *s, struct kg_jsonout *j)
{
    uint64_t rows = s->rows, tokens = s->tokens;
    kg_jsonout_kv_int(j, "rows", (int64_t)rows);
    kg_jsonout_kv_int(j, "tokens", (int64_t)tokens);
    kg_jsonout_kv_int(j, "rows_not_numbers", (int64_t)s->not_numbers);
    kg_jsonout_kv_num(j, "training_ppl", mean_of(&s->training_ppl, rows));
    kg_jsonout_kv_num(j, "training_log_ppl", mean_of(&s->training_log, rows));
    kg_jsonout_kv_num(j, "rollout_ppl", mean_of(&s->rollout_ppl, rows));
    kg_jsonout_kv_num(j, "rollout_log_ppl", mean_of(&s->rollout_log, rows));
    kg_jsonout_kv_num(j, "kl", mean_of(&s->kl, tokens));
    kg_jsonout_kv_num(j, "k3_kl", mean_of(&s->k3, tokens));
    kg_jsonout_kv_num(j, "log_ppl_diff", mean_of(&s->diff, rows));
    kg_jsonout_kv_num(j, "log_ppl_abs_diff", mean_of(&s->abs_diff, rows));
    kg_jsonout_kv_num(j, "log_ppl_diff_max", s->diff_max);
    kg_jsonout_kv_num(j, "log_ppl_diff_min", s->diff_min);
    kg_jsonout_kv_num(j, "ppl_ratio", mean_of(&s->ratio, rows));
    kg_jsonout_kv_num(j, "chi2_token", mean_of(&s->chi2_token, tokens) - 1);
    kg_jsonout_kv_num(j, "chi2_seq", mean_of(&s->chi2_seq, rows) - 1);
}

/* ---- weights ------------------------------------------------------------------------------- */

void kg_weight_stats_init(struct kg_weight_stats *s, enum kg_level level, double lower,
                          double upper)
{
    *s = (struct kg_weight_stats){.level = level, .lower = lower, .upper = upper};
    struct kg_exactsum *sums[] = {&s->w, &s->e, &s->e2, &s->seq, &s->seq2};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        kg_exactsum_init(sums[i]);
    s->max = s->seq_max = -INFINITY;
    s->min = s->seq_min = INFINITY;
}

static void add_token(const struct kg_weight_stats *s, double w, double times,
                      struct kg_weight_row *row)
{
    double e = clamp(w, s->lower, s->upper) - 1;
    row->w += w * times;
    row->e += e * times;
    row->e2 += e * e * times;
    row->max = w > row->max ? w : row->max;
    row->min = w < row->min ? w : row->min;
}

void kg_weight_row_tokens(const struct kg_weight_stats *s, const double *train,
                          const double *rollout, const double *mask, size_t n,
                          struct kg_weight_row *row)
{
    *row = (struct kg_weight_row){.max = -INFINITY, .min = INFINITY};
    for (size_t i = 0; i < n; i++) {
        if (mask && mask[i] == 0)
            continue;
        double w = exp(clamp_log(train[i] - rollout[i]));
        row->n++;
        row->high += w > s->upper;
        row->low += w < s->lower;
        add_token(s, w, 1, row);
    }
}

void kg_weight_row_unit(const struct kg_weight_stats *s, double log_w, uint64_t n,
                        struct kg_weight_row *row)
{
    *row = (struct kg_weight_row){.n = n, .max = -INFINITY, .min = INFINITY};
    row->high = log_w > log(s->upper) ? n : 0;
    row->low = log_w < log(s->lower) ? n : 0;
    if (n)
        add_token(s, exp(clamp_log(log_w)), (double)n, row);
}

/* The largest and smallest weight: of tokens, else of units (from below not clamped). */
static void add_extremes(struct kg_weight_stats *s, const struct kg_weight_row *row, double log_w)
{
    bool token = s->level == KG_LEVEL_TOKEN;
    double max = token ? row->max : exp(fmin(log_w, KG_MISMATCH_CLAMP));
    double min = token ? row->min : exp(log_w);
    s->max = fmax(s->max, max);
    s->min = fmin(s->min, min);
}

void kg_weight_stats_add(struct kg_weight_stats *s, const struct kg_weight_row *row, double log_w,
                         bool out, uint64_t rejected, bool count_empty)
{
    if (!row->n && !count_empty)
        return;
    s->all_rows++;
    s->all_tokens += row->n;
    s->rejected_rows += out;
    s->rejected_tokens += rejected;
    if (!isfinite(row->w) || (s->level != KG_LEVEL_TOKEN && isnan(log_w))) {
        s->not_numbers++;
        return;
    }
    double mean = row->n ? row->w / (double)row->n : 0, seq = mean - 1;
    s->rows++;
    s->tokens += row->n;
    s->high += row->high;
    s->low += row->low;
    s->rows_high += s->level != KG_LEVEL_TOKEN && log_w > log(s->upper);
    s->rows_low += s->level != KG_LEVEL_TOKEN && log_w < log(s->lower);
    kg_exactsum_add(&s->w, row->w);
    kg_exactsum_add(&s->e, row->e);
    kg_exactsum_add(&s->e2, row->e2);
    kg_exactsum_add(&s->seq, seq);
    kg_exactsum_add(&s->seq2, seq * seq);
    add_extremes(s, row, log_w);
    s->seq_max = fmax(s->seq_max, mean);
    s->seq_min = fmin(s->seq_min, mean);
    s->seq_deviation = fmax(s->seq_deviation, fabs(seq));
    s->seq_high += mean > s->upper;
    s->seq_low += mean < s->lower;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

void kg_weight_stats_json(struct kg_weight_stats *s, struct kg_jsonout *j)
{
    uint64_t rows = s->rows, tokens = s->tokens;
    bool by_row = s->level == KG_LEVEL_TURN || s->level == KG_LEVEL_SEQUENCE;
    double e = mean_of(&s->e, tokens), e2 = mean_of(&s->e2, tokens);
    double seq = mean_of(&s->seq, rows), seq2 = mean_of(&s->seq2, rows);
    double spread = rows > 1 ? (seq2 - seq * seq) * (double)rows / (double)(rows - 1) : 0;
    kg_jsonout_kv_int(j, "rows", (int64_t)rows);
    kg_jsonout_kv_int(j, "tokens", (int64_t)tokens);
    kg_jsonout_kv_int(j, "rows_not_numbers", (int64_t)s->not_numbers);
    kg_jsonout_kv_num(j, "mean", mean_of(&s->w, tokens));
    kg_jsonout_kv_num(j, "max", s->max);
    kg_jsonout_kv_num(j, "min", s->min);
    kg_jsonout_kv_num(j, "fraction_high",
                      by_row ? share(s->rows_high, rows) : share(s->high, tokens));
    kg_jsonout_kv_num(j, "fraction_low", by_row ? share(s->rows_low, rows) : share(s->low, tokens));
    kg_jsonout_kv_num(j, "std", tokens > 1 ? sqrt(fmax(e2 - e * e, 0)) : 0);
    kg_jsonout_kv_num(j, "eff_sample_fraction", (1 + e) * (1 + e) / (1 + 2 * e + e2));
    kg_jsonout_kv_num(j, "seq_mean", 1 + seq);
    kg_jsonout_kv_num(j, "seq_std", sqrt(fmax(spread, 0)));
    kg_jsonout_kv_num(j, "seq_max", s->seq_max);
    kg_jsonout_kv_num(j, "seq_min", s->seq_min);
    kg_jsonout_kv_num(j, "seq_max_deviation", s->seq_deviation);
    kg_jsonout_kv_num(j, "seq_fraction_high", share(s->seq_high, rows));
    kg_jsonout_kv_num(j, "seq_fraction_low", share(s->seq_low, rows));
    kg_jsonout_kv_num(j, "masked_fraction", share(s->rejected_tokens, s->all_tokens));
    kg_jsonout_kv_num(j, "seq_masked_fraction", share(s->rejected_rows, s->all_rows));
}
