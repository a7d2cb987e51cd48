#include <cstdio>
#include <vector>

__global__ void histogram(const unsigned char *data, size_t n, unsigned *bins)
{
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i])
            atomicAdd(bins + i, local[i]);
}

__global__ void others(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMax(&i[0], t);
    atomicMin(&i[1], -t);
    atomicSub(&i[2], 1);
    atomicOr(&u[0], 1u << t % 32);
    atomicAnd(&u[1], ~(1u << t % 31));
    atomicXor(&u[2], (unsigned)t);
    atomicInc(&u[3], 99u);
    atomicDec(&u[4], 99u);
    atomicAdd(l, 1ull << 33);
    atomicMax(l + 1, (unsigned long long)t << 40);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    /* float maximum by compare and swap */
    unsigned *w = (unsigned *)(f + 1);
    unsigned seen = *w, assumed;
    do {
        assumed = seen;
        if (__uint_as_float(assumed) >= (float)t)
            break;
        seen = atomicCAS(w, assumed, __float_as_uint((float)t));
    } while (seen != assumed);
}

/* a spin lock between threads of all blocks: needs that lanes of one warp make progress alone */
__device__ int lock_word;
__device__ __managed__ int guarded;
__global__ void locked()
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock_word, 0, 1) == 0) {
            int v = *(volatile int *)&guarded;
            *(volatile int *)&guarded = v + 1;
            __threadfence();
            atomicExch(&lock_word, 0);
            done = true;
        }
    }
}

/* the last block to arrive adds up */
__device__ __managed__ unsigned arrived = 0;
__global__ void last_block(const int *x, int *part, int *out)
{
    __shared__ bool last;
    int s = __syncthreads_count(x[blockIdx.x * blockDim.x + threadIdx.x] > 0);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s;
        __threadfence();
        unsigned old = atomicInc(&arrived, gridDim.x - 1);
        last = old == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += part[i];
        *out = sum;
    }
}

__managed__ int i[3] = {0, 0, 0}, part[8], out = -1;
__managed__ unsigned u[5] = {0, ~0u, 0, 0, 0};
__managed__ unsigned long long l[2] = {0, 0};
__managed__ float f[2] = {0, 0};
__managed__ double d = 0;

extern "C" void program(void)
{
    std::vector<unsigned char> data(100003);
    std::vector<unsigned> want(256), bins(256);
    for (size_t i = 0; i < data.size(); i++)
        want[data[i] = (unsigned char)(i * i / 7)]++;
    histogram<<<11, 192>>>(data.data(), data.size(), bins.data());
    printf("histogram %s\n", bins == want ? "right" : "wrong");

    others<<<8, 125>>>(i, u, l, f, &d);
    unsigned x = 0;
    for (unsigned t = 0; t < 1000; t++)
        x ^= t;
    printf("%d %d %d %x %x %d %u %u %llu %llu %g %g %g\n", i[0], i[1], i[2], u[0], u[1], u[2] == x,
           u[3], u[4], l[0] >> 33, l[1] >> 40, f[0], f[1], d);
    locked<<<6, 64>>>();
    printf("locked %d\n", guarded);
    std::vector<int> v(1024);
    int plus = 0;
    for (int k = 0; k < 1024; k++)
        plus += (v[k] = k % 3 - 1) > 0;
    last_block<<<8, 128>>>(v.data(), part, &out);
    printf("last block %s, counter back at %u\n", out == plus ? "right" : "wrong", arrived);
}
