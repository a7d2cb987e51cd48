#include "judge/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted(const double *x, size_t n)
{
    double *s = kg_mem_array(n, sizeof *s);
    memcpy(s, x, n * sizeof *s);
    qsort(s, n, sizeof *s, by_value);
    return s;
}

static double quantile(const double *s, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;
    return i + 1 < n ? s[i] + (at - (double)i) * (s[i + 1] - s[i]) : s[n - 1];
}

struct kg_stats kg_stats_of(const double *x, size_t n)
{
    struct kg_stats r = {n, NAN, NAN, NAN, NAN, NAN};
    if (!n)
        return r;
    double sum = 0, *s = sorted(x, n);
    for (size_t i = 0; i < n; i++)
        sum += s[i];
    r.median = quantile(s, n, 0.5);
    r.mean = sum / (double)n;
    r.min = s[0];
    r.p10 = quantile(s, n, 0.1);
    r.p90 = quantile(s, n, 0.9);
    free(s);
    return r;
}

size_t kg_stats_median_rank(size_t n)
{
    /* P(Bin(n, 1/2) = i) in logs, so that large n does not underflow to nothing at once */
    double log_p = -(double)n * log(2), below = 0;
    for (size_t i = 0; i < n; i++) {
        below += exp(log_p);
        if (below > 0.025)
            return i;
        log_p += log((double)(n - i)) - log((double)(i + 1));
    }
    return 0;
}

/* 97.5 % quantile of Student's t for 1 to 4 degrees of freedom. */
static const double student[] = {12.7062047364, 4.3026527297, 3.1824463053, 2.7764451052};

static void student_interval(const double *x, size_t n, double median, double *lo, double *hi)
{
    double mean = 0, sq = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        sq += (x[i] - mean) * (x[i] - mean);
    double half = student[n - 2] * sqrt(sq / (double)(n - 1) / (double)n);
    *lo = fmin(mean - half, median);
    *hi = fmax(mean + half, median);
}

struct kg_ratio kg_stats_ratio(const double *log_ratio, size_t n)
{
    struct kg_ratio r = {n, NAN, NAN, NAN, INFINITY};
    if (!n)
        return r;
    double *s = sorted(log_ratio, n), median = quantile(s, n, 0.5), lo = NAN, hi = NAN;
    size_t k = kg_stats_median_rank(n);
    if (k) {
        lo = s[k - 1];
        hi = s[n - k];
    } else if (n >= 2) {
        student_interval(s, n, median, &lo, &hi);
    }
    free(s);
    r.ratio = exp(median);
    if (n >= 2) {
        r.lo = exp(lo);
        r.hi = exp(hi);
        r.half_width = (hi - lo) / 2;
    }
    return r;
}
