#include "judge/stats.h"

#include "tap.h"

int main(void)
{
    const double x[] = {4, 1, 3, 2, 5};
    struct kg_stats s = kg_stats_of(x, 5);
    EQ_INT(s.n, 5);
    NEAR(s.median, 3, 0);
    NEAR(s.mean, 3, 0);
    NEAR(s.min, 1, 0);
    NEAR(s.p10, 1.4, 1e-12);
    NEAR(s.p90, 4.6, 1e-12);
    NEAR(x[0], 4, 0); /* left as it was */
    s = kg_stats_of(x, 1);
    NEAR(s.median, 4, 0);
    NEAR(s.p90, 4, 0);
    s = kg_stats_of(x, 0);
    OK(isnan(s.median) && isnan(s.min));

    /* ranks of the median's interval, from tables of the binomial distribution */
    EQ_INT(kg_stats_median_rank(5), 0);
    EQ_INT(kg_stats_median_rank(6), 1);
    EQ_INT(kg_stats_median_rank(8), 1);
    EQ_INT(kg_stats_median_rank(9), 2);
    EQ_INT(kg_stats_median_rank(20), 6);
    EQ_INT(kg_stats_median_rank(50), 18);
    EQ_INT(kg_stats_median_rank(100), 40);
    OK(kg_stats_median_rank(100000) > 49600 && kg_stats_median_rank(100000) < 49800);

    double l[20];
    for (int i = 0; i < 20; i++)
        l[i] = log(1 + (double)((i * 7) % 20));
    struct kg_ratio r = kg_stats_ratio(l, 20);
    NEAR(r.ratio, exp((log(10) + log(11)) / 2), 1e-12);
    NEAR(r.lo, 6, 1e-12);
    NEAR(r.hi, 15, 1e-12);
    NEAR(r.half_width, log(15.0 / 6) / 2, 1e-12);

    /* equal ratios: an interval without width */
    for (int i = 0; i < 8; i++)
        l[i] = log(2);
    r = kg_stats_ratio(l, 8);
    NEAR(r.lo, r.hi, 0);
    NEAR(r.half_width, 0, 0);

    /* fewer than six: Student's t. mean 0, sd 1, n 3: 4.3027 / sqrt(3) */
    l[0] = -1;
    l[1] = 0;
    l[2] = 1;
    r = kg_stats_ratio(l, 3);
    NEAR(log(r.hi), 4.302652729 / sqrt(3), 1e-6);
    NEAR(log(r.lo), -4.302652729 / sqrt(3), 1e-6);
    r = kg_stats_ratio(l, 1);
    OK(isnan(r.lo) && isinf(r.half_width));
    NEAR(r.ratio, exp(-1), 1e-15);
    r = kg_stats_ratio(l, 0);
    OK(isnan(r.ratio));
    return tap_done();
}
