// task: vector_add
// verdict: INCORRECT_NUMERICAL
// One wrong element, the last.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = i == n - 1 ? a[i] - b[i] : a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
