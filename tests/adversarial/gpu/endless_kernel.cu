// task: vector_add
// verdict: TIMEOUT
// A kernel that never ends, and a child in a session of its own that holds device memory (20).
#include <unistd.h>
#include <cuda_runtime.h>

__global__ void endless(volatile float *c)
{
    while (c[0] != 1234567.0f)
        ;
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    if (fork() == 0) {
        setsid();
        pause();
    }
    endless<<<1, 1>>>(c);
}
