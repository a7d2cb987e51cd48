// task: vector_add
// verdict: PASSED
// Generous: scratch of 32 MB that is allocated, zeroed and freed in each call, copies before and behind the
// kernel. Most of its time is in none of its kernels, and all of it is honest.
#include <cuda_runtime.h>

__global__ void add(float *sum, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    float *scratch;
    size_t bytes = (size_t)n * sizeof(float), room = bytes + (32 << 20);
    if (cudaMalloc(&scratch, room) != cudaSuccess)
        return;
    cudaMemsetAsync(scratch, 0, room);
    cudaMemcpyAsync(scratch, a, bytes, cudaMemcpyDeviceToDevice);
    add<<<(n + 255) / 256, 256>>>(scratch, b, n);
    cudaMemcpyAsync(c, scratch, bytes, cudaMemcpyDeviceToDevice);
    cudaFree(scratch);
}
