// Reduce, scan, add: each block sums a tile of 2048, one block scans the sums of the tiles, then each
// block scans its tile from there.
#include <cuda_runtime.h>

#define THREADS 256
#define EACH    8
#define TILE    (THREADS * EACH)

// Inclusive scan over the block of one value a thread.
__device__ unsigned block_scan(unsigned v)
{
    __shared__ unsigned warp_sum[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 1; d < 32; d <<= 1) {
        unsigned w = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += w;
    }
    __syncthreads();
    if (lane == 31)
        warp_sum[warp] = v;
    __syncthreads();
    for (int i = 0; i < warp; i++)
        v += warp_sum[i];
    return v;
}

__global__ void sum_tiles(const unsigned *x, unsigned *sums, int n)
{
    unsigned v = 0;
    for (int j = 0; j < EACH; j++) {
        int i = blockIdx.x * TILE + j * THREADS + threadIdx.x;
        v += i < n ? x[i] : 0;
    }
    v = block_scan(v);
    if (threadIdx.x == THREADS - 1)
        sums[blockIdx.x] = v;
}

__global__ void scan_sums(unsigned *sums, int tiles)
{
    __shared__ unsigned carry;
    if (threadIdx.x == 0)
        carry = 0;
    for (int from = 0; from < tiles; from += THREADS) {
        int i = from + threadIdx.x;
        unsigned mine = i < tiles ? sums[i] : 0;
        unsigned v = block_scan(mine);
        __syncthreads();
        if (i < tiles)
            sums[i] = carry + v - mine;
        __syncthreads();
        if (threadIdx.x == THREADS - 1)
            carry += v;
        __syncthreads();
    }
}

__global__ void scan_tiles(const unsigned *x, const unsigned *sums, unsigned *y, int n)
{
    unsigned v[EACH], total = 0;
    int from = blockIdx.x * TILE + threadIdx.x * EACH;
    for (int j = 0; j < EACH; j++)
        total += v[j] = from + j < n ? x[from + j] : 0;
    unsigned sum = sums[blockIdx.x] + block_scan(total) - total;
    for (int j = 0; j < EACH && from + j < n; j++)
        y[from + j] = sum += v[j];
}

extern "C" void solve(const int *x, int *y, int n)
{
    int tiles = (n + TILE - 1) / TILE;
    unsigned *sums;
    if (cudaMalloc((void **)&sums, tiles * sizeof *sums) != cudaSuccess)
        return;
    sum_tiles<<<tiles, THREADS>>>((const unsigned *)x, sums, n);
    scan_sums<<<1, THREADS>>>(sums, tiles);
    scan_tiles<<<tiles, THREADS>>>((const unsigned *)x, sums, (unsigned *)y, n);
    cudaFree(sums);
}
