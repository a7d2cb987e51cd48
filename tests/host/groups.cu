#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;
using namespace cooperative_groups;

template <unsigned N> __device__ int tile_sum(cg::thread_block_tile<N> tile, int v)
{
    for (int i = tile.size() / 2; i > 0; i /= 2)
        v += tile.shfl_down(v, i);
    return tile.shfl(v, 0);
}

__global__ void tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(warp);
    int t = block.thread_rank();
    int *o = out + t * 10;
    o[0] = cg::reduce(warp, t, cg::plus<int>());
    o[1] = cg::reduce(eight, t, cg::greater<int>());
    o[2] = tile_sum(eight, 1);
    o[3] = eight.thread_rank() + 100 * eight.meta_group_rank() + 10000 * eight.meta_group_size();
    o[4] = eight.ballot(t % 2);
    o[5] = eight.any(t == 9) + 2 * eight.all(t < 16);
    o[6] = cg::inclusive_scan(eight, 1);
    o[7] = cg::exclusive_scan(warp, t, cg::plus<int>());
    o[8] = eight.shfl_xor(t, 1);
    block.sync();
    struct pair {
        double a;
        int b;
    } p = {0.5 * t, t};
    p = eight.shfl(p, 3);
    o[9] = (int)(2 * p.a) + p.b;
    cg::sync(block);
}

__global__ void coalesced(int *out)
{
    int t = threadIdx.x;
    if (t % 3 == 1) {
        coalesced_group g = coalesced_threads();
        out[t] = g.size() * 100 + g.thread_rank();
        int sum = cg::reduce(g, t, cg::plus<int>());
        out[32 + t] = sum;
    } else {
        out[t] = -1;
        out[32 + t] = __popc(__activemask());
    }
}

__global__ void whole_grid(int *a, int *b, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        a[i] = (int)i;
    grid.sync();
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        b[i] = a[n - 1 - i];
}

extern "C" void program(void)
{
    std::vector<int> out(64 * 10);
    tiles<<<1, 64>>>(out.data());
    for (int t : {0, 9, 42, 63}) {
        for (int i = 0; i < 10; i++)
            printf("%d ", out[t * 10 + i]);
        printf("\n");
    }
    std::vector<int> c(64);
    coalesced<<<1, 32>>>(c.data());
    for (int t : {0, 1, 4, 31})
        printf("%d %d\n", c[t], c[32 + t]);
    int n = 1000;
    std::vector<int> a(n), b(n);
    int *pa = a.data(), *pb = b.data();
    void *args[] = {&pa, &pb, &n};
    printf("%d\n", cudaLaunchCooperativeKernel((void *)whole_grid, dim3(2), dim3(64), args, 0, 0));
    cudaDeviceSynchronize();
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += b[i] != n - 1 - i;
    printf("%d bad\n", bad);
    printf("%s\n", cudaGetErrorName(cudaLaunchCooperativeKernel((const void *)whole_grid, 100000,
                                                                 1024, args, 0, 0)));
    cudaGetLastError();
    whole_grid<<<1, 32>>>(pa, pb, n);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
