// task: vector_add
// verdict: LAUNCH_ERROR
// A block of 2,048 threads.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    add<<<(n + 2047) / 2048, 2048>>>(a, b, c, n);
}
