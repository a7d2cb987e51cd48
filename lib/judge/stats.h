/*
 * Statistics of timed calls: quantiles of times, and the median of paired log ratios
 * with its 95 % interval. Pure.
 */
#ifndef KG_JUDGE_STATS_H
#define KG_JUDGE_STATS_H

#include <stddef.h>

struct kg_stats {
    size_t n;
    double median, mean, min, p10, p90; /* NaN when n is 0 */
};

/* x is left as it is. Quantiles by linear interpolation between order statistics (type 7 of Hyndman
 * and Fan, "Sample quantiles in statistical packages", The American Statistician 50, 1996). */
struct kg_stats kg_stats_of(const double *x, size_t n);

struct kg_ratio {
    size_t n;
    double ratio, lo, hi; /* exp of median and interval of the logs; NaN where not known */
    double half_width;    /* of the log: (log hi - log lo) / 2; infinite for n < 2 */
};

/*
 * From n log ratios. n >= 6: the distribution-free interval of the median by order statistics
 * [x(k), x(n+1-k)], k the largest with P(Bin(n, 1/2) < k) <= 0.025 (Conover, "Practical
 * Nonparametric Statistics", 3rd ed., 3.2). Fewer: Student's t around the mean, since no pair of
 * order statistics reaches 95 %, widened to hold the median.
 */
struct kg_ratio kg_stats_ratio(const double *log_ratio, size_t n);

/* The k of above; 0 when there is none. */
size_t kg_stats_median_rank(size_t n);

#endif
