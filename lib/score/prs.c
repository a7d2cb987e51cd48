#include "score/prs.h"

#include <math.h>

#include "score/exactsum.h"

#define LEAST 1e-8

double kg_prs_probability(const struct kg_policy *p, double coverage, bool correct, double speedup)
{
    if (!correct)
        return 1;
    if (p->prs.speedup >= 0 && speedup >= p->prs.speedup)
        return 1;
    if (isnan(coverage))
        return NAN;
    if (p->prs.ramp == 0)
        return coverage >= p->prs.threshold;
    double x = (coverage - p->prs.threshold) / p->prs.ramp;
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

double kg_prs_geometric(const double *coverage, size_t n)
{
    if (!n)
        return 1;
    struct kg_exactsum s;
    kg_exactsum_init(&s);
    for (size_t i = 0; i < n; i++)
        kg_exactsum_add(&s, isnan(coverage[i]) ? NAN : log(fmax(coverage[i], LEAST)));
    return exp(kg_exactsum_round(&s) / (double)n);
}
