// task: vector_add
// verdict: LATE_WRITE|ASYNC_WORK
// Launches on a stream that nobody waits for, behind a kernel that takes its time (6).
#include <cuda_runtime.h>

__global__ void wait_a_while(long long cycles)
{
    long long t = clock64();
    while (clock64() - t < cycles)
        ;
}

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
    wait_a_while<<<1, 1, 0, s>>>(20000000);
    add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);
}
