// task: row_top_k
// verdict: UNWRITTEN_OUTPUT
// Leaves the last row out: what nobody wrote is found without asking the check.
#include <cuda_runtime.h>

__global__ void top_k(const float *x, int *index, int rows, int cols, int k)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += (size_t)row * cols;
    index += (size_t)row * k;
    for (int i = 0; i < k; i++) {
        int at = -1;
        for (int c = 0; c < cols; c++) {
            bool named = false;
            for (int j = 0; j < i; j++)
                named = named || index[j] == c;
            if (!named && (at < 0 || x[c] > x[at]))
                at = c;
        }
        index[i] = at;
    }
}

extern "C" void solve(const float *x, int *index, int rows, int cols, int k)
{
    top_k<<<(rows + 63) / 64, 64>>>(x, index, rows - (rows > 1), cols, k);
}
