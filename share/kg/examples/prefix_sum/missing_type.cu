// Does not compile: the second parameter is double, and 'tile_sums' is no name here.
#include <cuda_runtime.h>

__global__ void scan(const int *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = tile_sums[blockIdx.x] + x[i];
}

extern "C" void solve(const int *x, double *y, int n)
{
    scan<<<(n + 255) / 256, 256>>>(x, y, n);
}
