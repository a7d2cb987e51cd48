/*
 * Batch metrics of the mismatch between the trained and the rollout policy. Over tokens that the
 * response mask keeps, or rows that have one; M(x) is the mean over tokens, rho = e^d,
 * d = log pi_train - log pi_rollout (mismatch.h).
 *
 *   training_ppl, rollout_ppl   mean over rows of exp(-mean log pi); _log_ppl: of -mean log pi
 *   kl                          M(-d)
 *   k3_kl                       M(rho - d - 1)
 *   log_ppl_diff                over rows: mean log pi_rollout - mean log pi_train; also _abs,
 *                               _max, _min
 *   ppl_ratio                   mean over rows of exp(log_ppl_diff)
 *   chi2_token                  M(exp(clamp d)^2) - 1
 *   chi2_seq                    mean over rows of exp(2 clamp(sum d)) - 1
 *
 * Weights (importance weights or those that rejection looks at) of one level: mean, max, min,
 * fraction_high, fraction_low, std, eff_sample_fraction, and the same over rows of the row's mean
 * weight (seq_*). c = clamp(w, lower, upper):
 *
 *   std                  sqrt(M(c^2) - M(c)^2), summed around 1 so that it does not cancel
 *   eff_sample_fraction  M(c)^2 / M(c^2), a share of the tokens in (0, 1]
 *
 * Sums over rows are exact, so the order of records changes nothing. Rows whose numbers are NaN are
 * left out and counted.
 */
#ifndef KG_SCORE_MISMATCH_STATS_H
#define KG_SCORE_MISMATCH_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/jsonout.h"
#include "score/exactsum.h"
#include "score/mismatch.h"

/* What a row gives to the metrics of the policies. */
struct kg_token_stats {
    uint64_t n;
    double train, rollout; /* sums of the log-probabilities */
    double d, k3, chi2;    /* sums of d, rho - d - 1, exp(clamp d)^2 */
    uint64_t catastrophic; /* tokens that fire the veto */
};
void kg_token_stats_of(const double *train, const double *rollout, const double *mask, size_t n,
                       const struct kg_mismatch_bounds *b, struct kg_token_stats *t);

struct kg_mismatch_stats {
    struct kg_exactsum training_ppl, training_log, rollout_ppl, rollout_log, kl, k3, diff, abs_diff,
        ratio, chi2_token, chi2_seq;
    double diff_max, diff_min;
    uint64_t rows, tokens, catastrophic, not_numbers;
};
void kg_mismatch_stats_init(struct kg_mismatch_stats *s);
/* A row without a token counts only when count_empty (as the released code has it). */
void kg_mismatch_stats_add(struct kg_mismatch_stats *s, const struct kg_token_stats *t,
                           bool count_empty);
/* Members of an object that is open. */
void kg_mismatch_stats_json(struct kg_mismatch_stats *s, struct kg_jsonout *j);

/* What a row gives to the metrics of weights. */
struct kg_weight_row {
    uint64_t n, high, low; /* tokens; with a weight above upper, below lower */
    double w;              /* sum of the weights */
    double max, min;
    double e, e2; /* sums of c - 1 and of its square */
};

struct kg_weight_stats {
    enum kg_level level;
    double lower, upper;                    /* of w */
    struct kg_exactsum w, e, e2, seq, seq2; /* seq: mean weight of a row, less 1, and its square */
    double max, min, seq_max, seq_min, seq_deviation;
    uint64_t rows, tokens, high, low, rows_high, rows_low, seq_high, seq_low, not_numbers;
    uint64_t all_rows, all_tokens, rejected_rows, rejected_tokens; /* NaN rows included */
};
void kg_weight_stats_init(struct kg_weight_stats *s, enum kg_level level, double lower,
                          double upper);
/* The part of a row at level token; at other levels all its tokens have the weight of the unit. */
void kg_weight_row_tokens(const struct kg_weight_stats *s, const double *train,
                          const double *rollout, const double *mask, size_t n,
                          struct kg_weight_row *row);
void kg_weight_row_unit(const struct kg_weight_stats *s, double log_w, uint64_t n,
                        struct kg_weight_row *row);
/* log_w: of the unit; ignored at level token. out: rejection took the row, or some of its tokens;
 * rejected: how many. */
void kg_weight_stats_add(struct kg_weight_stats *s, const struct kg_weight_row *row, double log_w,
                         bool out, uint64_t rejected, bool count_empty);
void kg_weight_stats_json(struct kg_weight_stats *s, struct kg_jsonout *j);

#endif
