/*
 * Advantages of a batch, by the estimators that kg-advantage offers. G is the value of a row, S the
 * correctly rounded sum and N the number of the values that form its group's baseline:
 *
 *   estimator   value             group          advantage
 *   trloo       return            (uid, turn)    (N G - S)/(N - 1)       arXiv 2602.05885, Eq. 5
 *   grpo        return            (uid, turn)    (N G - S)/N             the same, Eq. 3
 *   turn-grpo   reward            uid            (N G - S)/N
 *   rloo        sum of rewards    uid            (N G - S)/(N - 1), one value a trajectory
 *   erloo       return            uid            (N G - S)/(N - 1)
 *   erloo-norm  return            uid            (N G - S)/(N - 1) / (std of the others + 1e-8)
 *   reinforce   return            the batch      (N G - S)/N / (std + std_eps)
 *
 * with std: grpo and turn-grpo divide by std + std_eps; a std below 1e-6 counts as 1. All std are
 * sample std (N - 1). Groups of one: settings.singleton; where the estimator divides, by 1 + eps.
 * batch_std then standardises the advantages of all rows that have one.
 *
 * Every sum is correctly rounded (exactsum.h) and no fused operation is used: the order of the rows
 * changes no bit, and equal rewards give exact zeros.
 */
#ifndef KG_SCORE_ADVANTAGE_H
#define KG_SCORE_ADVANTAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "score/order.h"
#include "score/policy.h"

/* flags of a row */
#define KG_ADV_MASKED   1u /* in: mask 0. out: also what the void mask added */
#define KG_ADV_FAILED   2u /* in: the trajectory's generation failed (see kg_void_mask) */
#define KG_ADV_APART    4u /* in: gives no baseline, its own advantage is 0 */
#define KG_ADV_REJECTED 8u /* in: its own advantage is 0 */

struct kg_adv_row {
    double reward;       /* NaN: none */
    double ret;          /* out: the value of the row; 0 when masked, NaN when unscorable */
    double advantage;    /* out: likewise */
    uint32_t group_size; /* out: N of the row's group; 0 for masked and unscorable rows */
    uint32_t n_started;  /* out: trajectories of the uid */
    uint32_t flags;
};

/*
 * Fills the out fields of rows[0..n). Rows whose turn is below 1 are placeholders of turns that are
 * not there: as masked, and no part of their trajectory. Keys must be distinct otherwise.
 * Error (KG_E_INPUT): reinforce on a batch without a scored row.
 */
int kg_advantage(const struct kg_policy *p, const struct kg_key *keys, struct kg_adv_row *rows,
                 size_t n, struct kg_error *err);

/* Why an estimator or setting needs the whole batch; NULL when groups suffice. */
const char *kg_advantage_whole_batch(const struct kg_policy *p);

#endif
