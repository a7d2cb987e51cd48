// task: vector_add
// verdict: PASSED
// Naive: 6000 launches, a piece of the arrays each; more than are told one by one.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    int each = (n + 5999) / 6000;
    for (int i = 0; i < 6000; i++) {
        int from = i * each;
        add<<<1, 128>>>(a + from, b + from, c + from, from >= n ? 0 : n - from < each ? n - from : each);
    }
}
