/*
 * 16-bit floats. Each operation is done in float and rounded once to nearest even; float has more
 * than twice the digits, so the result is that of the exact operation (fma: by way of double).
 */
#ifndef KG_SMALL_FLOAT_H
#define KG_SMALL_FLOAT_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kg/atomics.h"
#include "kg/math.h"
#include "kg/vector_types.h"
#include "kg/warp.h"
#ifdef __F16C__
#include <immintrin.h>
#endif

/* binary16 */
struct kg_format_half {
    static uint16_t from_float(float f)
    {
#ifdef __F16C__
        return (uint16_t)_cvtss_sh(f, _MM_FROUND_TO_NEAREST_INT);
#else
        uint32_t x = kg_bits<uint32_t>(f), sign = x >> 16 & 0x8000;
        x &= 0x7FFFFFFF;
        if (x >= 0x47800000) /* 65536 and more */
            return (uint16_t)(sign | (x > 0x7F800000 ? 0x7E00 | (x >> 13 & 0x3FF) : 0x7C00));
        if (x < 0x38800000) { /* below 2^-14: 0.5 has the ulp of a subnormal half */
            float r = kg_bits<float>(x) + 0.5f;
            return (uint16_t)(sign | (kg_bits<uint32_t>(r) - 0x3F000000));
        }
        x += 0xC8000FFF + (x >> 13 & 1); /* exponent bias 127 to 15; round to nearest even */
        return (uint16_t)(sign | x >> 13);
#endif
    }
    static float to_float(uint16_t h)
    {
#ifdef __F16C__
        return _cvtsh_ss(h);
#else
        uint32_t x = (uint32_t)(h & 0x7FFF) << 13, sign = (uint32_t)(h & 0x8000) << 16;
        uint32_t exponent = x & 0x0F800000;
        if (exponent == 0x0F800000) {
            x += 0x70000000;
        } else if (exponent == 0) { /* zero, subnormal */
            float f = kg_bits<float>(x + 0x38800000) - kg_bits<float>(0x38800000u);
            x = kg_bits<uint32_t>(f);
        } else {
            x += 0x38000000;
        }
        return kg_bits<float>(x | sign);
#endif
    }
};

/* bfloat16: the upper half of a float */
struct kg_format_bfloat16 {
    static uint16_t from_float(float f)
    {
        uint32_t x = kg_bits<uint32_t>(f);
        if ((x & 0x7FFFFFFF) > 0x7F800000)
            return 0x7FFF;
        return (uint16_t)((x + 0x7FFF + (x >> 16 & 1)) >> 16);
    }
    static float to_float(uint16_t h)
    {
        return kg_bits<float>((uint32_t)h << 16);
    }
};

/* To float with the last bit set where digits are lost: a second rounding then errs nowhere. */
static inline float kg_round_to_odd(double d)
{
    float f = (float)d;
    if ((double)f == d || f != f)
        return f;
    uint32_t x = kg_bits<uint32_t>(f);
    if (fabs((double)f) > fabs(d))
        x--;
    return kg_bits<float>(x | 1);
}

#endif
