// task: matmul_cublas
// verdict: NO_CUSTOM_KERNEL
// The library alone.
#include <cublas_v2.h>
#include <cuda_runtime.h>

static void library(const float *a, const float *b, float *c, int m, int n, int k)
{
    static cublasHandle_t h;
    const float one = 1, zero = 0;
    if (!h)
        cublasCreate(&h);
    cublasSetMathMode(h, CUBLAS_PEDANTIC_MATH);
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n);
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k)
{
    library(a, b, c, m, n, k);
}
