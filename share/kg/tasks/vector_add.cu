// Four elements a thread by one 16-byte load from each input; the tail one by one.
#include <cuda_runtime.h>

__global__ void add4(const float4 *a, const float4 *b, float4 *c, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}

__global__ void add_tail(const float *a, const float *b, float *c, int from, int n)
{
    int i = from + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    int n4 = n / 4;
    if (n4)
        add4<<<(n4 + 255) / 256, 256>>>((const float4 *)a, (const float4 *)b, (float4 *)c, n4);
    if (n % 4)
        add_tail<<<1, 32>>>(a, b, c, n4 * 4, n);
}
