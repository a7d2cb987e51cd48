#include "score/context.h"

#include <math.h>

#include "score/exactsum.h"

const char *const kg_context_modes[] = {"none", "top", "window", "last", NULL};
const char *const kg_context_metrics[] = {"reward", "speedup", "coverage", "coverage-reward", NULL};

static double known(double x)
{
    return isnan(x) ? -INFINITY : x;
}

static bool above(const struct kg_metric *a, const struct kg_metric *b)
{
    double a0 = known(a->part[0]), b0 = known(b->part[0]);
    return a0 != b0 ? a0 > b0 : known(a->part[1]) > known(b->part[1]);
}

static struct kg_metric window_sum(const struct kg_metric *m, size_t w)
{
    struct kg_metric sum;
    for (int k = 0; k < 2; k++) {
        struct kg_exactsum s;
        kg_exactsum_init(&s);
        for (size_t i = 0; i < w; i++)
            kg_exactsum_add(&s, known(m[i].part[k]));
        sum.part[k] = kg_exactsum_round(&s);
    }
    return sum;
}

static size_t best_window(const struct kg_metric *m, size_t n, size_t w)
{
    size_t at = 0;
    struct kg_metric best = window_sum(m, w);
    for (size_t i = 1; i + w <= n; i++) {
        struct kg_metric sum = window_sum(m + i, w);
        if (above(&sum, &best)) {
            best = sum;
            at = i;
        }
    }
    return at;
}

void kg_context_select(enum kg_context mode, size_t w, const struct kg_metric *metric, size_t n,
                       bool *selected)
{
    for (size_t i = 0; i < n; i++)
        selected[i] = w >= n || mode == KG_CONTEXT_NONE;
    if (w >= n || mode == KG_CONTEXT_NONE)
        return;
    if (mode == KG_CONTEXT_TOP) {
        for (size_t k = 0; k < w; k++) {
            size_t best = n;
            for (size_t i = 0; i < n; i++)
                if (!selected[i] && (best == n || above(&metric[i], &metric[best])))
                    best = i;
            selected[best] = true;
        }
        return;
    }
    size_t from = mode == KG_CONTEXT_LAST ? n - w : best_window(metric, n, w);
    for (size_t i = from; i < from + w; i++)
        selected[i] = true;
}
