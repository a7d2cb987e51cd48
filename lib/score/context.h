/*
 * Which turns of a trajectory go into the next prompt (sequential test-time scaling).
 *
 *   top      the w turns with the largest metric (the paper); of equals the earlier ones
 *   window   the w consecutive turns with the largest sum of the metric (the released code); of
 *            equals the first
 *   last     the last w turns
 *
 * A metric may have two parts, compared in order (as sums in a window). NaN is less than all.
 */
#ifndef KG_SCORE_CONTEXT_H
#define KG_SCORE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

enum kg_context { KG_CONTEXT_NONE, KG_CONTEXT_TOP, KG_CONTEXT_WINDOW, KG_CONTEXT_LAST };
enum kg_context_metric {
    KG_METRIC_REWARD,
    KG_METRIC_SPEEDUP,
    KG_METRIC_COVERAGE,
    KG_METRIC_COVERAGE_REWARD
};
extern const char *const kg_context_modes[]; /* words of the enums, NULL-terminated */
extern const char *const kg_context_metrics[];

struct kg_metric {
    double part[2]; /* a metric of one part leaves the second 0 */
};

/* selected[0..n): for the turns in ascending order. w >= n selects all. */
void kg_context_select(enum kg_context mode, size_t w, const struct kg_metric *metric, size_t n,
                       bool *selected);

#endif
