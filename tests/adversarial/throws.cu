// task: vector_add
// verdict: RUNTIME_ERROR
// An exception leaves the entry point.
#include <stdexcept>
#include <cuda_runtime.h>

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    throw std::runtime_error("no such thing");
}
