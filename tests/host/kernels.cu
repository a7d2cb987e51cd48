/* Kernels as people and models write them, each against a plain loop. */
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <vector>

namespace cg = cooperative_groups;

#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))
#define WARP_SIZE      32
#define FULL_MASK      0xffffffffu
#define FLOAT4(x)      (reinterpret_cast<float4 *>(&(x))[0])
#define CUDA_CHECK(x)                                                                              \
    do {                                                                                           \
        cudaError_t err = (x);                                                                     \
        if (err != cudaSuccess) {                                                                  \
            fprintf(stderr, "CUDA error %s at %s:%d\n", cudaGetErrorString(err), __FILE__,         \
                    __LINE__);                                                                     \
            return;                                                                                \
        }                                                                                          \
    } while (0)

/* ---- attention with online softmax, K and V tiles in shared memory ----------------------------- */

template <int Br, int Bc, int D>
__global__ void __launch_bounds__(Br)
    flash_attention(const float *__restrict__ Q, const float *__restrict__ K,
                    const float *__restrict__ V, float *__restrict__ O, const int N,
                    const float softmax_scale)
{
    extern __shared__ float sram[];
    float *Kj = sram, *Vj = &sram[Bc * D];
    const int tx = threadIdx.x, row = blockIdx.x * Br + tx;
    float q[D], acc[D], m = -INFINITY, l = 0.f;
#pragma unroll
    for (int x = 0; x < D; x++) {
        q[x] = row < N ? Q[row * D + x] : 0.f;
        acc[x] = 0.f;
    }
    for (int j = 0; j < CEIL_DIV(N, Bc); ++j) {
        for (int x = tx; x < Bc * D; x += Br) {
            const int r = j * Bc + x / D;
            Kj[x] = r < N ? K[r * D + x % D] : 0.f;
            Vj[x] = r < N ? V[r * D + x % D] : 0.f;
        }
        __syncthreads();
        for (int y = 0; y < Bc && j * Bc + y < N; y++) {
            float s = 0;
            for (int x = 0; x < D; x++)
                s += q[x] * Kj[y * D + x];
            s *= softmax_scale;
            const float m_new = fmaxf(m, s), c = __expf(m - m_new), p = __expf(s - m_new);
            l = l * c + p;
            for (int x = 0; x < D; x++)
                acc[x] = acc[x] * c + p * Vj[y * D + x];
            m = m_new;
        }
        __syncthreads();
    }
    if (row < N)
        for (int x = 0; x < D; x++)
            O[row * D + x] = acc[x] / l;
}

static void attention(void)
{
    const int N = 75, D = 16;
    std::vector<float> q(N * D), k(N * D), v(N * D), o(N * D);
    for (int i = 0; i < N * D; i++) {
        q[i] = sinf(i * 0.37f);
        k[i] = cosf(i * 0.11f);
        v[i] = sinf(i * 0.05f + 1);
    }
    flash_attention<32, 16, D>
        <<<CEIL_DIV(N, 32), 32, 2 * 16 * D * sizeof(float)>>>(q.data(), k.data(), v.data(),
                                                              o.data(), N, 1.0f / sqrtf(D));
    CUDA_CHECK(cudaDeviceSynchronize());
    double worst = 0;
    for (int r = 0; r < N; r++) {
        double sum = 0, out[D] = {};
        for (int c = 0; c < N; c++) {
            double s = 0;
            for (int x = 0; x < D; x++)
                s += (double)q[r * D + x] * k[c * D + x];
            double p = exp(s / 4);
            sum += p;
            for (int x = 0; x < D; x++)
                out[x] += p * v[c * D + x];
        }
        for (int x = 0; x < D; x++)
            worst = std::max(worst, fabs(out[x] / sum - o[r * D + x]));
    }
    printf("attention %s\n", worst < 1e-5 ? "right" : "wrong");
}

/* ---- layer norm: a warp a row, vector loads, half output --------------------------------------- */

