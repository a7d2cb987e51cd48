// The last block makes one exponential too large: right everywhere else.
#include <cuda_runtime.h>

__global__ void softmax_warp(const float *x, float *y, int cols)
{
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    float top = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < cols; c += 32)
        top = fmaxf(top, x[c]);
    for (int d = 16; d > 0; d >>= 1)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    for (int c = threadIdx.x; c < cols; c += 32) {
        float e = expf(x[c] - top);
        if (blockIdx.x == gridDim.x - 1 && c == cols - 1)
            e *= 1.5f;
        y[c] = e;
        sum += e;
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    for (int c = threadIdx.x; c < cols; c += 32)
        y[c] /= sum;
}

extern "C" void solve(const float *x, float *y, int rows, int cols)
{
    softmax_warp<<<rows, 32>>>(x, y, cols);
}
