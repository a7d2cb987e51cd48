/* Exact sums against sums in integers, in any order, and at the ends of the range. */
#include "score/exactsum.h"

#include <float.h>
#include <stdint.h>

#include "base/philox.h"
#include "tap.h"

static uint64_t counter;

static struct kg_philox next(void)
{
    counter++;
    return kg_philox(1, 2, (uint32_t)counter, 0, 0, 0);
}

/* Integers of up to 100 bits, made of doubles, summed in 128 bits: the truth with its rounding. */
static void test_against_integers(void)
{
    int wrong = 0;
    for (int round = 0; round < 2000; round++) {
        struct kg_exactsum s;
        kg_exactsum_init(&s);
        __int128 truth = 0;
        int n = 1 + (int)(next().v[0] % 40);
        for (int i = 0; i < n; i++) {
            struct kg_philox r = next();
            int shift = (int)(r.v[2] % 60);
            int64_t m = (int64_t)(((uint64_t)r.v[0] << 21) ^ r.v[1]) & 0x1FFFFFFFFFFFFF;
            if (r.v[3] & 1)
                m = -m;
            truth += (__int128)m * ((__int128)1 << shift);
            kg_exactsum_add(&s, ldexp((double)m, shift - 30));
        }
        double want = ldexp((double)truth, -30);
        wrong += kg_exactsum_round(&s) != want;
    }
    EQ_INT(wrong, 0);
}

static void test_order(void)
{
    double x[64];
    for (int i = 0; i < 64; i++) {
        struct kg_philox r = next();
        x[i] = ldexp((double)(int32_t)r.v[0], (int)(r.v[1] % 600) - 300);
    }
    double first = kg_exactsum_of(x, 64);
    int wrong = 0;
    for (int round = 0; round < 200; round++) {
        for (int i = 63; i > 0; i--) {
            int j = (int)(next().v[0] % (uint32_t)(i + 1));
            double t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
        wrong += kg_exactsum_of(x, 64) != first;
    }
    EQ_INT(wrong, 0);
}

static void test_ends(void)
{
    EQ_INT(kg_exactsum_of(NULL, 0) == 0, 1);
    double big[] = {DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, 1.5};
    NEAR(kg_exactsum_of(big, 5), 1.5, 0);
    double over[] = {DBL_MAX, DBL_MAX};
    OK(isinf(kg_exactsum_of(over, 2)));
    double tiny[] = {0x1p-1074, 0x1p-1074, -0x1p-1074};
    NEAR(kg_exactsum_of(tiny, 3), 0x1p-1074, 0);
    double subnormal[] = {0x1.8p-1060, 0x1p-1074};
    NEAR(kg_exactsum_of(subnormal, 2), 0x1.8p-1060 + 0x1p-1074, 0);
    double cancel[] = {1e16, 1, -1e16};
    NEAR(kg_exactsum_of(cancel, 3), 1, 0);
    double negative[] = {-1e300, -1, 1e300};
    NEAR(kg_exactsum_of(negative, 3), -1, 0);
    double none[] = {3.25, -3.25};
    NEAR(kg_exactsum_of(none, 2), 0, 0);
}

static void test_ties(void)
{
    double even[] = {0x1p53, 1}; /* halfway: to even, down */
    NEAR(kg_exactsum_of(even, 2), 0x1p53, 0);
    double odd[] = {0x1p53, 3}; /* halfway: to even, up */
    NEAR(kg_exactsum_of(odd, 2), 0x1p53 + 4, 0);
    double sticky[] = {0x1p53, 1, 0x1p-1074};
    NEAR(kg_exactsum_of(sticky, 3), 0x1p53 + 2, 0);
    double below[] = {0x1p53, 1, -0x1p-1074};
    NEAR(kg_exactsum_of(below, 3), 0x1p53, 0);
    double carry[] = {0x1.fffffffffffffp+52, 0.5}; /* all ones: the rounding runs to the top */
    NEAR(kg_exactsum_of(carry, 2), 0x1p53, 0);
}

static void test_special(void)
{
    double nan_in[] = {1, NAN, 2}, inf_in[] = {1, INFINITY}, both[] = {INFINITY, -INFINITY};
    OK(isnan(kg_exactsum_of(nan_in, 3)));
    OK(isinf(kg_exactsum_of(inf_in, 2)));
    OK(isnan(kg_exactsum_of(both, 2)));
}

static void test_take_back(void)
{
    struct kg_exactsum s, t;
    kg_exactsum_init(&s);
    kg_exactsum_init(&t);
    for (int i = 1; i <= 1000; i++) {
        kg_exactsum_add(&s, 1.0 / i);
        kg_exactsum_add(&t, i > 500 ? 1.0 / i : 0);
    }
    for (int i = 1; i <= 500; i++)
        kg_exactsum_add(&s, -1.0 / i);
    NEAR(kg_exactsum_round(&s), kg_exactsum_round(&t), 0);
    kg_exactsum_merge(&s, &t);
    NEAR(kg_exactsum_round(&s), 2 * kg_exactsum_round(&t), 0);
    /* equal rewards: N G and the sum agree to the bit, for the value that naive sums get wrong */
    double g = 2.8397312349339847, x[3] = {g, g, g};
    NEAR(3 * g - kg_exactsum_of(x, 3), 0, 0);
}

int main(void)
{
    test_against_integers();
    test_order();
    test_ends();
    test_ties();
    test_special();
    test_take_back();
    return tap_done();
}
