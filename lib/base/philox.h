/*
 * Philox4x32-10: the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3" (SC 2011). Ten rounds, any element without the ones before it.
 * One text for C and for CUDA: no includes beyond fixed-width integers.
 */
#ifndef KG_BASE_PHILOX_H
#define KG_BASE_PHILOX_H

#ifdef __CUDACC__
#define KG_HD __host__ __device__ static inline
#else
#define KG_HD static inline
#endif
#ifdef __CUDACC_RTC__
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int int32_t;
typedef long long int64_t;
#else
#include <stdint.h>
#endif

struct kg_philox {
    uint32_t v[4];
};

KG_HD struct kg_philox kg_philox(uint32_t k0, uint32_t k1, uint32_t c0, uint32_t c1, uint32_t c2,
                                 uint32_t c3)
{
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    struct kg_philox r = {{c0, c1, c2, c3}};
    return r;
}

/* [0, 1), 53 bits */
KG_HD double kg_philox_u53(uint32_t r0, uint32_t r1)
{
    return (double)(((uint64_t)r0 << 21) | (r1 >> 11)) * (1.0 / 9007199254740992.0);
}

#endif
