/*
 * Mathematical functions and intrinsics of CUDA C++ that the C library does not have (CUDA Math API
 * documentation). Fast ones are as exact as the C library makes them: a candidate must not lean on
 * their errors. Directed rounding is done by stepping from the nearest value.
 */
#ifndef KG_MATH_H
#define KG_MATH_H

#include <cmath>
#include <math.h>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "kg/abi.h"
#include "kg/vector_types.h"

#define KG_FN static inline

/* ---- bits ------------------------------------------------------------------------------------ */

template <class To, class From> inline To kg_bits(From f)
{
    static_assert(sizeof(To) == sizeof(From), "kg_bits");
    To t;
    memcpy(&t, &f, sizeof t);
    return t;
}
KG_FN int __float_as_int(float x) { return kg_bits<int>(x); }
KG_FN unsigned __float_as_uint(float x) { return kg_bits<unsigned>(x); }
KG_FN float __int_as_float(int x) { return kg_bits<float>(x); }
KG_FN float __uint_as_float(unsigned x) { return kg_bits<float>(x); }
KG_FN long long __double_as_longlong(double x) { return kg_bits<long long>(x); }
KG_FN double __longlong_as_double(long long x) { return kg_bits<double>(x); }
KG_FN int __double2hiint(double x) { return (int)(kg_bits<unsigned long long>(x) >> 32); }
KG_FN int __double2loint(double x) { return (int)kg_bits<unsigned long long>(x); }
KG_FN double __hiloint2double(int hi, int lo)
{
    return kg_bits<double>((unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

KG_FN int __popc(unsigned x) { return __builtin_popcount(x); }
KG_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
KG_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
KG_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
KG_FN int __ffs(int x) { return __builtin_ffs(x); }
KG_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
KG_FN int __fns(unsigned mask, unsigned base, int offset)
{
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    if (offset == 0)
        return mask >> base & 1 ? (int)base : -1;
    for (int i = (int)base; i >= 0 && i < 32; i += step)
        if ((mask >> i & 1) && --left == 0)
            return i;
    return -1;
}
KG_FN unsigned __brev(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
    return __builtin_bswap32(x);
}
KG_FN unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
KG_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
    unsigned long long v = (unsigned long long)y << 32 | x;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) {
        unsigned sel = s >> 4 * i & 7; /* the fourth bit means nothing */
        r |= ((unsigned)(v >> 8 * sel) & 0xFF) << 8 * i;
    }
    return r;
}
KG_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((unsigned long long)hi << 32 | lo) << (n & 31) >> 32);
}
KG_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31));
}
KG_FN unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((unsigned long long)hi << 32 | lo) << (n < 32 ? n : 32) >> 32);
}
KG_FN unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n < 32 ? n : 32));
}

/* ---- integers -------------------------------------------------------------------------------- */

KG_FN int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
KG_FN unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
KG_FN long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
KG_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
KG_FN int __mul24(int a, int b)
{
    return (int)((unsigned)((int)((unsigned)a << 8) >> 8) * (unsigned)((int)((unsigned)b << 8) >> 8));
}
KG_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
KG_FN unsigned __sad(int a, int b, unsigned c)
{
    return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a);
}
KG_FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
KG_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
KG_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
KG_FN unsigned __uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
KG_FN unsigned __urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
KG_FN int __dp4a(int a, int b, int c)
{
    unsigned s = (unsigned)c;
    for (int i = 0; i < 4; i++)
        s += (unsigned)((int)(signed char)(a >> 8 * i) * (int)(signed char)(b >> 8 * i));
    return (int)s;
}
KG_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 4; i++)
        c += (a >> 8 * i & 0xFF) * (b >> 8 * i & 0xFF);
    return c;
}

#define KG_MIN_MAX(R, A, B)                                                                        \
    KG_FN R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                    \
    KG_FN R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
KG_MIN_MAX(int, int, int)
KG_MIN_MAX(unsigned, unsigned, unsigned)
KG_MIN_MAX(unsigned, int, unsigned)
KG_MIN_MAX(unsigned, unsigned, int)
KG_MIN_MAX(long, long, long)
KG_MIN_MAX(unsigned long, unsigned long, unsigned long)
KG_MIN_MAX(unsigned long, long, unsigned long)
KG_MIN_MAX(unsigned long, unsigned long, long)
KG_MIN_MAX(long long, long long, long long)
KG_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
KG_MIN_MAX(unsigned long long, long long, unsigned long long)
KG_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef KG_MIN_MAX
/* A NaN gives the other operand, as fmin and fmax do. */
#define KG_FMIN_FMAX(R, A, B)                                                                      \
    KG_FN R min(A a, B b) { return (R)a < (R)b || (R)b != (R)b ? (R)a : (R)b; }                    \
    KG_FN R max(A a, B b) { return (R)a > (R)b || (R)b != (R)b ? (R)a : (R)b; }
