/*
 * Poison: what output slots hold before a call, so that elements that nobody wrote can be told.
 * Element i is a function of (key, i) alone. Floats: a quiet NaN with random sign and payload, but
 * never the payloads (all zeros, all ones) of the NaN that arithmetic makes. bool: a byte from 2 to
 * 255, which no bool has. Other integers: random words. One text for C and for CUDA.
 */
#ifndef KG_TASK_POISON_CORE_H
#define KG_TASK_POISON_CORE_H

#include "base/mix.h"
#include "task/kinds.h"

/* A quiet NaN of a format with 'mant' bits of fraction and all of 'exp' set in its exponent. */
KG_HD uint64_t kg_poison_nan(uint64_t w, uint64_t exp, int mant, uint64_t sign)
{
    uint64_t quiet = 1ull << (mant - 1), payload = w % (quiet - 2) + 1;
    return exp | quiet | payload | (w >> 63 ? sign : 0);
}

/* The bits of element i, in the low bytes. */
KG_HD uint64_t kg_poison_bits(int dtype, uint64_t key, uint64_t i)
{
    uint64_t w = kg_mix64(key ^ kg_mix64(i));
    switch (dtype) {
    case KG_FLOAT64:
        return kg_poison_nan(w, 0x7FFull << 52, 52, 1ull << 63);
    case KG_FLOAT32:
        return kg_poison_nan(w, 0x7F800000u, 23, 0x80000000u);
    case KG_FLOAT16:
        return kg_poison_nan(w, 0x7C00u, 10, 0x8000u);
    case KG_BFLOAT16:
        return kg_poison_nan(w, 0x7F80u, 7, 0x8000u);
    case KG_INT64:
        return w;
    case KG_INT32:
        return w & 0xFFFFFFFFu;
    case KG_BOOL:
        return 2 + w % 254;
    default:
        return w & 0xFFu;
    }
}

#endif
