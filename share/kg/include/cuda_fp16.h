/*
 * __half and __half2 for the host device of kg. Written from the public documentation of the CUDA
 * Math API; what is not here is not supported on host.
 */
#ifndef KG_CUDA_FP16_H
#define KG_CUDA_FP16_H

#include "cuda_runtime.h"
#include "kg/small_float.h"

#define KG_S      __half
#define KG_S2     __half2
#define KG_FORMAT kg_format_half
#include "kg/small_float_type.h"
#undef KG_S
#undef KG_S2
#undef KG_FORMAT

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

struct __half_raw {
    unsigned short x;
};

/* ---- conversions ------------------------------------------------------------------------------ */

KG_FN __half __float2half(float x) { return __half(x); }
KG_FN __half __float2half_rn(float x) { return __half(x); }
KG_FN __half __double2half(double x) { return __half(x); }
KG_FN float __half2float(__half x) { return (float)x; }
KG_FN __half __ushort_as_half(unsigned short x) { return __half::from_word(x); }
KG_FN __half __short_as_half(short x) { return __half::from_word((uint16_t)x); }
KG_FN unsigned short __half_as_ushort(__half x) { return x.kg_word; }
KG_FN short __half_as_short(__half x) { return (short)x.kg_word; }
/* toward zero: step back where nearest went beyond */
KG_FN __half __float2half_rz(float x)
{
    __half h(x);
    return fabsf((float)h) > fabsf(x) ? __half::from_word((uint16_t)(h.kg_word - 1)) : h;
}
KG_FN __half __float2half_ru(float x)
{
    __half h = __float2half_rz(x);
    return (float)h < x ? __half::from_word((uint16_t)(h.kg_word + 1)) : h;
}
KG_FN __half __float2half_rd(float x)
{
    __half h = __float2half_rz(x);
    return (float)h > x ? __half::from_word((uint16_t)(h.kg_word + 1)) : h;
}
#define KG_HALF_INTEGER(name, I)                                                                   \
    KG_FN __half __##name##2half_rn(I x) { return __half(x); }                                     \
    KG_FN I __half2##name##_rn(__half x) { return kg_to_integer<I>(nearbyint((double)(float)x)); } \
    KG_FN I __half2##name##_rz(__half x) { return kg_to_integer<I>(trunc((double)(float)x)); }     \
    KG_FN I __half2##name##_rd(__half x) { return kg_to_integer<I>(floor((double)(float)x)); }     \
    KG_FN I __half2##name##_ru(__half x) { return kg_to_integer<I>(ceil((double)(float)x)); }
KG_HALF_INTEGER(int, int)
KG_HALF_INTEGER(uint, unsigned int)
KG_HALF_INTEGER(short, short)
KG_HALF_INTEGER(ushort, unsigned short)
KG_HALF_INTEGER(ll, long long)
KG_HALF_INTEGER(ull, unsigned long long)
#undef KG_HALF_INTEGER

/* ---- pairs -------------------------------------------------------------------------------------- */

KG_FN __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
KG_FN __half2 make_half2(__half a, __half b) { return __half2(a, b); }
KG_FN __half2 __half2half2(__half a) { return __half2(a, a); }
KG_FN __half2 __float2half2_rn(float x) { return __half2(__half(x), __half(x)); }
KG_FN __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
KG_FN __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
KG_FN float2 __half22float2(__half2 h) { return make_float2((float)h.x, (float)h.y); }
KG_FN __half __low2half(__half2 h) { return h.x; }
KG_FN __half __high2half(__half2 h) { return h.y; }
KG_FN __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
KG_FN __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
KG_FN __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
KG_FN __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
KG_FN __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

#define CUDART_INF_FP16        __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16        __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_ZERO_FP16       __ushort_as_half((unsigned short)0x0000U)
#define CUDART_NEG_ZERO_FP16   __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ONE_FP16        __ushort_as_half((unsigned short)0x3C00U)

#endif
