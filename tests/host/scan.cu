/* Prefix sums: Blelloch in shared memory, by warps, and with decoupled look-back between blocks. */
#include <cstdio>
#include <vector>

template <typename T, int N> __global__ void blelloch(const T *in, T *out)
{
    __shared__ T s[N];
    int t = threadIdx.x;
    s[2 * t] = in[2 * t];
    s[2 * t + 1] = in[2 * t + 1];
    int offset = 1;
    for (int d = N >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            s[b] += s[a];
        }
        offset *= 2;
    }
    if (t == 0)
        s[N - 1] = 0;
    for (int d = 1; d < N; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            T x = s[a];
            s[a] = s[b];
            s[b] += x;
        }
    }
    __syncthreads();
    out[2 * t] = s[2 * t];
    out[2 * t + 1] = s[2 * t + 1];
}

__device__ int warp_scan(int v)
{
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        int o = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += o;
    }
    return v;
}

__device__ int block_scan(int v)
{
    __shared__ int sums[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_scan(v);
    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0)
        sums[lane] = warp_scan(lane < blockDim.x / 32 ? sums[lane] : 0);
    __syncthreads();
    return v + (warp ? sums[warp - 1] : 0);
}

/* One pass: a block publishes its aggregate, then adds what lies before it, spinning on flags. */
__device__ unsigned ticket;

__global__ void look_back(const int *in, int *out, volatile int *flag, volatile int *aggregate,
                          volatile int *prefix, int n)
{
    __shared__ int block, before;
    if (threadIdx.x == 0)
        block = (int)atomicAdd(&ticket, 1u);
    __syncthreads();
    int i = block * blockDim.x + threadIdx.x;
    int v = block_scan(i < n ? in[i] : 0);
    if (threadIdx.x == blockDim.x - 1) {
        aggregate[block] = v;
        __threadfence();
        flag[block] = 1;
        int sum = 0;
        for (int p = block - 1; p >= 0; p--) {
            int f;
            while ((f = flag[p]) == 0)
                ;
            __threadfence();
            if (f == 2) {
                sum += prefix[p];
                break;
            }
            sum += aggregate[p];
        }
        prefix[block] = sum + v;
        __threadfence();
        flag[block] = 2;
        before = sum;
    }
    __syncthreads();
    if (i < n)
        out[i] = before + v;
}

/* Waits for a block with a HIGHER number: works only where blocks are resident together. */
__global__ void backwards(volatile int *flag, int *order)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x + 1 < gridDim.x)
            while (flag[blockIdx.x + 1] == 0) {
            }
        order[blockIdx.x] = atomicAdd((int *)order + gridDim.x, 1);
        __threadfence();
        flag[blockIdx.x] = 1;
    }
}

extern "C" void program(void)
{
    std::vector<long long> a(512), b(512);
    for (int i = 0; i < 512; i++)
        a[i] = i * i;
    blelloch<long long, 512><<<1, 256>>>(a.data(), b.data());
    long long s = 0;
    int bad = 0;
    for (int i = 0; i < 512; i++) {
        bad += b[i] != s;
        s += a[i];
    }
    printf("blelloch: %d bad\n", bad);

    const int n = 20011, block = 128, blocks = (n + block - 1) / block;
    std::vector<int> in(n), out(n);
    int *state;
    cudaMalloc(&state, 3 * blocks * sizeof(int));
    cudaMemset(state, 0, 3 * blocks * sizeof(int));
    for (int i = 0; i < n; i++)
        in[i] = i % 10;
    unsigned zero = 0;
    cudaMemcpyToSymbol(ticket, &zero, sizeof zero);
    look_back<<<blocks, block>>>(in.data(), out.data(), state, state + blocks, state + 2 * blocks,
                                 n);
    bad = 0;
    for (int i = 0, sum = 0; i < n; i++) {
        sum += in[i];
        bad += out[i] != sum;
    }
    printf("look-back: %d bad\n", bad);
    cudaMemset(state, 0, 3 * blocks * sizeof(int));
    int *order;
    cudaMalloc(&order, 17 * sizeof(int));
    cudaMemset(order, 0, 17 * sizeof(int));
    backwards<<<16, 128>>>(state, order);
    bad = 0;
    for (int i = 0; i < 16; i++)
        bad += order[i] != 15 - i;
    printf("backwards: %d bad\n", bad);
    cudaFree(state), cudaFree(order);
}
