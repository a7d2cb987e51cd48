/*
 * Profiling-based rejection sampling (Dr. Kernel, Eq. 9): a correct turn stays with a probability
 * that grows with its coverage c.
 *
 *     p = clip((c - threshold) / ramp, 0, 1)      ramp 0: 1 from the threshold on
 *
 * A turn that is not correct always stays. With a speedup threshold s (0 or more), a turn at least
 * that fast stays as well. It is kept when u < p, so p = 1 always and p = 0 never.
 */
#ifndef KG_SCORE_PRS_H
#define KG_SCORE_PRS_H

#include <stdbool.h>
#include <stddef.h>

#include "score/policy.h"

/* NaN when it needs a coverage that is not known (coverage NaN). */
double kg_prs_probability(const struct kg_policy *p, double coverage, bool correct, double speedup);

/*
 * The coverage of a trajectory: the geometric mean over its turns, each at least 1e-8; NaN when one
 * is NaN, 1 when there is none.
 */
double kg_prs_geometric(const double *coverage, size_t n);

#endif
