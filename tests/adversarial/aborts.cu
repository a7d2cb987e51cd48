// task: vector_add
// verdict: CRASH
#include <cstdlib>
#include <cuda_runtime.h>

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    abort();
}
