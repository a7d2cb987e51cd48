// task: vector_add
// verdict: PASSED
// Two streams joined before return, events, scratch of its own in each call.
#include <cuda_runtime.h>

__global__ void copy(const float *a, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i];
}

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    cudaStream_t s, t;
    cudaEvent_t ready;
    float *x, *y;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&ready);
    cudaMalloc((void **)&x, n * sizeof(float));
    cudaMalloc((void **)&y, n * sizeof(float));
    copy<<<(n + 255) / 256, 256, 0, s>>>(a, x, n);
    copy<<<(n + 255) / 256, 256, 0, t>>>(b, y, n);
    cudaEventRecord(ready, t);
    cudaStreamWaitEvent(s, ready, 0);
    add<<<(n + 255) / 256, 256, 0, s>>>(x, y, c, n);
    cudaStreamSynchronize(s);
    cudaStreamSynchronize(t);
    cudaFree(x);
    cudaFree(y);
    cudaEventDestroy(ready);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}
