#include "score/gates.h"

#include <math.h>

double kg_gates_drift(const struct kg_ratio *r)
{
    return r->n ? fabs(r->sum / (double)r->n) : 0;
}

double kg_gates_extreme(const double *rollout, const double *top, const double *mask, size_t n)
{
    double min = INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (mask && mask[i] == 0)
            continue;
        double d = rollout[i] - top[i];
        if (isnan(d))
            return NAN;
        if (d < min)
            min = d;
    }
    return min;
}
