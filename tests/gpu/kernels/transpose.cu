// A tile of 32 x 32 through shared memory, so that both sides are read and written in rows.
#include <cuda_runtime.h>

#define TILE 32

__global__ void transpose_tile(const float *x, float *y, int rows, int cols)
{
    __shared__ float t[TILE][TILE + 1];
    int c = blockIdx.x * TILE + threadIdx.x, r0 = blockIdx.y * TILE;
    for (int i = threadIdx.y; i < TILE; i += 8)
        if (c < cols && r0 + i < rows)
            t[i][threadIdx.x] = x[(size_t)(r0 + i) * cols + c];
    __syncthreads();
    int r = r0 + threadIdx.x, c0 = blockIdx.x * TILE;
    for (int i = threadIdx.y; i < TILE; i += 8)
        if (r < rows && c0 + i < cols)
            y[(size_t)(c0 + i) * rows + r] = t[threadIdx.x][i];
}

extern "C" void solve(const float *x, float *y, int rows, int cols)
{
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose_tile<<<grid, dim3(TILE, 8)>>>(x, y, rows, cols);
}
