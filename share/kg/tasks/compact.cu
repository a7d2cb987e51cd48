// Count by tiles, scan the counts, write: places inside a tile come from ballots.
#include <cuda_runtime.h>

#define THREADS 256
#define WARPS   (THREADS / 32)

// How many of the block's threads before this one have 'flag', and how many of all.
__device__ int block_rank(bool flag, int *all)
{
    __shared__ int warp_count[WARPS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned mask = __ballot_sync(0xffffffffu, flag);
    __syncthreads();
    if (lane == 0)
        warp_count[warp] = __popc(mask);
    __syncthreads();
    int before = __popc(mask & ((1u << lane) - 1));
    *all = 0;
    for (int i = 0; i < WARPS; i++) {
        before += i < warp ? warp_count[i] : 0;
        *all += warp_count[i];
    }
    return before;
}

__global__ void count_tiles(const bool *keep, int *counts, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x, all;
    block_rank(i < n && keep[i], &all);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = all;
}

// One block: counts become the places where tiles begin; the sum is the number of elements kept.
__global__ void scan_counts(int *counts, int tiles, int *total)
{
    __shared__ int s[THREADS];
    int carry = 0;
    for (int from = 0; from < tiles; from += THREADS) {
        int i = from + threadIdx.x, mine = i < tiles ? counts[i] : 0;
        s[threadIdx.x] = mine;
        for (int d = 1; d < THREADS; d *= 2) {
            __syncthreads();
            int v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
            __syncthreads();
            s[threadIdx.x] += v;
        }
        __syncthreads();
        if (i < tiles)
            counts[i] = carry + s[threadIdx.x] - mine;
        carry += s[THREADS - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *total = carry;
}

__global__ void write_tiles(const float *x, const bool *keep, const int *begin, float *y, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x, all;
    bool mine = i < n && keep[i];
    int rank = block_rank(mine, &all);
    if (mine)
        y[begin[blockIdx.x] + rank] = x[i];
}

extern "C" void solve(const float *x, const bool *keep, int *count, float *y, int n)
{
    int tiles = (n + THREADS - 1) / THREADS;
    int *counts;
    if (cudaMalloc((void **)&counts, tiles * sizeof *counts) != cudaSuccess)
        return;
    count_tiles<<<tiles, THREADS>>>(keep, counts, n);
    scan_counts<<<1, THREADS>>>(counts, tiles, count);
    write_tiles<<<tiles, THREADS>>>(x, keep, counts, y, n);
    cudaFree(counts);
}
