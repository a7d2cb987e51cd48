// A bare kernel: the judge launches it. Four elements a thread, a block's width apart, so that
// neighbouring threads read neighbouring elements; arithmetic in float.
#include <cuda_fp16.h>

__global__ void gelu(const __half *x, __half *y, long long n)
{
    long long i = (long long)blockIdx.x * 1024 + threadIdx.x;
    for (int k = 0; k < 4 && i < n; k++, i += 256) {
        float v = __half2float(x[i]);
        y[i] = __float2half(0.5f * v * erfcf(-v * 0.70710678f));
    }
}
