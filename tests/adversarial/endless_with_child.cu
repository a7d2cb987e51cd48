// task: vector_add
// verdict: TIMEOUT
// A child in a session of its own that stays, and a kernel without an end (20).
#include <unistd.h>
#include <cuda_runtime.h>

__global__ void spin(volatile float *c)
{
    while (c[0] != 12345.0f)
        ;
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    if (fork() == 0) {
        setsid();
        for (;;)
            pause();
    }
    spin<<<1, 1>>>(c);
    cudaDeviceSynchronize();
}
