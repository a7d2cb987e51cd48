// task: vector_add
// verdict: ILLEGAL_ADDRESS
// An access far outside, in its seventh call (21).
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n, long long off)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i + off] = a[i] + b[i];
}

static int calls;

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    add<<<(n + 255) / 256, 256>>>(a, b, c, n, ++calls == 7 ? 1ll << 40 : 0);
}
