// A block computes a 64 x 64 tile of c through shared memory, each of its 256 threads 4 x 4 of it in
// registers.
#include <cuda_runtime.h>

#define TILE 64
#define DEEP 16

__global__ void matmul_tile(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float as[DEEP][TILE + 4], bs[DEEP][TILE];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += DEEP) {
        for (int i = threadIdx.x; i < TILE * DEEP; i += 256) {
            int ar = row0 + i / DEEP, ac = k0 + i % DEEP;
            as[i % DEEP][i / DEEP] = ar < m && ac < k ? a[(size_t)ar * k + ac] : 0.0f;
            int br = k0 + i / TILE, bc = col0 + i % TILE;
            bs[i / TILE][i % TILE] = br < k && bc < n ? b[(size_t)br * n + bc] : 0.0f;
        }
        __syncthreads();
        for (int l = 0; l < DEEP; l++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += as[l][ty * 4 + i] * bs[l][tx * 4 + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int r = row0 + ty * 4 + i, q = col0 + tx * 4 + j;
            if (r < m && q < n)
                c[(size_t)r * n + q] = sum[i][j];
        }
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k)
{
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmul_tile<<<grid, 256>>>(a, b, c, m, n, k);
}
