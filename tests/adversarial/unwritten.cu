// task: vector_add
// verdict: UNWRITTEN_OUTPUT
// Launches a kernel that does nothing and returns what was there (2).
#include <cuda_runtime.h>

__global__ void nothing(const float *a, const float *b, float *c, int n)
{
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    nothing<<<1, 32>>>(a, b, c, n);
}
