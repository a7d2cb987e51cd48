#include "tap.h"

#include <stdlib.h>

#include "task/dtype.h"

/* A small format's value, the slow way. */
static double oracle(unsigned h, int mant, int bias)
{
    unsigned e = (h & 0x7FFF) >> mant, f = h & ((1u << mant) - 1);
    double x = e ? ldexp((double)(f | 1u << mant), (int)e - bias - mant)
                 : ldexp((double)f, 1 - bias - mant);
    if (e == (0x7FFFu >> mant))
        x = f ? NAN : INFINITY;
    return h & 0x8000 ? -x : x;
}

/* Every pattern both ways, and for every pair of neighbours what lies between them. */
static void small_format(int mant, int bias, uint16_t (*from)(double), double (*to)(uint16_t))
{
    int wrong_to = 0, wrong_back = 0, wrong_tie = 0, wrong_near = 0;
    unsigned inf = 0x7FFFu >> mant << mant;
    for (unsigned h = 0; h < 0x10000; h++) {
        double x = oracle(h, mant, bias), y = to((uint16_t)h);
        wrong_to += !(x == y || (isnan(x) && isnan(y))) || (!isnan(x) && signbit(x) != signbit(y));
        if (!isnan(x))
            wrong_back += from(y) != h;
        else
            wrong_back += !isnan(to(from(y)));
        if ((h & 0x7FFF) >= inf)
            continue;
        /* the step above the largest finite value counts as if the format went on */
        double next =
            (h & 0x7FFF) + 1 == inf ? copysign(ldexp(1, bias + 1), x) : oracle(h + 1, mant, bias);
        double mid = (x + next) / 2;
        wrong_tie += from(mid) != (h & 1 ? h + 1 : h);
        wrong_near += from(nextafter(mid, x)) != h || from(nextafter(mid, next)) != h + 1;
    }
    EQ_INT(wrong_to, 0);
    EQ_INT(wrong_back, 0);
    EQ_INT(wrong_tie, 0);
    EQ_INT(wrong_near, 0);
    EQ_INT(from(1e300), inf);
    EQ_INT(from(-1e300), inf | 0x8000);
    EQ_INT(from(1e-300), 0);
    EQ_INT(from(-1e-300), 0x8000);
    EQ_INT(from(4.9e-324), 0);
}

static void names(void)
{
    int wrong = 0;
    for (int t = 0; t < KG_DTYPE_COUNT; t++) {
        enum kg_dtype back;
        wrong += !kg_dtype_parse(kg_dtype_name(t), &back) || back != (enum kg_dtype)t;
    }
    EQ_INT(wrong, 0);
    enum kg_dtype t;
    OK(!kg_dtype_parse("float", &t));
    OK(!kg_dtype_parse("", &t));
}

static void numbers(void)
{
    for (int t = 0; t < KG_DTYPE_COUNT; t++) {
        unsigned char room[24];
        memset(room, 0xAA, sizeof room);
        kg_dtype_set(t, room + 8 - 8 % kg_dtype_size(t), 0, 1);
        OK(kg_dtype_get(t, room + 8 - 8 % kg_dtype_size(t), 0) == 1);
        OK(room[7] == 0xAA && room[8 + kg_dtype_size(t)] == 0xAA);
        OK(kg_dtype_round(t, kg_dtype_max(t)) == kg_dtype_max(t));
        OK(kg_dtype_round(t, kg_dtype_min(t)) == kg_dtype_min(t));
        double n = kg_dtype_exact(t);
        OK(kg_dtype_round(t, n) == n && kg_dtype_round(t, n - 1) == n - 1);
        if (kg_dtype_is_float(t)) {
            OK(kg_dtype_round(t, 1 + kg_dtype_eps(t)) == 1 + kg_dtype_eps(t));
            OK(kg_dtype_round(t, 1 + kg_dtype_eps(t) / 2) == 1);
            OK(kg_dtype_round(t, kg_dtype_subnormal(t)) == kg_dtype_subnormal(t));
            OK(t == KG_FLOAT64 || isinf(kg_dtype_round(t, 1e300)));
            OK(isnan(kg_dtype_round(t, NAN)));
        } else {
            OK(kg_dtype_round(t, 1e300) == kg_dtype_max(t) || t == KG_INT64);
            OK(kg_dtype_round(t, -1e300) == kg_dtype_min(t) || t == KG_BOOL);
        }
    }
    int64_t big;
    kg_dtype_set(KG_INT64, &big, 0, 1e300);
    EQ_INT(big, INT64_MAX);
    OK(kg_dtype_round(KG_INT32, 2.5) == 2 && kg_dtype_round(KG_INT32, 3.5) == 4);
    OK(kg_dtype_round(KG_INT8, NAN) == 0);
}

int main(void)
{
    small_format(10, 15, kg_half_from_double, kg_half_to_double);
    small_format(7, 127, kg_bf16_from_double, kg_bf16_to_double);
    names();
    numbers();
    return tap_done();
}
