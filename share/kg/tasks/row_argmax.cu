// One warp a row; the lanes' best (value, index) meet by shuffles, the lower index wins a tie.
#include <cuda_runtime.h>

#define WARPS 4

__global__ void argmax_rows(const float *x, long long *index, int rows, int cols)
{
    int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    x += (size_t)row * cols;
    float best = -INFINITY;
    int at = 0x7fffffff;
    for (int c = lane; c < cols; c += 32)
        if (x[c] > best || at == 0x7fffffff) {
            best = x[c];
            at = c;
        }
    for (int d = 16; d > 0; d >>= 1) {
        float other = __shfl_xor_sync(0xffffffffu, best, d);
        int other_at = __shfl_xor_sync(0xffffffffu, at, d);
        if (other > best || (other == best && other_at < at)) {
            best = other;
            at = other_at;
        }
    }
    if (lane == 0)
        index[row] = at;
}

extern "C" void solve(const float *x, long long *index, int rows, int cols)
{
    argmax_rows<<<(rows + WARPS - 1) / WARPS, WARPS * 32>>>(x, index, rows, cols);
}
