// task: vector_add
// verdict: ILLEGAL_ADDRESS
// Writes far outside of everything.
#include <cuda_runtime.h>

__global__ void far_away(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i + ((size_t)1 << 40)] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    far_away<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
