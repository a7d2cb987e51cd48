/*
 * Mismatch between the policy that is trained and the one that made the rollouts: rejection (MRS),
 * veto, importance weights.
 *
 *     d = log pi_train - log pi_rollout       of a token that the response mask keeps
 *
 *   level      unit      log w              the weight is w, the same for all tokens of the unit
 *   token      token     d
 *   turn       row       sum of d
 *   turn-geo   row       mean of d
 *   sequence   rollout   sum of d           a rollout is a (uid, traj): all its rows
 *   geometric  rollout   mean of d
 *
 * log w is clamped to [-20, 20]. Rejection keeps a unit when lower <= w <= upper, decided in logs;
 * NaN rejects. A unit without a token has log w = 0 and is kept. Veto: some d < log(veto).
 * Importance weights: min(w, is_upper); no lower bound, not changed by rejection.
 */
#ifndef KG_SCORE_MISMATCH_H
#define KG_SCORE_MISMATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "score/order.h"
#include "score/policy.h"

#define KG_MISMATCH_CLAMP 20.0

/* What the decisions need of a row. */
struct kg_ratio {
    uint64_t n;      /* tokens that count */
    double sum, min; /* of d; min: infinite when n is 0, and blind to NaN */
    uint64_t kept;   /* token level: tokens within the bounds; else n */
};

/* Bounds in logs, made once a run. */
struct kg_mismatch_bounds {
    double lower, upper; /* of log w */
    double veto;         /* -infinity: off */
    double is_upper;     /* of w */
};
void kg_mismatch_bounds(const struct kg_policy *p, struct kg_mismatch_bounds *b);

/* One pass over a row's tokens. mask: NULL counts all; else those where it is not 0. */
void kg_ratio_of(const double *train, const double *rollout, const double *mask, size_t n,
                 struct kg_ratio *r);
/* The same, and r->kept counts tokens within the bounds. */
void kg_ratio_tokens(const double *train, const double *rollout, const double *mask, size_t n,
                     const struct kg_mismatch_bounds *b, struct kg_ratio *r);

/* Is log w (clamped here) within the bounds? NaN is not. */
bool kg_mismatch_within(const struct kg_mismatch_bounds *b, double log_w);
/* min(exp(clamp(log w)), is_upper) */
double kg_mismatch_weight(const struct kg_mismatch_bounds *b, double log_w);

/*
 * log_w[i]: the log weight (not clamped) of each row's unit at a level other than none and token.
 * order: rows by trajectory (KG_ORDER_TRAJ). Rows with n = 0 take no part in their rollout.
 */
void kg_mismatch_units(enum kg_level level, const struct kg_key *keys,
                       const struct kg_ratio *ratios, const uint32_t *order, size_t n,
                       double *log_w);

/* vetoed[i]: the row has, or with unit rollout some row of its rollout has, a d below the bound. */
void kg_mismatch_veto(const struct kg_mismatch_bounds *b, enum kg_unit unit,
                      const struct kg_key *keys, const struct kg_ratio *ratios,
                      const uint32_t *order, size_t n, bool *vetoed);

#endif
