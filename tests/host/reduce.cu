#include <cstdio>
#include <cuda_runtime.h>

__inline__ __device__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__device__ __forceinline__ float block_sum(float v)
{
    static __shared__ float part[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_sum(v);
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / warpSize ? part[lane] : 0.0f;
    if (warp == 0)
        v = warp_sum(v);
    return v;
}

__global__ void __launch_bounds__(256) sum(const float *__restrict__ x, float *out, int n)
{
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += __ldg(&x[i]);
    s = block_sum(s);
    if (threadIdx.x == 0)
        atomicAdd(out, s);
}

/* the classic one in shared memory, with its barrier in a loop */
template <int BLOCK> __global__ void sum_tree(const int *x, int *out, int n)
{
    __shared__ int s[BLOCK];
    int tid = threadIdx.x;
    s[tid] = tid + blockIdx.x * BLOCK < n ? x[tid + blockIdx.x * BLOCK] : 0;
    __syncthreads();
#pragma unroll
    for (int k = BLOCK / 2; k > 0; k >>= 1) {
        if (tid < k)
            s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

/* old style: volatile and no warp barrier would be wrong on any GPU of today; with __syncwarp it is right */
__global__ void sum_volatile(const int *x, int *out)
{
    extern __shared__ int s[];
    volatile int *v = s;
    int t = threadIdx.x;
    v[t] = x[t] + x[t + 32];
    __syncwarp();
    for (int k = 16; k > 0; k /= 2) {
        int other = t < k ? v[t + k] : 0;
        __syncwarp();
        v[t] += other;
        __syncwarp();
    }
    if (t == 0)
        *out = v[0];
}

/* without __syncwarp, as the samples of 2010 have it: lanes that stay together, as they mostly do */
template <unsigned BLOCK> __device__ void warp_reduce(volatile float *s, unsigned t)
{
    if (BLOCK >= 64) s[t] += s[t + 32];
    if (BLOCK >= 32) s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2]; s[t] += s[t + 1];
}
__global__ void sum_2010(const float *x, float *out)
{
    extern __shared__ float f[];
    f[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 64)
        f[threadIdx.x] += f[threadIdx.x + 64];
    __syncthreads();
    if (threadIdx.x < 32)
        warp_reduce<64>(f, threadIdx.x);
    if (threadIdx.x == 0)
        out[0] = f[0];
}

extern "C" void program(void)
{
    const int n = 100000;
    float *x, *out;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc((void **)&out, sizeof(float));
    for (int i = 0; i < n; i++)
        x[i] = (float)(i % 7);
    cudaMemset(out, 0, sizeof(float));
    sum<<<20, 256>>>(x, out, n);
    double want = 0;
    for (int i = 0; i < n; i++)
        want += i % 7;
    printf("sum %g, want %g\n", *out, want);

    const int m = 5000;
    int *xi, *oi;
    cudaMalloc(&xi, m * sizeof(int));
    cudaMalloc(&oi, 64 * sizeof(int));
    long total = 0, got = 0;
    for (int i = 0; i < m; i++)
        total += xi[i] = i * 31 % 1000;
    int blocks = (m + 127) / 128;
    sum_tree<128><<<blocks, 128>>>(xi, oi, m);
    for (int i = 0; i < blocks; i++)
        got += oi[i];
    printf("tree %ld, want %ld\n", got, total);
    total = 0;
    for (int i = 0; i < 64; i++)
        total += xi[i];
    sum_volatile<<<1, 32, 32 * sizeof(int)>>>(xi, oi);
    printf("volatile %d, want %ld\n", oi[0], total);
    sum_2010<<<1, 128, 256 * sizeof(float)>>>(x, out);
    want = 0;
    for (int i = 0; i < 128; i++)
        want += x[i];
    printf("2010: %g, want %g\n", *out, want);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(x), cudaFree(out), cudaFree(xi), cudaFree(oi);
}
