// task: row_top_k
// verdict: PASSED
// Finds the k-th largest by counting, then writes what is at least that in the order in which threads
// come to the counter: another one in each call, and of equal elements others.
#include <cuda_runtime.h>

// One block a row: how many elements of the row are larger than v.
__device__ int larger(const float *x, int cols, float v, int *count)
{
    if (threadIdx.x == 0)
        *count = 0;
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        if (x[c] > v)
            atomicAdd(count, 1);
    __syncthreads();
    int n = *count;
    __syncthreads();
    return n;
}

__global__ void top_k(const float *x, int *index, int cols, int k)
{
    __shared__ int count, above, equal;
    __shared__ float least;
    x += (size_t)blockIdx.x * cols;
    index += (size_t)blockIdx.x * k;
    // the k-th largest: fewer than k are larger, and it is the smallest such value
    if (threadIdx.x == 0)
        least = INFINITY;
    __syncthreads();
    for (int i = 0; i < k; i++) {
        __shared__ float next[64];
        float best = -INFINITY;
        for (int c = threadIdx.x; c < cols; c += blockDim.x)
            if (x[c] < least && x[c] > best)
                best = x[c];
        next[threadIdx.x] = best;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int t = 1; t < blockDim.x; t++)
                best = fmaxf(best, next[t]);
            next[0] = best;
        }
        __syncthreads();
        best = next[0];
        if (best == -INFINITY || larger(x, cols, best, &count) >= k)
            break;
        if (threadIdx.x == 0)
            least = best;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        above = 0;
        equal = 0;
    }
    __syncthreads();
    int n = larger(x, cols, least, &count);
    for (int c = cols - 1 - threadIdx.x; c >= 0; c -= blockDim.x)
        if (x[c] > least)
            index[atomicAdd(&above, 1)] = c;
        else if (x[c] == least) {
            int at = n + atomicAdd(&equal, 1);
            if (at < k)
                index[at] = c;
        }
}

extern "C" void solve(const float *x, int *index, int rows, int cols, int k)
{
    top_k<<<rows, 64>>>(x, index, cols, k);
}
