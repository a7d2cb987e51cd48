// task: vector_add
// verdict: UNWRITTEN_OUTPUT
// Puts a right answer into scratch and frees it, and leaves its output as it was (2).
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    float *scratch;
    cudaMalloc(&scratch, n * sizeof(float));
    add<<<(n + 255) / 256, 256>>>(a, b, scratch, n);
    cudaFree(scratch);
}
