// Honest: maximum and sum in one pass over the row (the online softmax of Milakov and Gimelshein).
#include <cuda_runtime.h>

#define WARPS 4

__global__ void softmax_online(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    x += (size_t)row * cols;
    y += (size_t)row * cols;
    float top = -INFINITY, sum = 0;
    for (int c = lane; c < cols; c += 32) {
        float v = x[c], next = fmaxf(top, v);
        sum = sum * expf(top - next) + expf(v - next);
        top = next;
    }
    for (int d = 16; d > 0; d >>= 1) {
        float other_top = __shfl_xor_sync(0xffffffffu, top, d);
        float other_sum = __shfl_xor_sync(0xffffffffu, sum, d);
        float next = fmaxf(top, other_top);
        if (next > -INFINITY)
            sum = sum * expf(top - next) + other_sum * expf(other_top - next);
        top = next;
    }
    for (int c = lane; c < cols; c += 32)
        y[c] = expf(x[c] - top) / sum;
}

extern "C" void solve(const float *x, float *y, int rows, int cols)
{
    softmax_online<<<(rows + WARPS - 1) / WARPS, WARPS * 32>>>(x, y, rows, cols);
}
