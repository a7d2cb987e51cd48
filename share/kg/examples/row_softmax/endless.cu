// Waits for a flag that nobody sets.
#include <cuda_runtime.h>

__device__ volatile int ready;

__global__ void softmax(const float *x, float *y, int cols)
{
    while (!ready)
        ;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = x[(size_t)blockIdx.x * cols + c];
}

extern "C" void solve(const float *x, float *y, int rows, int cols)
{
    softmax<<<rows, 32>>>(x, y, cols);
}
