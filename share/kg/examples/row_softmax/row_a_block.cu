// Honest: a row a block, kept in shared memory so that it is read once; rows that are too long for
// that are read again.
#include <cuda_runtime.h>

#define THREADS 128
#define ROOM    8192 /* floats, 32 KiB */

__device__ float reduce(float v, bool want_max)
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

__global__ void softmax_block(const float *x, float *y, int cols)
{
    __shared__ float row[ROOM];
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    float top = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        float v = x[c];
        if (c < ROOM)
            row[c] = v;
        top = fmaxf(top, v);
    }
    top = reduce(top, true);
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        float e = expf((c < ROOM ? row[c] : x[c]) - top);
        if (c < ROOM)
            row[c] = e;
        sum += e;
    }
    sum = reduce(sum, false);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        y[c] = (c < ROOM ? row[c] : expf(x[c] - top)) / sum;
}

extern "C" void solve(const float *x, float *y, int rows, int cols)
{
    softmax_block<<<rows, THREADS>>>(x, y, cols);
}
