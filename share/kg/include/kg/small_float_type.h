/*
 * The text of a 16-bit float type and of the pair of it. No include guard: cuda_fp16.h and
 * cuda_bf16.h read it with
 *     KG_S, KG_S2   the names of the types
 *     KG_FORMAT     how they are made from a float and made into one (kg/small_float.h)
 * Functions are friends, found by their arguments: so they take what converts to the type, as CUDA's
 * own do.
 */
struct alignas(2) KG_S {
    uint16_t kg_word;
    KG_S() = default;
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
    KG_S(T v) : kg_word(KG_FORMAT::from_float(narrow(v)))
    {
    }
    operator float() const { return KG_FORMAT::to_float(kg_word); }
    static KG_S from_word(uint16_t w)
    {
        KG_S h;
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
};

/* Two of them in a word. */
struct alignas(4) KG_S2 {
    KG_S x, y;
    KG_S2() = default;
    KG_S2(KG_S a, KG_S b) : x(a), y(b)
    {
    }

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
};

template <> struct kg_is_warp_value<KG_S> : std::true_type {
};
template <> struct kg_is_warp_value<KG_S2> : std::true_type {
};

