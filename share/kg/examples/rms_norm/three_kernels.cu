// Honest and slow: squares through memory, a tree with barriers for each sum, then the product.
#include <cuda_runtime.h>

#define THREADS 256

__global__ void squares(const float *x, float *s, size_t n)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        s[i] = x[i] * x[i];
}

__global__ void row_scale(const float *s, float *scale, int cols, float eps)
{
    __shared__ float part[THREADS];
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS)
        sum += s[(size_t)blockIdx.x * cols + c];
    part[threadIdx.x] = sum;
    for (int d = THREADS / 2; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            part[threadIdx.x] += part[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        scale[blockIdx.x] = 1.0f / sqrtf(part[0] / cols + eps);
}

__global__ void multiply(const float *x, const float *w, const float *scale, float *y, int cols,
                         size_t n)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        y[i] = x[i] * scale[i / cols] * w[i % cols];
}

extern "C" void solve(const float *x, const float *w, float *y, int rows, int cols, float eps)
{
    size_t n = (size_t)rows * cols, blocks = (n + THREADS - 1) / THREADS;
    float *s, *scale;
    cudaMalloc((void **)&s, n * sizeof *s);
    cudaMalloc((void **)&scale, rows * sizeof *scale);
    squares<<<blocks, THREADS>>>(x, s, n);
    row_scale<<<rows, THREADS>>>(s, scale, cols, eps);
    multiply<<<blocks, THREADS>>>(x, w, scale, y, cols, n);
    cudaFree(s);
    cudaFree(scale);
}
