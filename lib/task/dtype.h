/*
 * Element types: sizes, names (KernelBench's and C's), limits, conversion to and from double.
 */
#ifndef KG_TASK_DTYPE_H
#define KG_TASK_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "task/kinds.h"

bool kg_dtype_parse(const char *name, enum kg_dtype *out); /* "float32" ... */
const char *kg_dtype_name(enum kg_dtype t);
const char *
kg_dtype_c_name(enum kg_dtype t); /* in candidates: "float", "__half", "long long" ... */
size_t kg_dtype_size(enum kg_dtype t);
bool kg_dtype_is_float(enum kg_dtype t);
double kg_dtype_eps(enum kg_dtype t);       /* kg-task(5): 2^-52, 2^-23, 2^-10, 2^-7; ints 0 */
double kg_dtype_subnormal(enum kg_dtype t); /* smallest subnormal step; ints 0 */
double kg_dtype_get(enum kg_dtype t, const void *p, size_t i); /* element i as double */
/* Elements begin ... begin + n - 1. */
void kg_dtype_load(enum kg_dtype t, const void *p, size_t begin, size_t n, double *out);
/* Rounds to nearest even; integers saturate, NaN becomes 0; bool: x is not 0. */
void kg_dtype_set(enum kg_dtype t, void *p, size_t i, double x);
double kg_dtype_round(enum kg_dtype t, double x); /* set and get */
/* Least and greatest value: of floats the finite ones, of int64 the nearest doubles inside. */
double kg_dtype_min(enum kg_dtype t);
double kg_dtype_max(enum kg_dtype t);
/* Whole numbers from -n to n (unsigned: 0 to n) are exact in the type: 2^24 for float32 ... */
double kg_dtype_exact(enum kg_dtype t);

uint16_t kg_half_from_double(double x);
double kg_half_to_double(uint16_t h);
uint16_t kg_bf16_from_double(double x);
double kg_bf16_to_double(uint16_t b);

#endif
