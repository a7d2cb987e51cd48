// Writes one element past its output: '<=' where '<' was meant.
#include <cuda_runtime.h>

__global__ void rms_norm(const float *x, const float *w, float *y, int rows, int cols, float eps)
{
    size_t n = (size_t)rows * cols, from = (size_t)blockIdx.x * cols;
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += 32)
        sum += x[from + c] * x[from + c];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float scale = rsqrtf(sum / cols + eps);
    for (int c = threadIdx.x; c < cols; c += 32)
        y[from + c] = x[from + c] * scale * w[c];
    if (blockIdx.x == 0)
        for (size_t i = n + threadIdx.x; i <= n; i += 32)
            y[i] = scale;
}

extern "C" void solve(const float *x, const float *w, float *y, int rows, int cols, float eps)
{
    rms_norm<<<rows, 32>>>(x, w, y, rows, cols, eps);
}
