// task: vector_add
// verdict: HOST_COMPUTE
// The host does the work, beside a kernel that touches scratch only.
#include <vector>
#include <cuda_runtime.h>

__global__ void decoy(float *x)
{
    x[threadIdx.x] = 1;
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    static float *scratch;
    if (!scratch)
        cudaMalloc(&scratch, 1024);
    decoy<<<1, 256>>>(scratch);
    std::vector<float> x(n), y(n);
    cudaMemcpy(x.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(y.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        x[i] += y[i];
    cudaMemcpy(c, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
