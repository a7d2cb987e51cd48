// task: vector_add
// verdict: LATE_WRITE|ASYNC_WORK
// Returns at once; a thread launches the kernel later, on a stream that nobody waits for (6).
#include <chrono>
#include <thread>
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void nothing() {}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    nothing<<<1, 1>>>();
    std::thread([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(15));
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);
    }).detach();
}
