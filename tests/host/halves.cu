#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

__global__ void axpy(const __half *x, const half *y, __half *z, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = __hfma(__float2half(a), x[i], y[i]);
}
__global__ void axpy2(const __half2 *x, const __half2 *y, half2 *z, float a, int n)
{
    int i = threadIdx.x;
    if (i < n)
        z[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}
__global__ void bf_sum(const __nv_bfloat16 *x, float *out, __nv_bfloat16 *out16, int n)
{
    float s = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        s += __bfloat162float(x[i]);
    for (int o = 16; o; o /= 2)
        s += __shfl_xor_sync(~0u, s, o);
    __nv_bfloat16 h = __float2bfloat16(s);
    h = __shfl_sync(~0u, h, 5);
    if (threadIdx.x == 0) {
        *out = s;
        *out16 = h;
    }
}
__global__ void half_atomics(half *a, half2 *b)
{
    atomicAdd(a, __float2half(0.5f));
    atomicAdd(b, __floats2half2_rn(1.0f, -1.0f));
}

/* the definition: nearest, ties to even, by trying both neighbours */
__global__ void operators(float *out)
{
    half h = 3;
    h += half(1.5f);
    h = h * half(2) - half(1.0);
    out[0] = (float)h;
    out[1] = h > half(7.5f);
    out[2] = __hgt(h, half(8.0f));
    out[3] = (float)hexp(half(0.0f));
    out[4] = (float)__hmax(h, half(100));
    out[5] = (float)__half2int_rn(half(2.5f));
    out[6] = (float)__half2int_rz(half(-2.75f));
}

static int check_conversion(void)
{
    int bad = 0;
    for (unsigned h = 0; h < 0x10000; h++) {
        __half x = __ushort_as_half((unsigned short)h);
        float f = __half2float(x);
        unsigned back = __half_as_ushort(__float2half(f));
        bool nan = (h & 0x7fff) > 0x7c00;
        bad += nan ? f == f || (back & 0x7fff) <= 0x7c00 : back != h;
        if (nan || (h & 0x7fff) >= 0x7bff)
            continue;
        float next = __half2float(__ushort_as_half((unsigned short)(h + 1)));
        float mid = 0.5f * f + 0.5f * next;
        bad += __half_as_ushort(__float2half(mid)) != h + (h & 1);
        bad += __half_as_ushort(__float2half(std::nextafter(mid, f))) != h;
        bad += __half_as_ushort(__float2half(std::nextafter(mid, next))) != h + 1;
        bad += __half_as_ushort(__float2half_rz(std::nextafter(next, f))) != h;
    }
    bad += __half_as_ushort(__float2half(65519.99f)) != 0x7bff;
    bad += __half_as_ushort(__float2half(65520.0f)) != 0x7c00;
    bad += __half_as_ushort(__float2half(-1e9f)) != 0xfc00;
    /* a double just above a tie, which a detour by float would round down */
    bad += __half_as_ushort(__double2half(1.0 + 0x1p-11 + 0x1p-40)) != 0x3c01;
    return bad;
}

__managed__ float s, o[7];
__managed__ __nv_bfloat16 s16;
__managed__ half a;
__managed__ half2 two;

extern "C" void program(void)
{
    printf("conversion: %d bad\n", check_conversion());
    const int n = 100;
    std::vector<__half> x(n), y(n), z(n), z2(n);
    for (int i = 0; i < n; i++) {
        x[i] = __float2half(i * 0.25f);
        y[i] = i - 50;
    }
    axpy<<<2, 64>>>(x.data(), y.data(), z.data(), 0.5f, n);
    axpy2<<<1, 64>>>((half2 *)x.data(), (half2 *)y.data(), (half2 *)z2.data(), 0.5f, n / 2);
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += (float)z[i] != i * 0.125f + i - 50 || z[i] != z2[i];
    printf("axpy: %d bad\n", bad);
    std::vector<__nv_bfloat16> b(n);
    for (int i = 0; i < n; i++)
        b[i] = __float2bfloat16((float)i);
    bf_sum<<<1, 32>>>(b.data(), &s, &s16, n);
    printf("bf16: %g, %g\n", s, (float)s16);
    a = 1.0f;
    two = __float2half2_rn(0.0f);
    half_atomics<<<4, 64>>>(&a, &two);
    printf("atomics: %g %g %g\n", __half2float(a), __low2float(two), __high2float(two));
    operators<<<1, 1>>>(o);
    cudaDeviceSynchronize();
    for (float v : o)
        printf("%g ", v);
    printf("\n");
    printf("%zu %zu\n", sizeof(half2), alignof(half2));
}
