/*
 * What nvcc has without any #include and NVRTC has not: the names of <math.h>, <stdint.h>,
 * <float.h>, <limits.h> that do not come with the compiler itself. Included before every bare kernel
 * and by the standard headers beside this file. Functions (expf, printf, memcpy, assert) are built in.
 */
#ifndef KG_NVRTC_H
#define KG_NVRTC_H

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
/* long long, as CCCL's own headers for NVRTC have it: they may come after this one */
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef long ptrdiff_t;

#ifndef NULL
#define NULL 0
#endif

/* token for token what CCCL defines, so that its headers may follow */
#ifndef INT_MAX
#define CHAR_BIT   8
#define SCHAR_MIN  (-128)
#define SCHAR_MAX  127
#define UCHAR_MAX  255
#define SHRT_MIN   (-SHRT_MAX - 1)
#define SHRT_MAX   0x7fff
#define USHRT_MAX  0xffff
#define INT_MIN    (-INT_MAX - 1)
#define INT_MAX    0x7fffffff
#define UINT_MAX   0xffffffff
#define LONG_MIN   (-LONG_MAX - 1)
#define LONG_MAX   LLONG_MAX
#define ULONG_MAX  ULLONG_MAX
#define LLONG_MIN  (-LLONG_MAX - 1)
#define LLONG_MAX  0x7fffffffffffffffLL
#define ULLONG_MAX 0xffffffffffffffffUL
#endif

#ifndef INT8_MAX
#define INT8_MIN   SCHAR_MIN
#define INT8_MAX   SCHAR_MAX
#define UINT8_MAX  UCHAR_MAX
#define INT16_MIN  SHRT_MIN
#define INT16_MAX  SHRT_MAX
#define UINT16_MAX USHRT_MAX
#define INT32_MIN  INT_MIN
#define INT32_MAX  INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN  LLONG_MIN
#define INT64_MAX  LLONG_MAX
#define UINT64_MAX ULLONG_MAX
#define SIZE_MAX   UINT64_MAX
#endif

#ifndef FLT_MAX
#define FLT_RADIX    2
#define FLT_MANT_DIG 24
#define FLT_DIG      6
#define FLT_EPSILON  1.19209290e-07f
#define FLT_MIN      1.17549435e-38f
#define FLT_MAX      3.40282347e+38f
#define DBL_MANT_DIG 53
#define DBL_DIG      15
#define DBL_EPSILON  2.2204460492503131e-16
#define DBL_MIN      2.2250738585072014e-308
#define DBL_MAX      1.7976931348623157e+308
#endif

#ifndef INFINITY
#define INFINITY (__int_as_float(0x7f800000))
#define NAN      (__int_as_float(0x7fc00000))
#define HUGE_VALF INFINITY
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000ll))
#endif

#ifndef M_PI
#define M_E        2.7182818284590452354
#define M_LOG2E    1.4426950408889634074
#define M_LOG10E   0.43429448190325182765
#define M_LN2      0.69314718055994530942
#define M_LN10     2.30258509299404568402
#define M_PI       3.14159265358979323846
#define M_PI_2     1.57079632679489661923
#define M_PI_4     0.78539816339744830962
#define M_1_PI     0.31830988618379067154
#define M_2_PI     0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2    1.41421356237309504880
#define M_SQRT1_2  0.70710678118654752440
#endif

#endif
