/*
 * The two enumerations that C and CUDA code share. Nothing else: this header is also read by NVRTC,
 * which has no system headers.
 */
#ifndef KG_TASK_KINDS_H
#define KG_TASK_KINDS_H

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

enum kg_init_kind {
    KG_INIT_RANDN,
    KG_INIT_UNIFORM, /* [a, b) */
    KG_INIT_RANDINT, /* a to b-1 */
    KG_INIT_ZEROS,
    KG_INIT_ONES,
    KG_INIT_ARANGE,
    KG_INIT_ONE_HOT,
    KG_INIT_PERMUTATION,
    KG_INIT_SORTED,
    KG_INIT_EQUAL_KEYS,
    KG_INIT_HEAVY_TAIL,
    KG_INIT_LARGE,
    KG_INIT_TINY,
    KG_INIT_DENORMAL,
    KG_INIT_VALUE,  /* every element is a */
    KG_INIT_CUSTOM, /* void init_NAME(...) of the reference file */
    KG_INIT_COUNT
};

#endif
