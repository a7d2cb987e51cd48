// Does not compile: 'top' is never declared, and a semicolon is missing.
#include <cuda_runtime.h>

__global__ void softmax(const float *x, float *y, int cols)
{
    int row = blockIdx.x;
    float sum = 0
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        sum += expf(x[row * cols + c] - top);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[row * cols + c] = expf(x[row * cols + c] - top) / sum;
}

extern "C" void solve(const float *x, float *y, int rows, int cols)
{
    softmax<<<rows, 32>>>(x, y, cols);
}
