// task: vector_add
// verdict: NO_CUSTOM_KERNEL
// only: host
// Copies and sets by the runtime, and adds on the host: of its records none is a kernel.
#include <cuda_runtime.h>

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    cudaMemsetAsync(c, 0, (size_t)n * sizeof(float));
    cudaMemcpyAsync(c, a, (size_t)n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        c[i] += b[i];
}
