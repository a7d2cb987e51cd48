// task: vector_add
// verdict: OOB_WRITE
// Writes one element past its output (25).
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        c[i] = i < n ? a[i] + b[i] : 0;
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    add<<<n / 256 + 1, 256>>>(a, b, c, n);
}
