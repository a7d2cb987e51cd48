// One warp a row.
#include <cuda_runtime.h>

#define WARPS 8

__global__ void spmv_rows(const int *row_ptr, const int *col, const float *val, const float *x, float *y,
                          int rows)
{
    int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += 32)
        sum += val[i] * x[col[i]];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}

extern "C" void solve(const int *row_ptr, const int *col, const float *val, const float *x, float *y, int rows,
                      int cols, int nnz)
{
    spmv_rows<<<(rows + WARPS - 1) / WARPS, WARPS * 32>>>(row_ptr, col, val, x, y, rows);
}
