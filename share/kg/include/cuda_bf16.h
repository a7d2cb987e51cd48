/*
 * __nv_bfloat16 and __nv_bfloat162 for the host device of kg. Written from the public documentation
 * of the CUDA Math API; what is not here is not supported on host.
 */
#ifndef KG_CUDA_BF16_H
#define KG_CUDA_BF16_H

#include "cuda_runtime.h"
#include "kg/small_float.h"

#define KG_S      __nv_bfloat16
#define KG_S2     __nv_bfloat162
#define KG_FORMAT kg_format_bfloat16
#include "kg/small_float_type.h"
#undef KG_S
#undef KG_S2
#undef KG_FORMAT

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

struct __nv_bfloat16_raw {
    unsigned short x;
};

/* ---- conversions ------------------------------------------------------------------------------ */

KG_FN __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
KG_FN __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
KG_FN __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
KG_FN float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
KG_FN __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __nv_bfloat16::from_word(x); }
KG_FN __nv_bfloat16 __short_as_bfloat16(short x) { return __nv_bfloat16::from_word((uint16_t)x); }
KG_FN unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.kg_word; }
KG_FN short __bfloat16_as_short(__nv_bfloat16 x) { return (short)x.kg_word; }
KG_FN __nv_bfloat16 __float2bfloat16_rz(float x)
{
    return x != x ? __nv_bfloat16(x) : __nv_bfloat16::from_word((uint16_t)(__float_as_uint(x) >> 16));
}
KG_FN __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
KG_FN __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __nv_bfloat16(x); }
KG_FN int __bfloat162int_rn(__nv_bfloat16 x) { return __float2int_rn((float)x); }
KG_FN int __bfloat162int_rz(__nv_bfloat16 x) { return __float2int_rz((float)x); }

/* ---- pairs -------------------------------------------------------------------------------------- */

KG_FN __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
KG_FN __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
KG_FN __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
KG_FN __nv_bfloat162 __float2bfloat162_rn(float x)
{
    return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(x));
}
KG_FN __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
KG_FN __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
KG_FN float2 __bfloat1622float2(__nv_bfloat162 h) { return make_float2((float)h.x, (float)h.y); }
KG_FN __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
KG_FN __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
KG_FN __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.x, h.x); }
KG_FN __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.y); }
KG_FN __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.x, b.x);
}
KG_FN __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.y, b.y);
}

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)

#endif