template <typename T> __device__ __forceinline__ T warp_reduce_sum(T v)
{
#pragma unroll
    for (int mask = WARP_SIZE >> 1; mask >= 1; mask >>= 1)
        v += __shfl_xor_sync(FULL_MASK, v, mask);
    return v;
}

template <int WARPS>
__global__ void layer_norm(const float *x, const float *g, const float *b, half2 *y, int rows,
                           int cols, float eps)
{
    const int warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
    const int row = blockIdx.x * WARPS + warp;
    if (row >= rows)
        return;
    const float4 *p = reinterpret_cast<const float4 *>(x + (int64_t)row * cols);
    float sum = 0.f, sq = 0.f;
    for (int i = lane; i < cols / 4; i += WARP_SIZE) {
        const float4 v = __ldg(p + i);
        sum += v.x + v.y + v.z + v.w;
        sq += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    sum = warp_reduce_sum(sum);
    sq = warp_reduce_sum<float>(sq);
    const float mean = sum / cols, inv = rsqrtf(sq / cols - mean * mean + eps);
    for (int i = lane; i < cols / 2; i += WARP_SIZE) {
        float2 v = reinterpret_cast<const float2 *>(x + (int64_t)row * cols)[i];
        y[row * (cols / 2) + i] = __floats2half2_rn((v.x - mean) * inv * g[2 * i] + b[2 * i],
                                                    (v.y - mean) * inv * g[2 * i + 1] + b[2 * i + 1]);
    }
}

const int rows = 13, cols = 136;
__managed__ __align__(16) float x[rows * cols], g[cols], b[cols];
__managed__ half2 y[rows * cols / 2];

static void norm(void)
{
    for (int i = 0; i < rows * cols; i++)
        x[i] = (float)((i * 37) % 101) / 25.f;
    for (int i = 0; i < cols; i++)
        g[i] = 1.f + i * 0.01f, b[i] = i * -0.02f;
    layer_norm<4><<<CEIL_DIV(rows, 4), 4 * WARP_SIZE>>>(x, g, b, y, rows, cols, 1e-5f);
    CUDA_CHECK(cudaDeviceSynchronize());
    double worst = 0;
    for (int r = 0; r < rows; r++) {
        double s = 0, q = 0;
        for (int c = 0; c < cols; c++)
            s += x[r * cols + c];
        for (int c = 0; c < cols; c++)
            q += pow(x[r * cols + c] - s / cols, 2);
        for (int c = 0; c < cols; c++) {
            double want = (x[r * cols + c] - s / cols) / sqrt(q / cols + 1e-5) * g[c] + b[c];
            half2 h = y[(r * cols + c) / 2];
            worst = std::max(worst, fabs(want - (c % 2 ? __high2float(h) : __low2float(h))));
        }
    }
    printf("layer norm %s\n", worst < 4e-3 ? "right" : "wrong");
}

/* ---- double-buffered GEMM with asynchronous copies ---------------------------------------------- */

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                      float *C)
{
    __shared__ float As[2][BM * BK];
    __shared__ __align__(16) float Bs[2][BK * BN];
    const uint cRow = blockIdx.y, cCol = blockIdx.x;
    const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
    A += cRow * BM * K;
    B += cCol * BN;
    C += cRow * BM * N + cCol * BN;
    float threadResults[TM * TN] = {0.0};
    float regM[TM] = {0.0}, regN[TN] = {0.0};
    auto load = [&](int buf, int k0) {
        for (int i = threadIdx.x; i < BM * BK; i += blockDim.x)
            As[buf][i] = A[(i / BK) * K + k0 + i % BK];
        for (int i = threadIdx.x * 4; i < BK * BN; i += blockDim.x * 4)
            __pipeline_memcpy_async(&Bs[buf][i], &B[(k0 + i / BN) * N + i % BN], sizeof(float4));
        __pipeline_commit();
    };
    load(0, 0);
    for (int k0 = 0, buf = 0; k0 < K; k0 += BK, buf ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (k0 + BK < K)
            load(buf ^ 1, k0 + BK);
        for (uint dot = 0; dot < BK; ++dot) {
            for (uint i = 0; i < TM; ++i)
                regM[i] = As[buf][(threadRow * TM + i) * BK + dot];
            for (uint i = 0; i < TN; ++i)
                regN[i] = Bs[buf][dot * BN + threadCol * TN + i];
            for (uint m = 0; m < TM; ++m)
                for (uint n = 0; n < TN; ++n)
                    threadResults[m * TN + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (uint m = 0; m < TM; ++m)
        for (uint n = 0; n < TN; n += 4) {
            float4 tmp = FLOAT4(C[(threadRow * TM + m) * N + threadCol * TN + n]);
            tmp.x = alpha * threadResults[m * TN + n] + beta * tmp.x;
            tmp.y = alpha * threadResults[m * TN + n + 1] + beta * tmp.y;
            tmp.z = alpha * threadResults[m * TN + n + 2] + beta * tmp.z;
            tmp.w = alpha * threadResults[m * TN + n + 3] + beta * tmp.w;
            FLOAT4(C[(threadRow * TM + m) * N + threadCol * TN + n]) = tmp;
        }
}

const int S = 64;
__managed__ __align__(16) float A[S * S], B[S * S], C[S * S];

static void gemm(void)
{
    for (int i = 0; i < S * S; i++)
        A[i] = (float)(i % 7 - 3), B[i] = (float)(i % 5 - 2), C[i] = 1;
    dim3 gridDim(CEIL_DIV(S, 32), CEIL_DIV(S, 32)), blockDim((32 * 32) / (4 * 4));
    sgemm<32, 32, 8, 4, 4><<<gridDim, blockDim>>>(S, S, S, 2, A, B, 3, C);
    CUDA_CHECK(cudaDeviceSynchronize());
    int bad = 0;
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            float s = 0;
            for (int k = 0; k < S; k++)
                s += A[i * S + k] * B[k * S + j];
            bad += C[i * S + j] != 2 * s + 3;
        }
    printf("sgemm %d bad\n", bad);
}

/* ---- bitonic sort, argmax by packed atomics, CSR by warps, transpose, convolution ----------------- */

__global__ void bitonic(int *data, int n)
{
    extern __shared__ int s[];
    s[threadIdx.x] = (int)threadIdx.x < n ? data[threadIdx.x] : INT_MAX;
    for (int k = 2; k <= (int)blockDim.x; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            int ixj = threadIdx.x ^ j;
            if (ixj > (int)threadIdx.x && ((threadIdx.x & k) == 0) == (s[threadIdx.x] > s[ixj])) {
                int t = s[threadIdx.x];
                s[threadIdx.x] = s[ixj];
                s[ixj] = t;
            }
        }
    __syncthreads();
    if ((int)threadIdx.x < n)
        data[threadIdx.x] = s[threadIdx.x];
}

__device__ __forceinline__ unsigned int order_of(float f)
{
    unsigned int u = __float_as_uint(f);
    return (u & 0x80000000u) ? ~u : (u | 0x80000000u);
}
__global__ void argmax(const float *x, int n, unsigned long long *best)
{
    unsigned long long mine = 0ULL;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned long long p = ((unsigned long long)order_of(x[i]) << 32) | (0xFFFFFFFFu - i);
        mine = max(mine, p);
    }
    for (int o = 16; o > 0; o /= 2)
        mine = max(mine, __shfl_down_sync(FULL_MASK, mine, o));
    if ((threadIdx.x & 31) == 0)
        atomicMax(best, mine);
}

__global__ void csr(const int *ptr, const int *col, const double *val, const double *x, double *y, int rows)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    double sum = 0;
    if (row < rows)
        for (int i = ptr[row] + tile.thread_rank(); i < ptr[row + 1]; i += tile.size())
            sum += val[i] * x[col[i]];
    for (int o = tile.size() / 2; o > 0; o >>= 1)
        sum += tile.shfl_down(sum, o);
    if (row < rows && tile.thread_rank() == 0)
        y[row] = sum;
}

