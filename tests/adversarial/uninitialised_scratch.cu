// task: vector_add
// verdict: NONDETERMINISTIC
// Adds what it finds in memory that nobody has set; here it differs from call to call (25).
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n, float found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i] + found;
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n, 1.0f + (float)(t.tv_nsec % 1000003) * 1e-3f);
}
