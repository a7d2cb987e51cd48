// task: matmul
// verdict: PRECISION_DOWNGRADE
// Rounds its inputs to bfloat16 in a task of float32 (10).
#include <cstring>
#include <cuda_runtime.h>

__device__ float bf16(float x)
{
    unsigned u;
    memcpy(&u, &x, 4);
    u = (u + 0x7fff + ((u >> 16) & 1)) & 0xffff0000u;
    memcpy(&x, &u, 4);
    return x;
}

__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= n || row >= m)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += bf16(a[row * k + i]) * bf16(b[i * n + col]);
    c[row * n + col] = sum;
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k)
{
    multiply<<<dim3((n + 31) / 32, m), 32>>>(a, b, c, m, n, k);
}