const int TILE_DIM = 32, BLOCK_ROWS = 8;
__global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

#define RADIUS 3
__constant__ float d_filter[2 * RADIUS + 1];
template <int BLOCK> __global__ void convolve(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK + 2 * RADIUS];
    const int g = blockIdx.x * BLOCK + threadIdx.x, l = threadIdx.x + RADIUS;
    s[l] = g < n ? in[g] : 0.0f;
    if (threadIdx.x < RADIUS) {
        s[l - RADIUS] = g >= RADIUS && g - RADIUS < n ? in[g - RADIUS] : 0.0f;
        s[l + BLOCK] = g + BLOCK < n ? in[g + BLOCK] : 0.0f;
    }
    __syncthreads();
    if (g >= n)
        return;
    float r = 0;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        r += s[l + k] * d_filter[k + RADIUS];
    out[g] = r;
}

__managed__ unsigned long long best;

static void others(void)
{
    std::vector<int> v(300), w;
    for (int i = 0; i < 300; i++)
        v[i] = i * 7919 % 1009 - 500;
    w = v;
    bitonic<<<1, 512, 512 * sizeof(int)>>>(v.data(), 300);
    CUDA_CHECK(cudaDeviceSynchronize());
    std::sort(w.begin(), w.end());
    printf("bitonic %s\n", v == w ? "right" : "wrong");

    std::vector<float> x(10007);
    for (size_t i = 0; i < x.size(); i++)
        x[i] = -1.0f - (float)((i * 31 + 7) % 9973);
    argmax<<<8, 256>>>(x.data(), (int)x.size(), &best);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("argmax %u, want %ld\n", 0xFFFFFFFFu - (unsigned)best,
           (long)(std::max_element(x.begin(), x.end()) - x.begin()));

    const int rows = 50;
    std::vector<int> ptr(rows + 1), col;
    std::vector<double> val, xs(100), y(rows), want(rows);
    for (int i = 0; i < 100; i++)
        xs[i] = i;
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < r % 13; k++) {
            col.push_back((r * 7 + k * 3) % 100);
            val.push_back(k + 1);
            want[r] += val.back() * xs[col.back()];
        }
        ptr[r + 1] = (int)col.size();
    }
    csr<<<CEIL_DIV(rows * 8, 128), 128>>>(ptr.data(), col.data(), val.data(), xs.data(), y.data(), rows);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("csr %s\n", y == want ? "right" : "wrong");

    const int W = 70, H = 45;
    std::vector<float> m(W * H), t(W * H);
    for (int i = 0; i < W * H; i++)
        m[i] = (float)i;
    transpose<<<dim3(CEIL_DIV(W, TILE_DIM), CEIL_DIV(H, TILE_DIM)), dim3(TILE_DIM, BLOCK_ROWS)>>>(t.data(), m.data(), W, H);
    CUDA_CHECK(cudaDeviceSynchronize());
    int bad = 0;
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            bad += t[j * H + i] != m[i * W + j];
    printf("transpose %d bad\n", bad);

    float filter[2 * RADIUS + 1] = {1, 2, 3, 4, 3, 2, 1};
    cudaMemcpyToSymbol(d_filter, filter, sizeof(filter));
    convolve<64><<<CEIL_DIV(W * H, 64), 64>>>(m.data(), t.data(), W * H);
    CUDA_CHECK(cudaDeviceSynchronize());
    bad = 0;
    for (int i = 0; i < W * H; i++) {
        float r = 0;
        for (int k = -RADIUS; k <= RADIUS; k++)
            r += (i + k >= 0 && i + k < W * H ? m[i + k] : 0.0f) * filter[k + RADIUS];
        bad += r != t[i];
    }
    printf("convolve %d bad\n", bad);
}

extern "C" void program(void)
{
    attention();
    norm();
    gemm();
    others();
}
