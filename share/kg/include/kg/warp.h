/*
 * Barriers, warp operations, fences (CUDA C++ Programming Guide: "Synchronization Functions", "Warp
 * Vote", "Warp Match", "Warp Reduce" and "Warp Shuffle Functions"). The last parameter of each is
 * the caller's line, for messages.
 */
#ifndef KG_WARP_H
#define KG_WARP_H

#include <atomic>
#include <cstring>
#include <type_traits>

#include "kg/abi.h"

/* ---- barriers ------------------------------------------------------------------------------- */

static inline void __syncthreads(int line = __builtin_LINE())
{
    kg_host_barrier(KG_BARRIER_SYNC, 0, line);
}
static inline int __syncthreads_count(int predicate, int line = __builtin_LINE())
{
    return kg_host_barrier(KG_BARRIER_COUNT, predicate, line);
}
static inline int __syncthreads_and(int predicate, int line = __builtin_LINE())
{
    return kg_host_barrier(KG_BARRIER_AND, predicate, line);
}
static inline int __syncthreads_or(int predicate, int line = __builtin_LINE())
{
    return kg_host_barrier(KG_BARRIER_OR, predicate, line);
}
static inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, int line = __builtin_LINE())
{
    kg_host_warp(KG_WARP_SYNC, mask, 0, 0, 32, line);
}

/* ---- fences: a thread that waits for another one's write calls one again and again ----------- */

static inline void __threadfence()
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    kg_host_spin();
}
static inline void __threadfence_block()
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    kg_host_spin();
}
static inline void __threadfence_system()
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    kg_host_spin();
}
static inline void __nanosleep(unsigned, int line = __builtin_LINE())
{
    kg_host_yield(line);
}

/* ---- votes ---------------------------------------------------------------------------------- */

static inline unsigned __activemask(int line = __builtin_LINE())
{
    return (unsigned)kg_host_warp(KG_WARP_ACTIVE, 0xFFFFFFFFu, 0, 0, 32, line);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE())
{
    return (unsigned)kg_host_warp(KG_WARP_BALLOT, mask, predicate != 0, 0, 32, line);
}
static inline int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE())
{
    return (int)kg_host_warp(KG_WARP_ALL, mask, predicate != 0, 0, 32, line);
}
static inline int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE())
{
    return (int)kg_host_warp(KG_WARP_ANY, mask, predicate != 0, 0, 32, line);
}

/* ---- values as 64-bit words ------------------------------------------------------------------ */

template <class T> inline uint64_t kg_to_word(const T &v)
{
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable<T>::value,
                  "warp operations move values of at most 8 bytes");
    uint64_t w = 0;
    memcpy(&w, &v, sizeof(T));
    return w;
}
template <class T> inline T kg_from_word(uint64_t w)
{
    T v;
    memcpy(&v, &w, sizeof(T));
    return v;
}

/* ---- shuffles -------------------------------------------------------------------------------- */

/* Types that the shuffles and matches take; half types add themselves. */
template <class T> struct kg_is_warp_value : std::is_arithmetic<T> {
};
template <class T> using kg_warp_value = std::enable_if_t<kg_is_warp_value<T>::value, T>;

template <class T>
inline kg_warp_value<T> __shfl_sync(unsigned mask, T v, int source, int width = 32,
                                    int line = __builtin_LINE())
{
    return kg_from_word<T>(kg_host_warp(KG_WARP_SHFL, mask, kg_to_word(v), source, width, line));
}
template <class T>
inline kg_warp_value<T> __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32,
                                       int line = __builtin_LINE())
{
    return kg_from_word<T>(kg_host_warp(KG_WARP_UP, mask, kg_to_word(v), (int)delta, width, line));
}
template <class T>
inline kg_warp_value<T> __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32,
                                         int line = __builtin_LINE())
{
    return kg_from_word<T>(
        kg_host_warp(KG_WARP_DOWN, mask, kg_to_word(v), (int)delta, width, line));
}
template <class T>
inline kg_warp_value<T> __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32,
                                        int line = __builtin_LINE())
{
    return kg_from_word<T>(kg_host_warp(KG_WARP_XOR, mask, kg_to_word(v), lanes, width, line));
}

/* ---- match, reduce --------------------------------------------------------------------------- */

template <class T>
inline std::enable_if_t<std::is_arithmetic<T>::value, unsigned>
__match_any_sync(unsigned mask, T v, int line = __builtin_LINE())
{
    return (unsigned)kg_host_warp(KG_WARP_MATCH_ANY, mask, kg_to_word(v), 0, 32, line);
}
template <class T>
inline std::enable_if_t<std::is_arithmetic<T>::value, unsigned>
__match_all_sync(unsigned mask, T v, int *pred, int line = __builtin_LINE())
{
    unsigned m = (unsigned)kg_host_warp(KG_WARP_MATCH_ALL, mask, kg_to_word(v), 0, 32, line);
    *pred = m != 0;
    return m;
}

#define KG_REDUCE(name, type, op)                                                                  \
    static inline type name(unsigned mask, type v, int line = __builtin_LINE())                    \
    {                                                                                              \
        return (type)(uint32_t)kg_host_warp(op, mask, (uint32_t)v, 0, 32, line);                   \
    }
KG_REDUCE(__reduce_add_sync, unsigned, KG_WARP_ADD)
KG_REDUCE(__reduce_add_sync, int, KG_WARP_ADD)
KG_REDUCE(__reduce_min_sync, unsigned, KG_WARP_MIN_U)
KG_REDUCE(__reduce_min_sync, int, KG_WARP_MIN_S)
KG_REDUCE(__reduce_max_sync, unsigned, KG_WARP_MAX_U)
KG_REDUCE(__reduce_max_sync, int, KG_WARP_MAX_S)
KG_REDUCE(__reduce_and_sync, unsigned, KG_WARP_AND)
KG_REDUCE(__reduce_or_sync, unsigned, KG_WARP_OR)
KG_REDUCE(__reduce_xor_sync, unsigned, KG_WARP_XOR_BITS)
#undef KG_REDUCE

/* ---- other ----------------------------------------------------------------------------------- */

[[noreturn]] static inline void __trap(int line = __builtin_LINE())
{
    if (kg_host_in_kernel())
        kg_host_trap(719, "__trap()", line);
    __builtin_trap();
}
static inline void __brkpt()
{
}
static inline long long clock64()
{
    return kg_host_clock();
}
static inline int kg_clock32()
{
    return (int)kg_host_clock();
}
static inline unsigned long long __globaltimer()
{
    return kg_host_globaltimer();
}
static inline size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)((const char *)p - (const char *)kg_host_dynamic_shared());
}
static inline unsigned __isShared(const void *p)
{
    return (unsigned)kg_host_is_shared(p);
}
static inline unsigned __isGlobal(const void *p)
{
    return !kg_host_is_shared(p);
}

#endif
