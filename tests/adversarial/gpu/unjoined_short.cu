// task: vector_add
// verdict: LATE_WRITE|ASYNC_WORK|UNWRITTEN_OUTPUT
// The same without the wait: only the timed size takes long enough to be seen (6).
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    static cudaStream_t s;
    if (!s)
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);
}
