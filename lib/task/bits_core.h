/*
 * float16 and bfloat16 as bits, from and to double, rounded to nearest even in one step (no detour
 * over float, which would round twice). One text for C and for CUDA.
 */
#ifndef KG_TASK_BITS_CORE_H
#define KG_TASK_BITS_CORE_H

#include "base/philox.h"

#ifndef __CUDACC_RTC__
#include <string.h>
#endif

KG_HD uint64_t kg_bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

KG_HD double kg_double_of(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/*
 * A small IEEE format with 'mant' bits of fraction and exponent bias 'bias' in 16 bits. NaN stays a
 * quiet NaN with the top bits of its payload.
 */
KG_HD uint32_t kg_small_from_double(double x, int mant, int bias)
{
    uint64_t u = kg_bits_of(x), frac = u & 0xFFFFFFFFFFFFFull;
    uint32_t sign = (uint32_t)(u >> 48) & 0x8000u, inf = (uint32_t)(2 * bias + 1) << mant;
    int e = (int)(u >> 52 & 0x7FF) - 1023;
    if (e == 1024)
        return sign | inf | (frac ? 1u << (mant - 1) | (uint32_t)(frac >> (52 - mant)) : 0);
    if (e < 1 - bias - mant - 1)
        return sign; /* below half of the smallest subnormal */
    if (e > bias)
        return sign | inf;
    int shift = 52 - mant; /* bits of the fraction that fall off */
    uint64_t m = frac | 1ull << 52, out;
    if (e < 1 - bias) {
        shift += 1 - bias - e;
        out = 0;
    } else {
        m = frac;
        out = (uint64_t)(e + bias) << mant;
    }
    uint64_t rest = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    out += m >> shift;
    if (rest > half || (rest == half && (out & 1)))
        out++; /* a carry runs into the exponent, up to infinity: as it must */
    return sign | (uint32_t)out;
}

KG_HD double kg_small_to_double(uint32_t h, int mant, int bias)
{
    uint64_t sign = (uint64_t)(h & 0x8000u) << 48, frac = h & ((1u << mant) - 1);
    int e = (int)((h & 0x7FFFu) >> mant);
    if (e == 2 * bias + 1)
        return kg_double_of(sign | 0x7FFull << 52 | frac << (52 - mant));
    if (e)
        return kg_double_of(sign | (uint64_t)(e - bias + 1023) << 52 | frac << (52 - mant));
    double step = kg_double_of((uint64_t)(1 - bias - mant + 1023) << 52);
    double x = (double)frac * step;
    return sign ? -x : x;
}

#endif
