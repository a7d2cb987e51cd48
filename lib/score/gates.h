/*
 * Two gates on a row's log-probabilities:
 *
 *   drift    |mean log pi_train - mean log pi_rollout| < gates.drift
 *   extreme  min over tokens of (log pi_rollout - log pi_rollout of the top token) > gates.extreme
 *
 * Both comparisons are strict and NaN fails. A row without a token passes.
 */
#ifndef KG_SCORE_GATES_H
#define KG_SCORE_GATES_H

#include <stdbool.h>
#include <stddef.h>

#include "score/mismatch.h"

double kg_gates_drift(const struct kg_ratio *r);
/* NaN when some difference is; infinite without a token. mask as in kg_ratio_of. */
double kg_gates_extreme(const double *rollout, const double *top, const double *mask, size_t n);

#endif
