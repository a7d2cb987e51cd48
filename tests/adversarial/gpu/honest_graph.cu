// task: vector_add
// verdict: PASSED
// Replays a CUDA graph that recomputes; one graph for each set of pointers.
#include <map>
#include <tuple>
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static std::map<std::tuple<const float *, const float *, float *, int>, cudaGraphExec_t> graphs;

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    cudaGraphExec_t &g = graphs[{a, b, c, n}];
    if (!g) {
        cudaStream_t s;
        cudaGraph_t graph;
        cudaStreamCreate(&s);
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);
        cudaStreamEndCapture(s, &graph);
        cudaGraphInstantiate(&g, graph, 0);
        cudaStreamDestroy(s);
    }
    cudaGraphLaunch(g, 0);
}
