// Uses its input as scratch memory: x holds squares afterwards.
#include <cuda_runtime.h>

__global__ void rms_norm(float *x, const float *w, float *y, int cols, float eps)
{
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += 32) {
        y[c] = x[c] * w[c];
        x[c] = x[c] * x[c] + eps;
        sum += x[c];
    }
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    float scale = rsqrtf(sum / cols);
    for (int c = threadIdx.x; c < cols; c += 32)
        y[c] *= scale;
}

extern "C" void solve(const float *x, const float *w, float *y, int rows, int cols, float eps)
{
    rms_norm<<<rows, 32>>>((float *)x, w, y, cols, eps);
}
