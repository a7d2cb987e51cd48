// task: vector_add
// verdict: PASSED
// Allocates and frees scratch on each call.
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    float *t;
    cudaMalloc(&t, n * sizeof(float));
    add<<<(n + 255) / 256, 256>>>(a, b, t, n);
    cudaMemcpyAsync(c, t, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(t);
}
