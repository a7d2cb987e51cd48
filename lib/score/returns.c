#include "score/returns.h"

#include <math.h>

static double discounted(double gamma, int64_t steps, double value)
{
    if (gamma == 0)
        return 0; /* also when the value is unknown: it does not count */
    return steps == 1 ? gamma * value : pow(gamma, (double)steps) * value;
}

void kg_returns(const struct kg_turn *turns, size_t n, double gamma, double *ret)
{
    for (size_t i = n; i-- > 0;) {
        double g = turns[i].mask ? turns[i].reward : 0;
        if (i + 1 < n)
            g += discounted(gamma, turns[i + 1].turn - turns[i].turn, ret[i + 1]);
        ret[i] = isfinite(g) ? g : NAN;
    }
}

void kg_void_mask(const struct kg_turn *turns, size_t n, bool failed, bool *mask)
{
    bool success = false;
    for (size_t i = 0; i < n; i++) {
        bool is_void = success && turns[i].reward <= 0;
        mask[i] = turns[i].mask && !failed && !is_void;
        success = success || (turns[i].mask && turns[i].reward > 0);
    }
}
