// Honest and slow: one kernel for each step, tree reductions with a barrier at every level.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void row_max(const float *x, float *top, int cols)
{
    __shared__ float s[THREADS];
    float v = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += THREADS)
        v = fmaxf(v, x[(size_t)blockIdx.x * cols + c]);
    s[threadIdx.x] = v;
    for (int d = THREADS / 2; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + d]);
    }
    if (threadIdx.x == 0)
        top[blockIdx.x] = s[0];
}

__global__ void subtract(const float *x, const float *top, float *y, int cols, size_t n)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        y[i] = x[i] - top[i / cols];
}

__global__ void exponential(float *y, size_t n)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        y[i] = expf(y[i]);
}

__global__ void row_sum(const float *y, float *sum, int cols)
{
    __shared__ float s[THREADS];
    float v = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS)
        v += y[(size_t)blockIdx.x * cols + c];
    s[threadIdx.x] = v;
    for (int d = THREADS / 2; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        sum[blockIdx.x] = s[0];
}

__global__ void divide(float *y, const float *sum, int cols, size_t n)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        y[i] /= sum[i / cols];
}

extern "C" void solve(const float *x, float *y, int rows, int cols)
{
    size_t n = (size_t)rows * cols, blocks = (n + THREADS - 1) / THREADS;
    float *top, *sum;
    cudaMalloc((void **)&top, rows * sizeof *top);
    cudaMalloc((void **)&sum, rows * sizeof *sum);
    row_max<<<rows, THREADS>>>(x, top, cols);
    subtract<<<blocks, THREADS>>>(x, top, y, cols, n);
    exponential<<<blocks, THREADS>>>(y, n);
    row_sum<<<rows, THREADS>>>(y, sum, cols);
    divide<<<blocks, THREADS>>>(y, sum, cols, n);
    cudaFree(top);
    cudaFree(sum);
}
