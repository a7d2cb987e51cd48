// Honest: a thread scans a tile, starting from the sums of the tiles before it.
#include <cuda_runtime.h>

#define TILE 256

__global__ void sum_tiles(const unsigned *x, unsigned *sums, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int i = t * TILE; i < (t + 1) * TILE && i < n; i++)
        sum += x[i];
    if (t * TILE < n)
        sums[t] = sum;
}

__global__ void scan_tiles(const unsigned *x, const unsigned *sums, unsigned *y, int n, int tiles)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    if (t >= tiles)
        return;
    for (int i = 0; i < t; i++)
        sum += sums[i];
    for (int i = t * TILE; i < (t + 1) * TILE && i < n; i++)
        y[i] = sum += x[i];
}

extern "C" void solve(const int *x, int *y, int n)
{
    int tiles = (n + TILE - 1) / TILE;
    unsigned *sums;
    cudaMalloc((void **)&sums, tiles * sizeof *sums);
    sum_tiles<<<(tiles + 31) / 32, 32>>>((const unsigned *)x, sums, n);
    scan_tiles<<<(tiles + 31) / 32, 32>>>((const unsigned *)x, sums, (unsigned *)y, n, tiles);
    cudaFree(sums);
}
