/*
 * Coverage: the share of a call's device time (or launches) spent in the candidate's own kernels.
 * Three numbers, each in [0, 1] or NaN where not known:
 *
 *   time      own device time / all device time of the call (Eq. 7 of the paper)
 *   count     own launches / all launches
 *   replaced  clip(1 - library time / reference time, 0, 1)
 */
#ifndef KG_SCORE_COVERAGE_H
#define KG_SCORE_COVERAGE_H

#include <math.h>
#include <stdint.h>

#include "score/policy.h"

struct kg_coverage {
    double time, count, replaced;
};

#define KG_COVERAGE_UNKNOWN ((struct kg_coverage){NAN, NAN, NAN})

/* The number that a rule with this key uses; min is min(time, replaced), NaN when one is unknown.
 */
double kg_coverage_value(const struct kg_coverage *c, enum kg_coverage_key key);

/* part / whole, 0 when the whole is not above 0: how KernelGYM's client divides its four numbers.
 */
double kg_coverage_ratio(double part, double whole);

/* x with so many decimals, as printf rounds (half to even of the binary value); digits < 0: x. */
double kg_coverage_round(double x, int64_t digits);

#endif
