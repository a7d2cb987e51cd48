/*
 * Inputs, element by element: every value is a function of (seed, call, argument, index) alone, by
 * Philox4x32-10. One text for C and for CUDA; a device's own logarithm may differ in the last bits.
 *
 * The generator's key is the seed; its counter is (block low, block high, call, argument | purpose
 * << 16). One block of four words feeds four neighbouring elements, or two where 53 bits an element
 * are wanted (float64). kg_gen_block gives them together, which is how arrays are filled fast;
 * kg_gen_float and kg_gen_int give one of them, the same to the last bit on the same machine.
 *
 * randn is Box and Muller's (Ann. Math. Stat. 29, 1958); permutation is a Feistel network with
 * cycle walking (Black and Rogaway, CT-RSA 2002); sorted takes one uniform in each of n equal
 * strata through a monotone map, so that no sorting is needed.
 */
#ifndef KG_TASK_GEN_CORE_H
#define KG_TASK_GEN_CORE_H

#include "base/mix.h"
#include "base/philox.h"
#include "task/kinds.h"

#ifndef __CUDACC_RTC__
#include <math.h>
#endif

#define KG_GEN_TWO_PI 6.283185307179586476925
#define KG_GEN_PI     3.141592653589793238463

/* purposes: streams that must not meet */
#define KG_GEN_VALUES 0u
#define KG_GEN_ROWS   1u

struct kg_gen {
    int kind;      /* enum kg_init_kind, not CUSTOM */
    int dtype;     /* enum kg_dtype */
    int is_float;  /* of the dtype */
    int lanes;     /* elements a block: 4, or 2 */
    double a, b;   /* parameters of the initialiser */
    double lo, hi; /* whole numbers that the type holds exactly and the kind may use */
    double scale;  /* of large, heavy_tail's clip, denormal's step */
    double below;  /* uniform: largest value that rounds to less than b */
    uint64_t seed;
    uint64_t row_len; /* of the last axis, at least 1 */
    uint32_t call, arg;
};

KG_HD struct kg_philox kg_gen_words(const struct kg_gen *g, uint64_t counter, uint32_t purpose)
{
    return kg_philox((uint32_t)g->seed, (uint32_t)(g->seed >> 32), (uint32_t)counter,
                     (uint32_t)(counter >> 32), g->call, g->arg | purpose << 16);
}

/* (0, 1), never 0 */
KG_HD double kg_gen_open(const struct kg_philox *r, int lane, int lanes)
{
    if (lanes == 2)
        return kg_philox_u53(r->v[2 * lane], r->v[2 * lane + 1]) + 0x1p-54;
    return ((double)r->v[lane] + 0.5) * 0x1p-32;
}

/* Two independent normals of two uniforms; in float's own precision where that is all that is kept.
 */
KG_HD void kg_gen_normals(double u, double v, int narrow, double *x, double *y)
{
    if (narrow) {
        float r = sqrtf(-2.0f * logf((float)u)), t = (float)(KG_GEN_TWO_PI * v);
        *x = r * cosf(t);
        *y = r * sinf(t);
    } else {
        double r = sqrt(-2.0 * log(u)), t = KG_GEN_TWO_PI * v;
        *x = r * cos(t);
        *y = r * sin(t);
    }
}

/* Do the elements of a row depend on each other? Then content changes by whole rows only. */
KG_HD int kg_gen_by_row(int kind)
{
    return kind == KG_INIT_ONE_HOT || kind == KG_INIT_PERMUTATION || kind == KG_INIT_SORTED ||
           kind == KG_INIT_EQUAL_KEYS;
}

