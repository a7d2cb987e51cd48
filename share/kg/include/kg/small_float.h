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

/*
 * F: one of the formats above; each makes a type of its own. Functions are friends, found by their
 * arguments: so they take what converts to the type, as CUDA's own do, and both formats can share
 * one text.
 */
template <class F> struct alignas(2) kg_small {
    uint16_t kg_word;
    kg_small() = default;
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
    kg_small(T v) : kg_word(F::from_float(narrow(v)))
    {
    }
    operator float() const { return F::to_float(kg_word); }
    static kg_small from_word(uint16_t w)
    {
        kg_small h;
        h.kg_word = w;
        return h;
    }
    template <class T> static float narrow(T v)
    {
        if constexpr (std::is_same<T, float>::value)
            return v;
        else
            return kg_round_to_odd((double)v);
    }

#define KG_S kg_small
#define KG_OPERATOR(op, name)                                                                      \
    friend KG_S operator op(KG_S a, KG_S b) { return KG_S((float)a op(float) b); }                             \
    friend KG_S &operator op##=(KG_S &a, KG_S b) { return a = KG_S((float)a op(float) b); }                    \
    friend KG_S name(KG_S a, KG_S b) { return KG_S((float)a op(float) b); }                                    \
    friend KG_S name##_rn(KG_S a, KG_S b) { return KG_S((float)a op(float) b); }                               \
    friend KG_S name##_sat(KG_S a, KG_S b) { return KG_S(__saturatef((float)KG_S((float)a op(float) b))); }
    KG_OPERATOR(+, __hadd)
    KG_OPERATOR(-, __hsub)
    KG_OPERATOR(*, __hmul)
    KG_OPERATOR(/, __hdiv)
#undef KG_OPERATOR
    friend KG_S operator-(KG_S a) { return from_word(a.kg_word ^ 0x8000); }
    friend KG_S operator+(KG_S a) { return a; }
    friend KG_S &operator++(KG_S &a) { return a = KG_S((float)a + 1.0f); }
    friend KG_S &operator--(KG_S &a) { return a = KG_S((float)a - 1.0f); }
    friend KG_S operator++(KG_S &a, int) { KG_S old = a; ++a; return old; }
    friend KG_S operator--(KG_S &a, int) { KG_S old = a; --a; return old; }

    friend KG_S __hneg(KG_S a) { return -a; }
    friend KG_S __habs(KG_S a) { return from_word(a.kg_word & 0x7FFF); }
    friend KG_S __hfma(KG_S a, KG_S b, KG_S c)
    {
        return KG_S(kg_round_to_odd(fma((double)(float)a, (double)(float)b, (double)(float)c)));
    }
    friend KG_S __hfma_sat(KG_S a, KG_S b, KG_S c) { return KG_S(__saturatef((float)__hfma(a, b, c))); }
    friend KG_S __hfma_relu(KG_S a, KG_S b, KG_S c)
    {
        KG_S r = __hfma(a, b, c);
        return (float)r < 0.0f ? KG_S(0.0f) : r;
    }

    /* unordered comparisons (suffix u) are true for a NaN */
    friend bool __hisnan(KG_S a) { return (float)a != (float)a; }
    friend int __hisinf(KG_S a) { return std::isinf((float)a) ? ((float)a > 0 ? 1 : -1) : 0; }
#define KG_COMPARE(name, op)                                                                       \
    friend bool operator op(KG_S a, KG_S b) { return (float)a op(float) b; }                             \
    friend bool __h##name(KG_S a, KG_S b) { return (float)a op(float) b; }                               \
    friend bool __h##name##u(KG_S a, KG_S b)                                                             \
    {                                                                                              \
        return __hisnan(a) || __hisnan(b) || (float)a op(float) b;                                 \
    }
    KG_COMPARE(eq, ==)
    KG_COMPARE(ne, !=)
    KG_COMPARE(lt, <)
    KG_COMPARE(le, <=)
    KG_COMPARE(gt, >)
    KG_COMPARE(ge, >=)
#undef KG_COMPARE
    friend KG_S __hmax(KG_S a, KG_S b) { return a > b || __hisnan(b) ? a : b; }
    friend KG_S __hmin(KG_S a, KG_S b) { return a < b || __hisnan(b) ? a : b; }
    friend KG_S __hmax_nan(KG_S a, KG_S b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }
    friend KG_S __hmin_nan(KG_S a, KG_S b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }

#define KG_MATH(name, expression)                                                                  \
    friend KG_S name(KG_S a)                                                                             \
    {                                                                                              \
        float x = (float)a;                                                                        \
        return KG_S(expression);                                                                      \
    }
    KG_MATH(hexp, expf(x))
    KG_MATH(hexp2, exp2f(x))
    KG_MATH(hexp10, exp2f(x * 3.32192809488736f))
    KG_MATH(hlog, logf(x))
    KG_MATH(hlog2, log2f(x))
    KG_MATH(hlog10, log10f(x))
    KG_MATH(hsqrt, sqrtf(x))
    KG_MATH(hrsqrt, 1.0f / sqrtf(x))
    KG_MATH(hrcp, 1.0f / x)
    KG_MATH(hsin, sinf(x))
    KG_MATH(hcos, cosf(x))
    KG_MATH(htanh, tanhf(x))
    KG_MATH(hfloor, floorf(x))
    KG_MATH(hceil, ceilf(x))
    KG_MATH(htrunc, truncf(x))
    KG_MATH(hrint, nearbyintf(x))
#undef KG_MATH

    friend KG_S atomicAdd(KG_S *p, KG_S v)
    {
        return kg_atomic(p, [v](KG_S old) { return KG_S((float)old + (float)v); });
    }
#undef KG_S
};

