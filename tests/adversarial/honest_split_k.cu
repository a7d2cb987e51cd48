// task: matmul
// verdict: PASSED
// Split-K with atomics: the order of the sums differs from call to call.
#include <cuda_runtime.h>

#define PARTS 4

__global__ void zero(float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = 0;
}

__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= n || row >= m)
        return;
    int per = (k + PARTS - 1) / PARTS, from = blockIdx.z * per, to = min(k, from + per);
    float sum = 0;
    for (int i = from; i < to; i++)
        sum += a[row * k + i] * b[i * n + col];
    atomicAdd(&c[row * n + col], sum);
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k)
{
    zero<<<(m * n + 255) / 256, 256>>>(c, m * n);
    multiply<<<dim3((n + 31) / 32, m, PARTS), 32>>>(a, b, c, m, n, k);
}
