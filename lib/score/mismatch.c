#include "score/mismatch.h"

#include <math.h>

#include "score/exactsum.h"

void kg_mismatch_bounds(const struct kg_policy *p, struct kg_mismatch_bounds *b)
{
    double lower = isnan(p->mismatch.lower) ? 1 / p->mismatch.upper : p->mismatch.lower;
    b->lower = log(lower);
    b->upper = log(p->mismatch.upper);
    b->veto = p->mismatch.veto > 0 ? log(p->mismatch.veto) : -INFINITY;
    b->is_upper = p->mismatch.is_upper;
}

/* Two sums side by side, so that one addition need not wait for the other; the grouping is fixed,
 * so a row's sum is the same wherever the row stands. */
void kg_ratio_of(const double *train, const double *rollout, const double *mask, size_t n,
                 struct kg_ratio *r)
{
    double sum[2] = {0, 0}, min = INFINITY;
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        bool on = !mask || mask[i] != 0;
        double d = on ? train[i] - rollout[i] : 0;
        sum[i & 1] += d;
        if (on && d < min)
            min = d;
        count += on;
    }
    *r = (struct kg_ratio){.n = count, .sum = sum[0] + sum[1], .min = min, .kept = count};
}

void kg_ratio_tokens(const double *train, const double *rollout, const double *mask, size_t n,
                     const struct kg_mismatch_bounds *b, struct kg_ratio *r)
{
    kg_ratio_of(train, rollout, mask, n, r);
    r->kept = 0;
    for (size_t i = 0; i < n; i++)
        r->kept += (!mask || mask[i] != 0) && kg_mismatch_within(b, train[i] - rollout[i]);
}

static double clamp(double x)
{
    return x > KG_MISMATCH_CLAMP    ? KG_MISMATCH_CLAMP
           : x < -KG_MISMATCH_CLAMP ? -KG_MISMATCH_CLAMP
                                    : x;
}

bool kg_mismatch_within(const struct kg_mismatch_bounds *b, double log_w)
{
    double x = clamp(log_w);
    return x >= b->lower && x <= b->upper;
}

double kg_mismatch_weight(const struct kg_mismatch_bounds *b, double log_w)
{
    double w = exp(clamp(log_w));
    return w > b->is_upper ? b->is_upper : w;
}

static double aggregate(bool mean, double sum, uint64_t n)
{
    return !n ? 0 : mean ? sum / (double)n : sum;
}

void kg_mismatch_units(enum kg_level level, const struct kg_key *keys,
                       const struct kg_ratio *ratios, const uint32_t *order, size_t n,
                       double *log_w)
{
    bool mean = level == KG_LEVEL_TURN_GEO || level == KG_LEVEL_GEOMETRIC;
    if (level == KG_LEVEL_TURN || level == KG_LEVEL_TURN_GEO) {
        for (size_t i = 0; i < n; i++)
            log_w[i] = aggregate(mean, ratios[i].sum, ratios[i].n);
        return;
    }
    for (size_t at = 0; at < n;) {
        size_t end = kg_order_traj_end(keys, order, n, at);
        struct kg_exactsum sum;
        uint64_t tokens = 0;
        kg_exactsum_init(&sum);
        for (size_t i = at; i < end; i++) {
            if (ratios[order[i]].n)
                kg_exactsum_add(&sum, ratios[order[i]].sum);
            tokens += ratios[order[i]].n;
        }
        double w = aggregate(mean, kg_exactsum_round(&sum), tokens);
        for (; at < end; at++)
            log_w[order[at]] = w;
    }
}

void kg_mismatch_veto(const struct kg_mismatch_bounds *b, enum kg_unit unit,
                      const struct kg_key *keys, const struct kg_ratio *ratios,
                      const uint32_t *order, size_t n, bool *vetoed)
{
    for (size_t i = 0; i < n; i++)
        vetoed[i] = ratios[i].n && ratios[i].min < b->veto;
    if (unit == KG_UNIT_TURN)
        return;
    for (size_t at = 0; at < n;) {
        size_t end = kg_order_traj_end(keys, order, n, at);
        bool any = false;
        for (size_t i = at; i < end; i++)
            any = any || vetoed[order[i]];
        for (; at < end; at++)
            vetoed[order[at]] = any;
    }
}
