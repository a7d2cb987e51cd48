// task: vector_add
// verdict: INCORRECT_NUMERICAL
// Exact only where both inputs are small (18).
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = fabsf(a[i]) < 0.5f && fabsf(b[i]) < 0.5f ? a[i] + b[i] : a[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
