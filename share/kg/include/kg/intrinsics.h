/*
 * Fast and rounded floating-point intrinsics, conversions, loads with a cache hint. Part of
 * kg/math.h.
 */
#ifndef KG_INTRINSICS_H
#define KG_INTRINSICS_H

/* ---- fast functions: glibc declares some of these names for itself, hence the macros ----------- */

KG_FN float kg_fast_expf(float x) { return expf(x); }
KG_FN float kg_fast_exp10f(float x) { return exp2f(x * 3.32192809488736f); }
KG_FN float kg_fast_logf(float x) { return logf(x); }
KG_FN float kg_fast_log2f(float x) { return log2f(x); }
KG_FN float kg_fast_log10f(float x) { return log10f(x); }
KG_FN float kg_fast_powf(float x, float y) { return exp2f(y * log2f(x)); }
KG_FN float kg_fast_sinf(float x) { return sinf(x); }
KG_FN float kg_fast_cosf(float x) { return cosf(x); }
KG_FN float kg_fast_tanf(float x) { return tanf(x); }
KG_FN float kg_fast_tanhf(float x) { return tanhf(x); }
KG_FN void kg_fast_sincosf(float x, float *s, float *c) { *s = sinf(x), *c = cosf(x); }
#define __expf    kg_fast_expf
#define __exp10f  kg_fast_exp10f
#define __logf    kg_fast_logf
#define __log2f   kg_fast_log2f
#define __log10f  kg_fast_log10f
#define __powf    kg_fast_powf
#define __sinf    kg_fast_sinf
#define __cosf    kg_fast_cosf
#define __tanf    kg_fast_tanf
#define __tanhf   kg_fast_tanhf
#define __sincosf kg_fast_sincosf

KG_FN float __fdividef(float x, float y) { return x / y; }
KG_FN float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

/* ---- rounded arithmetic ------------------------------------------------------------------------ */

/* A double that lies on the same side of every float as the exact value, of which v is the rounded
 * one and 'rest' has the sign of what is missing. */
KG_FN double kg_nudge(double v, double rest)
{
    return rest > 0 ? nextafter(v, INFINITY) : rest < 0 ? nextafter(v, -INFINITY) : v;
}
KG_FN double kg_sum(double a, double b)
{
    double s = a + b, bb = s - a; /* Knuth's two-sum */
    return kg_nudge(s, (a - (s - bb)) + (b - bb));
}
KG_FN double kg_quotient(double a, double b)
{
    double q = a / b, r = fma(-q, b, a);
    return std::isfinite(r) ? kg_nudge(q, b > 0 ? r : -r) : q;
}
KG_FN double kg_root(double a)
{
    double s = sqrt(a), r = fma(-s, s, a);
    return std::isfinite(r) ? kg_nudge(s, r) : s;
}
KG_FN float kg_round(double exact, int mode) /* 0 nearest, 1 to zero, 2 up, 3 down */
{
    float f = (float)exact;
    if (mode == 0 || (double)f == exact || f != f)
        return f;
    bool above = (double)f > exact;
    bool step_down = above && (mode == 3 || (mode == 1 && exact > 0));
    bool step_up = !above && (mode == 2 || (mode == 1 && exact < 0));
    if (step_down)
        return nextafterf(f, -INFINITY);
    return step_up ? nextafterf(f, INFINITY) : f;
}
#define KG_ROUNDED(name, parameters, nearest, exact)                                               \
    KG_FN float name##_rn parameters { return nearest; }                                           \
    KG_FN float name##_rz parameters { return kg_round(exact, 1); }                                \
    KG_FN float name##_ru parameters { return kg_round(exact, 2); }                                \
    KG_FN float name##_rd parameters { return kg_round(exact, 3); }
KG_ROUNDED(__fadd, (float a, float b), a + b, kg_sum(a, b))
KG_ROUNDED(__fsub, (float a, float b), a - b, kg_sum(a, -(double)b))
KG_ROUNDED(__fmul, (float a, float b), a *b, (double)a *b)
KG_ROUNDED(__fmaf, (float a, float b, float c), fmaf(a, b, c), kg_sum((double)a * b, c))
KG_ROUNDED(__fdiv, (float a, float b), a / b, kg_quotient(a, b))
KG_ROUNDED(__frcp, (float a), 1.0f / a, kg_quotient(1, a))
KG_ROUNDED(__fsqrt, (float a), sqrtf(a), kg_root(a))
#undef KG_ROUNDED
KG_FN float __frsqrt_rn(float a) { return (float)(1.0 / sqrt((double)a)); }
KG_FN double __dadd_rn(double a, double b) { return a + b; }
KG_FN double __dsub_rn(double a, double b) { return a - b; }
KG_FN double __dmul_rn(double a, double b) { return a * b; }
KG_FN double __ddiv_rn(double a, double b) { return a / b; }
KG_FN double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
KG_FN double __drcp_rn(double a) { return 1.0 / a; }
KG_FN double __dsqrt_rn(double a) { return sqrt(a); }

