/*
 * Built-in vector types and their make_ functions: names, members and alignments as in the CUDA C++
 * Programming Guide, "Built-in Vector Types".
 */
#ifndef KG_VECTOR_TYPES_H
#define KG_VECTOR_TYPES_H

/* KG_VECTOR(name, element, alignment of the types with 1, 2, 3 and 4 elements) */
#define KG_VECTOR(name, T, a1, a2, a3, a4)                                                         \
    struct alignas(a1) name##1 {                                                                   \
        T x;                                                                                       \
    };                                                                                             \
    struct alignas(a2) name##2 {                                                                   \
        T x, y;                                                                                    \
    };                                                                                             \
    struct alignas(a3) name##3 {                                                                   \
        T x, y, z;                                                                                 \
    };                                                                                             \
    struct alignas(a4) name##4 {                                                                   \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    static inline constexpr name##1 make_##name##1(T x)                                            \
    {                                                                                              \
        return name##1{x};                                                                         \
    }                                                                                              \
    static inline constexpr name##2 make_##name##2(T x, T y)                                       \
    {                                                                                              \
        return name##2{x, y};                                                                      \
    }                                                                                              \
    static inline constexpr name##3 make_##name##3(T x, T y, T z)                                  \
    {                                                                                              \
        return name##3{x, y, z};                                                                   \
    }                                                                                              \
    static inline constexpr name##4 make_##name##4(T x, T y, T z, T w)                             \
    {                                                                                              \
        return name##4{x, y, z, w};                                                                \
    }

KG_VECTOR(char, signed char, 1, 2, 1, 4)
KG_VECTOR(uchar, unsigned char, 1, 2, 1, 4)
KG_VECTOR(short, short, 2, 4, 2, 8)
KG_VECTOR(ushort, unsigned short, 2, 4, 2, 8)
KG_VECTOR(int, int, 4, 8, 4, 16)
KG_VECTOR(uint, unsigned int, 4, 8, 4, 16)
KG_VECTOR(long, long, 8, 16, 8, 16)
KG_VECTOR(ulong, unsigned long, 8, 16, 8, 16)
KG_VECTOR(longlong, long long, 8, 16, 8, 16)
KG_VECTOR(ulonglong, unsigned long long, 8, 16, 8, 16)
KG_VECTOR(float, float, 4, 8, 4, 16)
KG_VECTOR(double, double, 8, 16, 8, 16)
#undef KG_VECTOR

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};

#endif
