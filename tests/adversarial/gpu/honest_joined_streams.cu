// task: vector_add
// verdict: PASSED
// Two streams that are joined before it returns.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    static cudaStream_t s[2];
    int half = n / 2;
    for (int i = 0; i < 2; i++)
        if (!s[i])
            cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    if (half)
        add<<<(half + 255) / 256, 256, 0, s[0]>>>(a, b, c, half);
    add<<<(n - half + 255) / 256, 256, 0, s[1]>>>(a + half, b + half, c + half, n - half);
    for (int i = 0; i < 2; i++)
        cudaStreamSynchronize(s[i]);
}