/* ---- conversions: out of range saturates, NaN gives 0 (integers below 64 bits) ------------------- */

template <class I> inline I kg_to_integer(double x)
{
    constexpr double lo = (double)((I)-1 < (I)0 ? (I)((unsigned long long)1 << (sizeof(I) * 8 - 1))
                                                : (I)0);
    constexpr double hi = (I)-1 < (I)0 ? -lo : 2.0 * (double)((unsigned long long)1 << (sizeof(I) * 8 - 1));
    if (x != x)
        return sizeof(I) == 8 ? (I)((unsigned long long)1 << 63) : (I)0;
    if (x <= lo)
        return (I)lo;
    if (x >= hi)
        return (I)-1 < (I)0 ? (I)~((unsigned long long)1 << (sizeof(I) * 8 - 1)) : (I)-1;
    return (I)x;
}
#define KG_CONVERT(from, F, to, I)                                                                 \
    KG_FN I __##from##2##to##_rn(F x) { return kg_to_integer<I>(nearbyint((double)x)); }           \
    KG_FN I __##from##2##to##_rz(F x) { return kg_to_integer<I>(trunc((double)x)); }               \
    KG_FN I __##from##2##to##_ru(F x) { return kg_to_integer<I>(ceil((double)x)); }                \
    KG_FN I __##from##2##to##_rd(F x) { return kg_to_integer<I>(floor((double)x)); }
KG_CONVERT(float, float, int, int)
KG_CONVERT(float, float, uint, unsigned)
KG_CONVERT(float, float, ll, long long)
KG_CONVERT(float, float, ull, unsigned long long)
KG_CONVERT(double, double, int, int)
KG_CONVERT(double, double, uint, unsigned)
KG_CONVERT(double, double, ll, long long)
KG_CONVERT(double, double, ull, unsigned long long)
#undef KG_CONVERT
#define KG_TO_FLOAT(from, I)                                                                       \
    KG_FN float __##from##2float_rn(I x) { return (float)x; }                                      \
    KG_FN float __##from##2float_rz(I x)                                                           \
    {                                                                                              \
        float f = (float)x;                                                                        \
        bool over = (long double)x < 0 ? (long double)f < (long double)x                    \
                                         : (long double)f > (long double)x;  \
        return over ? nextafterf(f, 0.0f) : f;                                                     \
    }
KG_TO_FLOAT(int, int)
KG_TO_FLOAT(uint, unsigned)
KG_TO_FLOAT(ll, long long)
KG_TO_FLOAT(ull, unsigned long long)
#undef KG_TO_FLOAT
KG_FN float __double2float_rn(double x) { return (float)x; }
KG_FN float __double2float_rz(double x) { return kg_round(x, 1); }
KG_FN float __double2float_ru(double x) { return kg_round(x, 2); }
KG_FN float __double2float_rd(double x) { return kg_round(x, 3); }
KG_FN double __int2double_rn(int x) { return x; }
KG_FN double __uint2double_rn(unsigned x) { return x; }
KG_FN double __ll2double_rn(long long x) { return (double)x; }
KG_FN double __ull2double_rn(unsigned long long x) { return (double)x; }

/* ---- loads and stores with a cache hint ---------------------------------------------------------- */

#define KG_LOAD(name)                                                                              \
    template <class T> inline T name(const T *p) { return *p; }
KG_LOAD(__ldg)
KG_LOAD(__ldca)
KG_LOAD(__ldcs)
KG_LOAD(__ldlu)
#undef KG_LOAD
/* These see what other threads write while this one runs. */
template <class T> inline T kg_load_fresh(const T *p)
{
    T v;
    __asm__ volatile("" ::: "memory");
    memcpy(&v, p, sizeof v);
    __asm__ volatile("" ::: "memory");
    return v;
}
template <class T> inline T __ldcg(const T *p) { return kg_load_fresh(p); }
template <class T> inline T __ldcv(const T *p) { return kg_load_fresh(p); }
#define KG_STORE(name)                                                                             \
    template <class T> inline void name(T *p, std::common_type_t<T> v) { *p = v; }
KG_STORE(__stwb)
KG_STORE(__stcg)
KG_STORE(__stcs)
KG_STORE(__stwt)
#undef KG_STORE

#ifndef __clang__
#define __builtin_assume(x) ((x) ? (void)0 : __builtin_unreachable())
#endif
#define __assume(x) __builtin_assume(x)

#endif
