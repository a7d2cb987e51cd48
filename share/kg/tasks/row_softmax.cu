// One block a row, three passes: maximum, sum of exponentials, result. Block-wide reductions by
// warp shuffles and one exchange through shared memory.
#include <cuda_runtime.h>

#define THREADS 256

__device__ float block_reduce(float v, bool want_max)
{
    __shared__ float part[THREADS / 32];
    for (int d = 16; d > 0; d >>= 1) {
        float w = __shfl_xor_sync(0xffffffffu, v, d);
        v = want_max ? fmaxf(v, w) : v + w;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (int i = 1; i < THREADS / 32; i++)
        v = want_max ? fmaxf(v, part[i]) : v + part[i];
    return v;
}

__global__ void softmax_rows(const float *x, float *y, int cols)
{
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    float top = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS)
        top = fmaxf(top, x[c]);
    top = block_reduce(top, true);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        sum += expf(x[c] - top);
    sum = block_reduce(sum, false);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        y[c] = expf(x[c] - top) / sum;
}

extern "C" void solve(const float *x, float *y, int rows, int cols)
{
    softmax_rows<<<rows, THREADS>>>(x, y, cols);
}
