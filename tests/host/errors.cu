/* Launch errors as on a GPU, and what ends a kernel: told, never a hang. */
#include <cassert>
#include <cstdio>

extern "C" int kg_host_take_error(const char **text);

static void tell(const char *what)
{
    const char *text;
    cudaError_t sync = cudaDeviceSynchronize(), last = cudaPeekAtLastError();
    int e = kg_host_take_error(&text);
    printf("%s: %s, sync %d, worker %d\n    %s\n", what, cudaGetErrorName(last), sync, e, text);
}

__global__ void nothing(int *x)
{
    if (x)
        *x = 1;
}
__global__ void shared_static()
{
    __shared__ char a[40000];
    extern __shared__ char b[];
    a[threadIdx.x] = b[threadIdx.x] = 1;
}
__global__ void early_return()
{
    if (threadIdx.x >= 40)
        return;
    __syncthreads();
}
__global__ void in_branch(int *out)
{
    if (threadIdx.x < 16) {
        __syncthreads();
    } else {
        __syncwarp(0xffffffffu);
    }
    *out = 1;
}
__global__ void two_lines(int *out)
{
    if (threadIdx.x % 2)
        __syncthreads();
    else
        __syncthreads();
    *out = 1;
}
__global__ void by_warps(int *out)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    *out = 2;
}
__global__ void kinds(int *out)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        *out = __syncthreads_count(1);
}
__global__ void shuffle_in_branch(float *x)
{
    if (threadIdx.x < 16)
        x[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[threadIdx.x], 8);
    else
        __syncthreads();
}
__global__ void not_in_mask(int *x)
{
    *x = __shfl_sync(0xffff0000u, *x, 0);
}
__global__ void trapped()
{
    if (blockIdx.x == 3 && threadIdx.x == 5)
        __trap();
    __syncthreads();
}
__global__ void asserted(int n)
{
    assert(n == (int)blockDim.x);
}

extern "C" void program(void)
{
    int out = 0;
    float x[32] = {};
    nothing<<<1, 1025>>>(&out);
    tell("1025 threads");
    nothing<<<0, 32>>>(&out);
    tell("no blocks");
    nothing<<<1, dim3(16, 0)>>>(&out);
    tell("no threads");
    nothing<<<dim3(1, 65536), 32>>>(&out);
    tell("65536 in y");
    nothing<<<1, dim3(1, 1, 65)>>>(&out);
    tell("65 in z");
    nothing<<<1, 32, 49153>>>(&out);
    tell("48 KiB and one");
    nothing<<<1, 32, 0, (cudaStream_t)&out>>>(&out);
    tell("no stream");
    shared_static<<<1, 32, 16384>>>();
    tell("static and dynamic");
    printf("out %d\n", out);
    nothing<<<1, 1025>>>(&out);
    printf("taken: %s\n", cudaGetErrorName(cudaGetLastError()));
    tell("after that");
    nothing<<<1, 1025>>>(&out);
    printf("looked at: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    cudaDeviceSynchronize();
    tell("after that");
    nothing<<<1, 1>>>(0);
    nothing<<<1, 1>>>(NULL);
    early_return<<<2, 128>>>();
    tell("early return");
    in_branch<<<1, 32>>>(&out);
    tell("barrier in a branch");
    two_lines<<<1, 64>>>(&out);
    tell("two barriers in one warp");
    by_warps<<<1, 64>>>(&out);
    tell("two barriers, by warps");
    kinds<<<1, 64>>>(&out);
    tell("two kinds");
    shuffle_in_branch<<<1, 32>>>(x);
    tell("shuffle in a branch");
    not_in_mask<<<1, 1>>>(&out);
    tell("mask");
    trapped<<<7, 64>>>();
    printf("sticky: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    nothing<<<1, 1>>>(&out);
    printf("sticky: %s\n", cudaGetErrorString(cudaGetLastError()));
    printf("sticky: %s\n", cudaGetErrorString(cudaGetLastError()));
    tell("trap");
    asserted<<<2, 32>>>(32);
    tell("assertion holds");
    asserted<<<2, 32>>>(33);
    tell("assertion");
    out = 0;
    nothing<<<1, 1>>>(&out);
    tell("after all that");
    printf("out %d\n", out);
    printf("%s\n", cudaGetErrorString(cudaFree(&out)));
    printf("%s\n", cudaGetErrorString(cudaMemcpy(&out, &out, 4, (cudaMemcpyKind)9)));
    printf("%s\n", cudaGetErrorString(cudaSetDevice(1)));
    void *p;
    printf("%s\n", cudaGetErrorString(cudaMalloc(&p, (size_t)1 << 60)));
    tell("first of them");
}
