/*
 * Qualifiers and built-in variables. The translator has dealt with launches and __shared__ before
 * the compiler sees a source, and with __noinline__ (which is also a word of the C++ library); what
 * is left of the qualifiers means nothing on host.
 */
#ifndef KG_BUILTIN_H
#define KG_BUILTIN_H

#include "kg/abi.h"
#include "kg/vector_types.h"

#define __CUDACC__           1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define KG_HOST_DEVICE       1 /* so that a source can tell */

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#define __align__(n)    __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __nv_pure__     __attribute__((pure))
#ifndef __restrict__
#define __restrict__ __restrict
#endif
/* Reached only where a macro of the source hides the declaration from the translator. */
#define __shared__ static thread_local

extern __thread uint3 threadIdx __asm__("kg_host_thread_idx") KG_TLS;
extern __thread uint3 blockIdx __asm__("kg_host_block_idx") KG_TLS;
extern __thread dim3 blockDim __asm__("kg_host_block_dim") KG_TLS;
extern __thread dim3 gridDim __asm__("kg_host_grid_dim") KG_TLS;
static constexpr int warpSize = 32;

/* What extern __shared__ arrays become: converts to a pointer to any type. */
struct kg_dynamic_shared {
    template <class T> operator T *() const
    {
        return static_cast<T *>(kg_host_dynamic_shared());
    }
};

/* What __shared__ variables become: S is a local struct that holds the variables of one declaration,
 * so every instantiation of a template has its own. */
template <class S> inline S &kg_static_shared()
{
    static_assert(sizeof(S) <= 48 * 1024, "more than 48 KiB of static __shared__ memory");
    static const char key = 0;
    return *static_cast<S *>(kg_host_static_shared(&key, sizeof(S), alignof(S)));
}

#endif
