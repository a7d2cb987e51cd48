// task: vector_add
// verdict: UNWRITTEN_OUTPUT
// Leaves out the last one percent (17).
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    int most = n - (n + 99) / 100;
    if (most)
        add<<<(most + 255) / 256, 256>>>(a, b, c, most);
}
