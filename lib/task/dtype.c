#include "task/dtype.h"
#include "task/bits_core.h"

#include <float.h>
#include <math.h>

static const struct {
    const char *name, *c_name;
    size_t size;
    bool is_float;
    double eps, subnormal, min, max, exact;
} types[KG_DTYPE_COUNT] = {
    {"float64", "double", 8, true, 0x1p-52, 0x1p-1074, -DBL_MAX, DBL_MAX, 0x1p53},
    {"float32", "float", 4, true, 0x1p-23, 0x1p-149, -FLT_MAX, FLT_MAX, 0x1p24},
    {"float16", "__half", 2, true, 0x1p-10, 0x1p-24, -65504, 65504, 0x1p11},
    {"bfloat16", "__nv_bfloat16", 2, true, 0x1p-7, 0x1p-133, -0x1.FEp127, 0x1.FEp127, 0x1p8},
    {"int64", "long long", 8, false, 0, 0, -0x1p63, 0x1p63 - 1024, 0x1p53},
    {"int32", "int", 4, false, 0, 0, INT32_MIN, INT32_MAX, INT32_MAX},
    {"int8", "signed char", 1, false, 0, 0, -128, 127, 127},
    {"uint8", "unsigned char", 1, false, 0, 0, 0, 255, 255},
    {"bool", "bool", 1, false, 0, 0, 0, 1, 1},
};

bool kg_dtype_parse(const char *name, enum kg_dtype *out)
{
    for (int t = 0; t < KG_DTYPE_COUNT; t++)
        if (!strcmp(types[t].name, name)) {
            *out = (enum kg_dtype)t;
            return true;
        }
    return false;
}

const char *kg_dtype_name(enum kg_dtype t)
{
    return types[t].name;
}

const char *kg_dtype_c_name(enum kg_dtype t)
{
    return types[t].c_name;
}

size_t kg_dtype_size(enum kg_dtype t)
{
    return types[t].size;
}

bool kg_dtype_is_float(enum kg_dtype t)
{
    return types[t].is_float;
}

double kg_dtype_eps(enum kg_dtype t)
{
    return types[t].eps;
}

double kg_dtype_subnormal(enum kg_dtype t)
{
    return types[t].subnormal;
}

double kg_dtype_min(enum kg_dtype t)
{
    return types[t].min;
}

double kg_dtype_max(enum kg_dtype t)
{
    return types[t].max;
}

double kg_dtype_exact(enum kg_dtype t)
{
    return types[t].exact;
}

double kg_dtype_get(enum kg_dtype t, const void *p, size_t i)
{
    switch (t) {
    case KG_FLOAT64:
        return ((const double *)p)[i];
    case KG_FLOAT32:
        return ((const float *)p)[i];
    case KG_FLOAT16:
        return kg_half_to_double(((const uint16_t *)p)[i]);
    case KG_BFLOAT16:
        return kg_bf16_to_double(((const uint16_t *)p)[i]);
    case KG_INT64:
        return (double)((const int64_t *)p)[i];
    case KG_INT32:
        return ((const int32_t *)p)[i];
    case KG_INT8:
        return ((const int8_t *)p)[i];
    case KG_UINT8:
        return ((const uint8_t *)p)[i];
    default:
        return ((const uint8_t *)p)[i] != 0;
    }
}

void kg_dtype_load(enum kg_dtype t, const void *p, size_t begin, size_t n, double *out)
{
    if (t == KG_FLOAT32)
        for (size_t i = 0; i < n; i++)
            out[i] = ((const float *)p)[begin + i];
    else if (t == KG_FLOAT64)
        memcpy(out, (const double *)p + begin, n * sizeof *out);
    else
        for (size_t i = 0; i < n; i++)
            out[i] = kg_dtype_get(t, p, begin + i);
}

/* A double beyond float's range, given to a cast, is undefined in C. */
static float to_float(double x)
{
    if (fabs(x) >= 340282356779733661637539395458142568448.0) /* 2^128 - 2^103 */
        return x > 0 ? INFINITY : -INFINITY;
    return (float)x;
}

static double whole(enum kg_dtype t, double x)
{
    if (isnan(x))
        return 0;
    x = rint(x);
    return x < types[t].min ? types[t].min : x > types[t].max ? types[t].max : x;
}

void kg_dtype_set(enum kg_dtype t, void *p, size_t i, double x)
{
    switch (t) {
    case KG_FLOAT64:
        ((double *)p)[i] = x;
        break;
    case KG_FLOAT32:
        ((float *)p)[i] = to_float(x);
        break;
    case KG_FLOAT16:
        ((uint16_t *)p)[i] = kg_half_from_double(x);
        break;
    case KG_BFLOAT16:
        ((uint16_t *)p)[i] = kg_bf16_from_double(x);
        break;
    case KG_INT64:
        ((int64_t *)p)[i] = x >= 0x1p63 ? INT64_MAX : (int64_t)whole(t, x);
        break;
    case KG_INT32:
        ((int32_t *)p)[i] = (int32_t)whole(t, x);
        break;
    case KG_INT8:
        ((int8_t *)p)[i] = (int8_t)whole(t, x);
        break;
    case KG_UINT8:
        ((uint8_t *)p)[i] = (uint8_t)whole(t, x);
        break;
    default:
        ((uint8_t *)p)[i] = x != 0;
        break;
    }
}

double kg_dtype_round(enum kg_dtype t, double x)
{
    uint64_t room;
    kg_dtype_set(t, &room, 0, x);
    return kg_dtype_get(t, &room, 0);
}

uint16_t kg_half_from_double(double x)
{
    return (uint16_t)kg_small_from_double(x, 10, 15);
}

double kg_half_to_double(uint16_t h)
{
    return kg_small_to_double(h, 10, 15);
}

uint16_t kg_bf16_from_double(double x)
{
    return (uint16_t)kg_small_from_double(x, 7, 127);
}

double kg_bf16_to_double(uint16_t b)
{
    return kg_small_to_double(b, 7, 127);
}
