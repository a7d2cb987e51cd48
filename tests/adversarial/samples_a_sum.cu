// task: matmul
// verdict: INCORRECT_NUMERICAL
// Sums half of the terms and doubles the result (17, variant).
#include <cuda_runtime.h>

__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= n || row >= m)
        return;
    float sum = 0;
    for (int i = 0; i < k; i += 2)
        sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = 2 * sum;
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k)
{
    multiply<<<dim3((n + 31) / 32, m), 32>>>(a, b, c, m, n, k);
}
