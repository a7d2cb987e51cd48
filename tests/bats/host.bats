#!/usr/bin/env bats
# The host device through the programs: kernels as people write them, in kg-compile | kg-verify.
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache KG_DEVICE=host
}

# a task: y[i] = 2 x[i]
scale_task() {
    cat >scale.yaml <<'YAML'
task_id: scale
axes: {n: 5000}
host_axes: {n: 5000}
cases:
  - {n: 1}
  - {n: 257}
args:
  - {name: x, dtype: float32, shape: [n], init: randn}
  - {name: y, dtype: float32, shape: [n], role: out}
  - {name: n, dtype: int32}
entry: solve
reference: |
  void reference(const double *x, double *y, int n)
  {
      for (int i = 0; i < n; i++)
          y[i] = 2 * x[i];
  }
baseline: |
  __global__ void twice(const float *x, float *y, int n)
  {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n)
          y[i] = 2 * x[i];
  }
  extern "C" void solve(const float *x, float *y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
YAML
}

# judge FILE: status and message of a candidate for it
judge() {
    scale_task
    run bash -c 'set -o pipefail
        kg-compile --target host -t scale.yaml "$1" | kg-verify -t scale.yaml |
        jq -r "[.status, .error_message] | map(. // \"-\") | join(\" \")"' - "$1"
}

@test "a kernel with shared memory, a barrier and shuffles passes" {
    cat >a.cu <<'CU'
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    float v = s[255 - threadIdx.x];
    v = __shfl_xor_sync(0xffffffff, v, 31);
    s[threadIdx.x ^ 31 ^ 255] = v;
    __syncthreads();
    if (i < n)
        y[i] = 2 * x[i];
}
extern "C" void solve(const float *x, float *y, int n)
{
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
CU
    judge a.cu
    [ "$status" -eq 0 ]
    [ "$output" = "PASSED -" ]
}

@test "a divergent barrier is told, with both places" {
    cat >a.cu <<'CU'
__global__ void k(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 2)
        __syncthreads();
    else
        __syncwarp();
    if (i < n)
        y[i] = 2 * x[i];
}
extern "C" void solve(const float *x, float *y, int n)
{
    k<<<(n + 255) / 256, 256>>>(x, y, n);
}
CU
    judge a.cu
    [ "$status" -eq 0 ]
    [[ $output = RUNTIME_ERROR*"divergent barrier in 'k'"* ]]
    [[ $output = *"in __syncthreads() at line 5"* ]]
    [[ $output = *"in __syncwarp() at line 7"* ]]
}

@test "too many threads is a launch error that names the kernel" {
    cat >a.cu <<'CU'
__global__ void k(const float *x, float *y, int n) {}
extern "C" void solve(const float *x, float *y, int n)
{
    k<<<1, 2048>>>(x, y, n);
}
CU
    judge a.cu
    [ "$status" -eq 0 ]
    [[ $output = LAUNCH_ERROR*"'k' at line 4"*"2048"* ]]
}

@test "what host lacks is UNSUPPORTED, by name and line" {
    cat >a.cu <<'CU'
__global__ void k(const float *x, float *y, int n)
{
    asm volatile("bar.sync 1, 32;");
}
extern "C" void solve(const float *x, float *y, int n)
{
    k<<<1, 32>>>(x, y, n);
}
CU
    judge a.cu
    [ "$status" -eq 0 ]
    [[ $output = UNSUPPORTED*"candidate.cu:3:"*"PTX"* ]]
}

@test "scratch memory that is not initialised does not pass for zero" {
    cat >a.cu <<'CU'
#include <cuda_runtime.h>
__global__ void k(const float *x, float *y, const float *scratch, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i] + scratch[i];
}
extern "C" void solve(const float *x, float *y, int n)
{
    float *scratch;
    cudaMalloc(&scratch, n * sizeof(float));
    k<<<(n + 255) / 256, 256>>>(x, y, scratch, n);
    cudaFree(scratch);
}
CU
    judge a.cu
    [ "$status" -eq 0 ]
    [[ $output = INCORRECT_NUMERICAL* || $output = NONDETERMINISTIC* ]]
}

@test "an error of the compiler has the candidate's own line, behind a launch on several lines" {
    cat >a.cu <<'CU'
__global__ void k(const float *x, float *y, int n) {}
extern "C" void solve(const float *x, float *y, int n)
{
    k<<<1,
        32>>>(x,
              y, n);
    undeclared = 3;
}
CU
    judge a.cu
    [ "$status" -eq 0 ]
    [[ $output = COMPILE_ERROR*":7:"*undeclared* ]]
}
