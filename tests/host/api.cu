/* The runtime API in one solve: scratch, streams, events, symbols, properties, launches by address. */
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <vector>

__constant__ float coefficients[4];
__device__ int counter = 5;
__device__ float table[2][3] = {{1, 2, 3}, {4, 5, 6}};

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess)                                                                     \
            printf("%s:%d %s\n", #call, __LINE__, cudaGetErrorString(e_));                         \
    } while (0)

__global__ void polynomial(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = ((coefficients[3] * v + coefficients[2]) * v + coefficients[1]) * v + coefficients[0];
    }
}
__global__ void scale(float *y, float by, int n = 100)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[i] *= by;
    if (threadIdx.x == 0)
        atomicAdd(&counter, 1);
}
template <typename T> __global__ void uninitialised(const T *scratch, T *out)
{
    __shared__ T s[32];
    out[threadIdx.x] = scratch[threadIdx.x] + s[threadIdx.x];
}

extern "C" void solve(const float *x, float *y, int n)
{
    cudaStream_t a, b;
    cudaEvent_t done, start;
    float *scratch = nullptr;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDefault));
    CHECK(cudaMallocAsync(&scratch, n * sizeof(float), a));
    CHECK(cudaEventRecord(start, a));
    polynomial<<<(n + 127) / 128, 128, 0, a>>>(x, scratch, n);
    CHECK(cudaEventRecord(done, a));
    CHECK(cudaStreamWaitEvent(b, done, 0));
    CHECK(cudaMemcpyAsync(y, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice, b));
    scale<<<1, 32, 0, b>>>(y, 0.5f, n);
    CHECK(cudaStreamSynchronize(b));
    CHECK(cudaEventSynchronize(done));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, done));
    printf("time %s\n", ms >= 0 && ms < 10000 ? "plausible" : "wrong");
    CHECK(cudaFreeAsync(scratch, a));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(done));
}

__managed__ float o1[32], o2[32];

extern "C" void program(void)
{
    const int n = 1000;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++)
        x[i] = (float)(i % 8);
    float c[4] = {1, 2, 3, 4}, back[3];
    CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
    CHECK(cudaMemcpyToSymbol(coefficients, c + 3, sizeof(float), 2 * sizeof(float)));
    solve(x.data(), y.data(), n);
    int bad = 0, host = 0;
    for (int i = 0; i < n; i++)
        bad += y[i] != 0.5f * (((4 * x[i] + 4) * x[i] + 2) * x[i] + 1);
    CHECK(cudaMemcpyFromSymbol(&host, counter, sizeof host));
    CHECK(cudaMemcpyFromSymbol(back, table, sizeof back, sizeof back));
    printf("%d bad, counter %d, table %g %g\n", bad, host, back[0], back[2]);
    printf("%s\n", cudaGetErrorString(cudaMemcpyToSymbol(coefficients, c, sizeof c, 4)));

    scale<<<1, 1>>>(y.data(), 2.0f);
    float *py = y.data(), by = 0.25f;
    int m = 8;
    void *args[] = {&py, &by, &m};
    CHECK(cudaLaunchKernel((void *)scale, dim3(1), dim3(4), args, 0, 0));
    printf("%g %g %g\n", y[1], y[50], y[500]);

    int device = -1, value = 0, blocks = -1, few = -1, grid = 0;
    cudaDeviceProp p;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceProperties(&p, device));
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 100 * 1024));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, scale, 256, 40 * 1024));
    printf("%d %d %d %d %d %d\n", device, p.warpSize, p.maxThreadsPerBlock, value, blocks, few);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &value, polynomial));
    printf("%d %s\n", value, grid >= 1 ? "some" : "none");

    char pitched[4 * 16], packed[4 * 5];
    for (int i = 0; i < 64; i++)
        pitched[i] = (char)i;
    CHECK(cudaMemcpy2D(packed, 5, pitched, 16, 5, 4, cudaMemcpyHostToHost));
    printf("%d %d\n", packed[5], packed[19]);
    CHECK(cudaMemset2D(pitched, 16, 7, 2, 4));
    printf("%d %d\n", pitched[17], pitched[18]);

    /* memory that nobody has written is not zero, and not the same twice */
    float *s1, *s2;
    CHECK(cudaMalloc(&s1, 128));
    CHECK(cudaMalloc(&s2, 128));
    uninitialised<<<1, 32>>>(s1, o1);
    uninitialised<<<1, 32>>>(s2, o2);
    printf("%d %d\n", o1[3] != 0 && o1[3] == o1[3], o1[3] != o2[3]);
    CHECK(cudaFree(s1));
    CHECK(cudaFree(s2));
    CHECK(cudaFree(nullptr));
    size_t left, total;
    CHECK(cudaMemGetInfo(&left, &total));
    printf("%d %s %s\n", left <= total && left > 0, cudaGetErrorName(cudaErrorNotReady),
           cudaGetErrorString((cudaError_t)12345));
}
