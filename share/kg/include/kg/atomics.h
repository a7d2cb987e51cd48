/*
 * Atomic functions. On global memory they are atomic between the OS threads that run blocks; on the
 * block's own shared memory nothing else runs at the same time, so plain operations do. Each counts
 * as a spin, so that a thread that waits with one lets others run.
 */
#ifndef KG_ATOMICS_H
#define KG_ATOMICS_H

#include <cstring>
#include <type_traits>

#include "kg/abi.h"

template <int Bytes> struct kg_word_of;
template <> struct kg_word_of<2> {
    using type = unsigned short;
};
template <> struct kg_word_of<4> {
    using type = unsigned int;
};
template <> struct kg_word_of<8> {
    using type = unsigned long long;
};

/* *p = f(*p); gives the old value. */
template <class T, class F> inline T kg_atomic(T *p, F f)
{
    using word = typename kg_word_of<sizeof(T)>::type;
    kg_host_spin();
    if (kg_host_is_shared(p)) {
        T old = *p;
        *p = f(old);
        return old;
    }
    word *w = reinterpret_cast<word *>(p);
    word seen = __atomic_load_n(w, __ATOMIC_RELAXED), next;
    T old;
    do {
        memcpy(&old, &seen, sizeof old);
        T v = f(old);
        memcpy(&next, &v, sizeof next);
    } while (!__atomic_compare_exchange_n(w, &seen, next, true, __ATOMIC_SEQ_CST,
                                          __ATOMIC_RELAXED));
    return old;
}

/* The same where the processor has an instruction for it. */
#define KG_ATOMIC_DIRECT(name, T, builtin, expression)                                             \
    static inline T name(T *p, T v)                                                                \
    {                                                                                              \
        kg_host_spin();                                                                            \
        if (kg_host_is_shared(p)) {                                                                \
            T old = *p;                                                                            \
            *p = expression;                                                                       \
            return old;                                                                            \
        }                                                                                          \
        return builtin(p, v, __ATOMIC_SEQ_CST);                                                    \
    }                                                                                              \
    static inline T name##_block(T *p, T v)                                                        \
    {                                                                                              \
        return name(p, v);                                                                         \
    }                                                                                              \
    static inline T name##_system(T *p, T v)                                                       \
    {                                                                                              \
        return name(p, v);                                                                         \
    }

#define KG_ATOMIC_LOOP(name, T, expression)                                                        \
    static inline T name(T *p, T v)                                                                \
    {                                                                                              \
        return kg_atomic(p, [v](T old) -> T {                                                      \
            (void)old;                                                                             \
            return expression;                                                                     \
        });                                                                                        \
    }                                                                                              \
    static inline T name##_block(T *p, T v)                                                        \
    {                                                                                              \
        return name(p, v);                                                                         \
    }                                                                                              \
    static inline T name##_system(T *p, T v)                                                       \
    {                                                                                              \
        return name(p, v);                                                                         \
    }

#define KG_ATOMIC_INTEGER(T)                                                                       \
    KG_ATOMIC_DIRECT(atomicAdd, T, __atomic_fetch_add, (T)(old + v))                               \
    KG_ATOMIC_DIRECT(atomicExch, T, __atomic_exchange_n, v)                                        \
    KG_ATOMIC_DIRECT(atomicAnd, T, __atomic_fetch_and, old &v)                                     \
    KG_ATOMIC_DIRECT(atomicOr, T, __atomic_fetch_or, old | v)                                      \
    KG_ATOMIC_DIRECT(atomicXor, T, __atomic_fetch_xor, old ^ v)                                    \
    KG_ATOMIC_LOOP(atomicMin, T, (old < v ? old : v))                                              \
    KG_ATOMIC_LOOP(atomicMax, T, (old > v ? old : v))

KG_ATOMIC_INTEGER(int)
KG_ATOMIC_INTEGER(unsigned int)
KG_ATOMIC_INTEGER(unsigned long long)
KG_ATOMIC_LOOP(atomicMin, long long, (old < v ? old : v))
KG_ATOMIC_LOOP(atomicMax, long long, (old > v ? old : v))
KG_ATOMIC_DIRECT(atomicAnd, long long, __atomic_fetch_and, old &v)
KG_ATOMIC_DIRECT(atomicOr, long long, __atomic_fetch_or, old | v)
KG_ATOMIC_DIRECT(atomicXor, long long, __atomic_fetch_xor, old ^ v)
KG_ATOMIC_DIRECT(atomicSub, int, __atomic_fetch_sub, (int)((unsigned)old - (unsigned)v))
KG_ATOMIC_DIRECT(atomicSub, unsigned int, __atomic_fetch_sub, old - v)
KG_ATOMIC_LOOP(atomicInc, unsigned int, (old >= v ? 0u : old + 1))
KG_ATOMIC_LOOP(atomicDec, unsigned int, (old == 0 || old > v ? v : old - 1))
KG_ATOMIC_LOOP(atomicAdd, float, (old + v))
KG_ATOMIC_LOOP(atomicAdd, double, (old + v))
KG_ATOMIC_LOOP(atomicExch, float, v)

#define KG_ATOMIC_CAS(T)                                                                           \
    static inline T atomicCAS(T *p, T compare, T v)                                                \
    {                                                                                              \
        kg_host_spin();                                                                            \
        if (kg_host_is_shared(p)) {                                                                \
            T old = *p;                                                                            \
            if (old == compare)                                                                    \
                *p = v;                                                                            \
            return old;                                                                            \
        }                                                                                          \
        __atomic_compare_exchange_n(p, &compare, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
        return compare;                                                                            \
    }                                                                                              \
    static inline T atomicCAS_block(T *p, T compare, T v)                                          \
    {                                                                                              \
        return atomicCAS(p, compare, v);                                                           \
    }                                                                                              \
    static inline T atomicCAS_system(T *p, T compare, T v)                                         \
    {                                                                                              \
        return atomicCAS(p, compare, v);                                                           \
    }
KG_ATOMIC_CAS(int)
KG_ATOMIC_CAS(unsigned int)
KG_ATOMIC_CAS(unsigned long long)
KG_ATOMIC_CAS(unsigned short)

#undef KG_ATOMIC_CAS
#undef KG_ATOMIC_INTEGER

#endif
