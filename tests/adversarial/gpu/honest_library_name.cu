// task: vector_add
// verdict: PASSED
// A kernel of its own with a library's name, and words that frighten text searches: pass, try, //.
#include <cuda_runtime.h>

namespace at {
namespace native {
__global__ void my_kernel(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // the thread of a stream: try, except, pass
    if (i < n)
        c[i] = a[i] + b[i];
}
} // namespace native
} // namespace at

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    at::native::my_kernel<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
