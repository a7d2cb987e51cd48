/*
 * Element types: sizes, names (KernelBench's and C's), limits, conversion to and from double.
 */
#ifndef KG_TASK_DTYPE_H
#define KG_TASK_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kg_dtype {
    KG_FLOAT64,
    KG_FLOAT32,
    KG_FLOAT16,
    KG_BFLOAT16,
    KG_INT64,
    KG_INT32,
    KG_INT8,
    KG_UINT8,
    KG_BOOL,
    KG_DTYPE_COUNT
};

bool kg_dtype_parse(const char *name, enum kg_dtype *out); /* "float32" ... */
const char *kg_dtype_name(enum kg_dtype t);
const char *kg_dtype_c_name(enum kg_dtype t); /* in candidates: "float", "__half", "long long" ... */
size_t kg_dtype_size(enum kg_dtype t);
bool kg_dtype_is_float(enum kg_dtype t);
double kg_dtype_eps(enum kg_dtype t);           /* DESIGN 4: 2^-52, 2^-23, 2^-10, 2^-7; ints 0 */
double kg_dtype_subnormal(enum kg_dtype t);     /* smallest subnormal step; ints 0 */
double kg_dtype_get(enum kg_dtype t, const void *p, size_t i); /* element i as double */
void kg_dtype_set(enum kg_dtype t, void *p, size_t i, double x); /* rounds to nearest even */

uint16_t kg_half_from_double(double x);
double kg_half_to_double(uint16_t h);
uint16_t kg_bf16_from_double(double x);
double kg_bf16_to_double(uint16_t b);

#endif
