// task: vector_add
// verdict: PASSED
// Writes rubbish to every descriptor, then does its work: dropped, and noted (11's honest twin).
#include <unistd.h>
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    for (int fd = 0; fd < 16; fd++)
        if (write(fd, "rubbish", 7) < 0)
            continue;
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