/* Two of them in a word. */
template <class F> struct alignas(4) kg_small2 {
    kg_small<F> x, y;
    kg_small2() = default;
    kg_small2(kg_small<F> a, kg_small<F> b) : x(a), y(b)
    {
    }

#define KG_S2 kg_small2
#define KG_OPERATOR(op, name)                                                                      \
    friend KG_S2 operator op(KG_S2 a, KG_S2 b) { return KG_S2(a.x op b.x, a.y op b.y); }                       \
    friend KG_S2 &operator op##=(KG_S2 &a, KG_S2 b) { return a = a op b; }                                  \
    friend KG_S2 name(KG_S2 a, KG_S2 b) { return a op b; }                                                  \
    friend KG_S2 name##_rn(KG_S2 a, KG_S2 b) { return a op b; }
    KG_OPERATOR(+, __hadd2)
    KG_OPERATOR(-, __hsub2)
    KG_OPERATOR(*, __hmul2)
    KG_OPERATOR(/, __h2div)
#undef KG_OPERATOR
    friend KG_S2 operator-(KG_S2 a) { return KG_S2(-a.x, -a.y); }
    friend KG_S2 __hneg2(KG_S2 a) { return -a; }
    friend float __low2float(KG_S2 a) { return (float)a.x; }
    friend float __high2float(KG_S2 a) { return (float)a.y; }
#define KG_BOTH(name, single)                                                                      \
    friend KG_S2 name(KG_S2 a) { return KG_S2(single(a.x), single(a.y)); }
    KG_BOTH(__habs2, __habs)
    KG_BOTH(h2exp, hexp)
    KG_BOTH(h2exp2, hexp2)
    KG_BOTH(h2exp10, hexp10)
    KG_BOTH(h2log, hlog)
    KG_BOTH(h2log2, hlog2)
    KG_BOTH(h2log10, hlog10)
    KG_BOTH(h2sqrt, hsqrt)
    KG_BOTH(h2rsqrt, hrsqrt)
    KG_BOTH(h2rcp, hrcp)
    KG_BOTH(h2sin, hsin)
    KG_BOTH(h2cos, hcos)
    KG_BOTH(h2tanh, htanh)
    KG_BOTH(h2floor, hfloor)
    KG_BOTH(h2ceil, hceil)
    KG_BOTH(h2trunc, htrunc)
    KG_BOTH(h2rint, hrint)
#undef KG_BOTH
#define KG_BOTH(name, single)                                                                      \
    friend KG_S2 name(KG_S2 a, KG_S2 b) { return KG_S2(single(a.x, b.x), single(a.y, b.y)); }
    KG_BOTH(__hadd2_sat, __hadd_sat)
    KG_BOTH(__hmul2_sat, __hmul_sat)
    KG_BOTH(__hmax2, __hmax)
    KG_BOTH(__hmin2, __hmin)
    KG_BOTH(__hmax2_nan, __hmax_nan)
    KG_BOTH(__hmin2_nan, __hmin_nan)
#undef KG_BOTH
    friend KG_S2 __hfma2(KG_S2 a, KG_S2 b, KG_S2 c)
    {
        return KG_S2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
    }
    friend KG_S2 __hfma2_relu(KG_S2 a, KG_S2 b, KG_S2 c)
    {
        return KG_S2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
    }
#define KG_COMPARE(name)                                                                           \
    friend KG_S2 __h##name##2(KG_S2 a, KG_S2 b)                                                             \
    {                                                                                              \
        return KG_S2(__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f);           \
    }                                                                                              \
    friend bool __hb##name##2(KG_S2 a, KG_S2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
    KG_COMPARE(eq)
    KG_COMPARE(ne)
    KG_COMPARE(lt)
    KG_COMPARE(le)
    KG_COMPARE(gt)
    KG_COMPARE(ge)
#undef KG_COMPARE
    friend KG_S2 atomicAdd(KG_S2 *p, KG_S2 v)
    {
        return kg_atomic(p, [v](KG_S2 old) { return old + v; });
    }
#undef KG_S2
};

template <class F> struct kg_is_warp_value<kg_small<F>> : std::true_type {
};
template <class F> struct kg_is_warp_value<kg_small2<F>> : std::true_type {
};

#endif
