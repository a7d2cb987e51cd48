// task: csr_spmv
// verdict: PASSED
// One thread an element: finds its row by bisection, and adds to it.
#include <cuda_runtime.h>

__global__ void clear(float *y, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        y[i] = 0;
}

__global__ void add(const int *row_ptr, const int *col, const float *val, const float *x, float *y, int rows,
                    int nnz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = rows;
    if (i >= nnz)
        return;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (row_ptr[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    atomicAdd(&y[low], val[i] * x[col[i]]);
}

extern "C" void solve(const int *row_ptr, const int *col, const float *val, const float *x, float *y, int rows,
                      int cols, int nnz)
{
    clear<<<(rows + 255) / 256, 256>>>(y, rows);
    add<<<(nnz + 255) / 256, 256>>>(row_ptr, col, val, x, y, rows, nnz);
}