KG_FMIN_FMAX(float, float, float)
KG_FMIN_FMAX(double, double, double)
KG_FMIN_FMAX(double, float, double)
KG_FMIN_FMAX(double, double, float)
#undef KG_FMIN_FMAX
KG_FN unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
KG_FN unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
KG_FN long long llmin(long long a, long long b) { return a < b ? a : b; }
KG_FN long long llmax(long long a, long long b) { return a > b ? a : b; }
KG_FN unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
KG_FN unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

/* ---- functions that C lacks ------------------------------------------------------------------ */

#define KG_PI 3.14159265358979323846

KG_FN float rsqrtf(float x) { return 1.0f / sqrtf(x); }
KG_FN double rsqrt(double x) { return 1.0 / sqrt(x); }
KG_FN float rsqrt(float x) { return rsqrtf(x); }
KG_FN float rcbrtf(float x) { return 1.0f / cbrtf(x); }
KG_FN double rcbrt(double x) { return 1.0 / cbrt(x); }
KG_FN double sinpi(double x) { return sin(KG_PI * fmod(x, 2.0)); }
KG_FN double cospi(double x) { return cos(KG_PI * fmod(x, 2.0)); }
KG_FN float sinpif(float x) { return (float)sinpi((double)x); }
KG_FN float cospif(float x) { return (float)cospi((double)x); }
KG_FN void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
KG_FN void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
KG_FN float fdividef(float x, float y) { return x / y; }
KG_FN double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
KG_FN double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
KG_FN double norm4d(double a, double b, double c, double d)
{
    return sqrt(a * a + b * b + c * c + d * d);
}
KG_FN float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
KG_FN float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
KG_FN float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
KG_FN float rnorm4df(float a, float b, float c, float d) { return (float)(1.0 / norm4d(a, b, c, d)); }
KG_FN double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
KG_FN float rhypotf(float x, float y) { return (float)rhypot(x, y); }
KG_FN double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
KG_FN float normcdff(float x) { return (float)normcdf(x); }
/* exp(x^2) erfc(x): where erfc underflows, its continued fraction (Abramowitz and Stegun 7.1.14) */
KG_FN double erfcx(double x)
{
    if (x < 20.0)
        return exp(x * x) * erfc(x);
    double f = 0.0;
    for (int k = 20; k > 0; k--)
        f = 0.5 * k / (x + f);
    return 1.0 / ((x + f) * 1.77245385090551602730);
}
KG_FN float erfcxf(float x) { return (float)erfcx(x); }
/* Newton's method on erf from a logarithmic first guess (Winitzki) */
KG_FN double erfinv(double y)
{
    if (!(y > -1.0 && y < 1.0))
        return y == 1.0 ? INFINITY : y == -1.0 ? -INFINITY : NAN;
    double l = log1p(-y * y), t = 2.0 / (KG_PI * 0.147) + 0.5 * l;
    double x = copysign(sqrt(sqrt(t * t - l / 0.147) - t), y);
    for (int k = 0; k < 4; k++) {
        double e = y > 0.5 ? (1.0 - y) - erfc(x) : y < -0.5 ? erfc(-x) - (1.0 + y) : erf(x) - y;
        double step = e / (1.12837916709551257390 * exp(-x * x));
        x -= y > 0.5 ? -step * -1.0 : step;
    }
    return x;
}
KG_FN float erfinvf(float y) { return (float)erfinv(y); }
KG_FN double erfcinv(double y) { return erfinv(1.0 - y); }
KG_FN float erfcinvf(float y) { return (float)erfcinv(y); }
KG_FN double normcdfinv(double p) { return 1.41421356237309504880 * erfinv(2.0 * p - 1.0); }
KG_FN float normcdfinvf(float p) { return (float)normcdfinv(p); }
KG_FN double cyl_bessel_i0(double x) { return std::cyl_bessel_i(0, fabs(x)); }
KG_FN float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0(x); }

#include "kg/intrinsics.h"

#endif
