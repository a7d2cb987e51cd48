// task: csr_spmv
// verdict: INCORRECT_NUMERICAL
// Takes at most 32 elements of a row, which is right for nearly all of them.
#include <cuda_runtime.h>

__global__ void spmv(const int *row_ptr, const int *col, const float *val, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = row_ptr[row]; i < min(row_ptr[row + 1], row_ptr[row] + 32); i++)
        sum += val[i] * x[col[i]];
    y[row] = sum;
}

extern "C" void solve(const int *row_ptr, const int *col, const float *val, const float *x, float *y, int rows,
                      int cols, int nnz)
{
    spmv<<<(rows + 63) / 64, 64>>>(row_ptr, col, val, x, y, rows);
}
