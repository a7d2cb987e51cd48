/*
 * A sum of doubles that is correctly rounded, so it does not depend on the order of its terms: the
 * nearest double to the exact sum, ties to even. No intermediate overflow; subnormals are exact.
 *
 * How: a fixed-point number wide enough for every double and 2^62 terms, in words of 32 bits kept
 * in 64 (so that carries are settled only now and then). After R. Neal, "Fast exact summation using
 * small and large superaccumulators" (2015). 600 bytes, about 2 ns a term, 50 ns a rounding.
 *
 * Terms that are infinite or NaN make the sum what IEEE addition would make it.
 */
#ifndef KG_SCORE_EXACTSUM_H
#define KG_SCORE_EXACTSUM_H

#include <stddef.h>
#include <stdint.h>

#define KG_EXACT_WORDS 70

struct kg_exactsum {
    int64_t word[KG_EXACT_WORDS]; /* word i counts units of 2^(32 i - 1074) */
    double special;               /* sum of the terms that are not finite */
    uint32_t pending;             /* additions since carries were settled */
    int lo, hi;                   /* words touched: [lo, hi] */
};

void kg_exactsum_init(struct kg_exactsum *s);
void kg_exactsum_add(struct kg_exactsum *s, double x);
/* Adds a sum to a sum, exactly. */
void kg_exactsum_merge(struct kg_exactsum *s, const struct kg_exactsum *other);
/* The rounded value; the sum can go on. */
double kg_exactsum_round(struct kg_exactsum *s);

/* The sum of x[0..n). */
double kg_exactsum_of(const double *x, size_t n);

#endif
