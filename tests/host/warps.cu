#include <cstdio>
#include <vector>

__global__ void ops(unsigned *out)
{
    unsigned t = threadIdx.x, lane = t % 32, *o = out + 24 * t;
    const unsigned all = 0xffffffffu;
    o[0] = __ballot_sync(all, lane % 5 == 0);
    o[1] = __any_sync(all, t == 40);
    o[2] = __all_sync(all, t < 40);
    o[3] = __shfl_sync(all, t, 3);
    o[4] = __shfl_sync(all, t, 3, 8);
    o[5] = __shfl_up_sync(all, t, 2, 16);
    o[6] = __shfl_down_sync(all, t, 2, 16);
    o[7] = __shfl_xor_sync(all, t, 5);
    o[8] = __shfl_xor_sync(all, t, 16, 8);
    o[9] = (unsigned)(int)__shfl_sync(all, -1.5 * t, 31) + (unsigned)__shfl_sync(all, (double)t, 31);
    o[10] = (unsigned)(__shfl_sync(all, (long long)t << 40, 7) >> 40);
    o[11] = __reduce_add_sync(all, t);
    o[12] = (unsigned)__reduce_min_sync(all, -(int)t);
    o[13] = __reduce_max_sync(all, t) + __reduce_or_sync(all, 1u << lane % 4) + __reduce_and_sync(all, 6u | lane);
    o[14] = __match_any_sync(all, lane / 8);
    int pred;
    o[15] = __match_all_sync(all, 7, &pred) + (unsigned)pred;
    o[16] = __match_all_sync(all, lane, &pred) + (unsigned)pred;
    if (lane < 16)
        o[17] = __shfl_down_sync(0x0000ffffu, t, 8, 16);
    else
        o[17] = __shfl_up_sync(0xffff0000u, t, 8, 16);
    o[18] = lane % 2 ? __ballot_sync(0xaaaaaaaau, lane > 20) : __ballot_sync(0x55555555u, lane > 20);
    o[19] = (unsigned)__syncthreads_count(t % 3 == 0);
    o[20] = (unsigned)__syncthreads_and(t < 64) + 10 * (unsigned)__syncthreads_or(t == 63);
    o[21] = lane < 10 ? __popc(__activemask()) : 0;
    o[22] = __shfl_sync(all, t, 35);
    o[23] = (unsigned)__shfl_sync(all, (signed char)-3, 0) + (unsigned)__shfl_sync(all, true, 1);
}

/* a partial warp: lanes that do not exist count as exited */
__global__ void partial(int *out)
{
    int v = threadIdx.x;
    for (int o = 16; o; o /= 2) {
        int other = __shfl_down_sync(0xffffffffu, v, o);
        if (threadIdx.x + o < blockDim.x)
            v += other;
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

/* a lane runs ahead with one group while another has not yet read */
__global__ void ahead(int *out)
{
    int t = threadIdx.x, v = t;
    if (t < 2)
        v = __shfl_sync(3u, v, 1);
    if (t >= 1 && t < 3)
        v = __shfl_sync(6u, v + 10, 2) + __shfl_sync(6u, 100, 1);
    out[t] = v;
}

/* early exits between shuffles and barriers */
__global__ void leaving(int *out)
{
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++) {
        if (t >= 64 >> k)
            return;
        __syncthreads();
        unsigned m = __activemask();
        int n = __syncthreads_count(1);
        if (t == 0)
            out[k] = __popc(m) + 100 * n;
    }
}

__managed__ int p[4];

extern "C" void program(void)
{
    std::vector<unsigned> out(64 * 24);
    ops<<<1, 64>>>(out.data());
    for (int t : {0, 5, 31, 45}) {
        printf("%d:", t);
        for (int i = 0; i < 24; i++)
            printf(" %x", out[24 * t + i]);
        printf("\n");
    }
    partial<<<4, 21>>>(p);
    printf("%d %d\n", p[0], p[3]);
    ahead<<<1, 3>>>(p);
    printf("%d %d %d\n", p[0], p[1], p[2]);
    leaving<<<1, 64>>>(p);
    printf("%d %d %d %d\n", p[0], p[1], p[2], p[3]);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