KG_HD double kg_gen_clip(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Are elements made block by block (kg_gen_block), independent of each other? */
KG_HD int kg_gen_in_blocks(int kind)
{
    switch (kind) {
    case KG_INIT_RANDN:
    case KG_INIT_UNIFORM:
    case KG_INIT_RANDINT:
    case KG_INIT_HEAVY_TAIL:
    case KG_INIT_LARGE:
    case KG_INIT_TINY:
    case KG_INIT_DENORMAL:
        return 1;
    default:
        return 0;
    }
}

/* The value of a kind whose elements are independent, from its uniform u and (randn's) normal z. */
KG_HD double kg_gen_shape(const struct kg_gen *g, double u, double z)
{
    double x;
    switch (g->kind) {
    case KG_INIT_RANDN: /* of integers spread out: else they were whole numbers from -3 to 3 */
        x = g->is_float ? z : g->scale * z;
        break;
    case KG_INIT_LARGE:
        x = g->scale * z;
        break;
    case KG_INIT_TINY:
        x = g->is_float ? 1e-6 * z : kg_gen_clip(z, -1, 1);
        break;
    case KG_INIT_HEAVY_TAIL:
        x = kg_gen_clip(tan(KG_GEN_PI * (u - 0.5)), -g->scale, g->scale);
        break;
    case KG_INIT_UNIFORM:
        return kg_gen_clip(g->a + u * (g->b - g->a), g->a, g->below);
    case KG_INIT_RANDINT:
        return kg_gen_clip(g->a + floor(u * (g->b - g->a)), g->a, g->b - 1);
    default: /* DENORMAL: a whole number of subnormal steps, 1 to g->hi of them, either sign */
        x = floor(2.0 * g->hi * u);
        return (x < g->hi ? x + 1 : g->hi - 1 - x) * g->scale;
    }
    if (g->is_float)
        return x;
    if (g->lo == 0) /* unsigned types get magnitudes: clipping would make half of them 0 */
        x = fabs(x);
    return kg_gen_clip(rint(x), g->lo, g->hi);
}

/* One block: elements block * lanes + 0 ... lanes - 1 of a kind with independent elements. */
KG_HD void kg_gen_block(const struct kg_gen *g, uint64_t block, double out[4])
{
    struct kg_philox r = kg_gen_words(g, block, KG_GEN_VALUES);
    int normal = g->kind == KG_INIT_RANDN || g->kind == KG_INIT_LARGE || g->kind == KG_INIT_TINY;
    for (int i = 0; i < g->lanes; i += 2) {
        double u = kg_gen_open(&r, i, g->lanes), v = kg_gen_open(&r, i + 1, g->lanes);
        double x = 0, y = 0;
        if (normal)
            kg_gen_normals(u, v, g->lanes == 4, &x, &y);
        out[i] = kg_gen_shape(g, u, x);
        out[i + 1] = kg_gen_shape(g, v, y);
    }
}

/* A number below n that belongs to a row; 'which' tells several of a row apart. */
KG_HD uint64_t kg_gen_row_pick(const struct kg_gen *g, uint64_t row, int which, uint64_t n)
{
    struct kg_philox r = kg_gen_words(g, row, KG_GEN_ROWS);
    uint64_t w = kg_mix64(((uint64_t)r.v[2 * which] << 32) | r.v[2 * which + 1]);
    return n ? w % n : 0;
}

/* Where position 'x' below n goes in the row's permutation of 0 ... n-1. */
KG_HD uint64_t kg_gen_permute(const struct kg_gen *g, uint64_t row, uint64_t x, uint64_t n)
{
    struct kg_philox r = kg_gen_words(g, row, KG_GEN_ROWS);
    int half = 1;
    while (half < 32 && 1ull << (2 * half) < n)
        half++;
    uint64_t mask = (1ull << half) - 1;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint32_t k = 0; k < 8; k++) {
            uint64_t f = kg_mix64(((uint64_t)r.v[k & 3] << 32 | k << 24) ^ right) & mask;
            uint64_t t = left ^ f;
            left = right;
            right = t;
        }
        x = left << half | right;
    } while (x >= n); /* at most 4 n numbers, so 4 rounds on average at most */
    return x;
}

/* Ascending in the row: one uniform in each of row_len strata, through a logistic's quantiles. */
KG_HD double kg_gen_sorted(const struct kg_gen *g, uint64_t index)
{
    struct kg_philox r = kg_gen_words(g, index / (uint64_t)g->lanes, KG_GEN_VALUES);
    double u = kg_gen_open(&r, (int)(index % (uint64_t)g->lanes), g->lanes);
    u = ((double)(index % g->row_len) + u) / (double)g->row_len;
    u = kg_gen_clip(u, 0x1p-53, 1.0 - 0x1p-53);
    if (g->is_float)
        return log(u / (1.0 - u));
    return kg_gen_clip(floor(g->a + u * (g->b - g->a + 1)), g->a, g->b);
}

/* 4 distinct values (bool: 2), the largest at two places of the row and rarely elsewhere. */
KG_HD double kg_gen_equal_keys(const struct kg_gen *g, uint64_t index)
{
    uint64_t row = index / g->row_len, col = index % g->row_len, n = g->row_len;
    uint64_t first = kg_gen_row_pick(g, row, 0, n);
    uint64_t second = n > 1 ? (first + 1 + kg_gen_row_pick(g, row, 1, n - 1)) % n : first;
    struct kg_philox r = kg_gen_words(g, index, KG_GEN_VALUES);
    int top = g->dtype == KG_BOOL ? 1 : 3;
    int k = (int)(r.v[0] % (uint32_t)top);
    if (col == first || col == second || r.v[1] < 0x01000000u)
        k = top;
    if (g->dtype == KG_BOOL || g->dtype == KG_UINT8)
        return k;
    return g->is_float ? 1.25 * (k - 1) : 2.0 * k - 3.0;
}

/* Element 'index' (row-major, over the whole array); whole numbers for integer types. */
KG_HD double kg_gen_value(const struct kg_gen *g, uint64_t index)
{
    double out[4];
    switch (g->kind) {
    case KG_INIT_ZEROS:
        return 0;
    case KG_INIT_ONES:
        return 1;
    case KG_INIT_VALUE:
        return g->a;
    case KG_INIT_ARANGE: /* starts again where the type could not hold the number exactly */
        return (double)(index % ((uint64_t)g->hi + 1));
    case KG_INIT_ONE_HOT:
        return kg_gen_row_pick(g, index / g->row_len, 0, g->row_len) == index % g->row_len;
    case KG_INIT_PERMUTATION:
        return (double)kg_gen_permute(g, index / g->row_len, index % g->row_len, g->row_len);
    case KG_INIT_SORTED:
        return kg_gen_sorted(g, index);
    case KG_INIT_EQUAL_KEYS:
        return kg_gen_equal_keys(g, index);
    default:
        kg_gen_block(g, index / (uint64_t)g->lanes, out);
        return out[index % (uint64_t)g->lanes];
    }
}

#endif
