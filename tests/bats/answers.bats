#!/usr/bin/env bats
# Answers that no comparison refuses by itself: NaN, poison, what an output held already; and who takes
# the judge's memory. The honest candidate of each task passes.
bats_require_minimum_version 1.5.0

setup() {
    export KG_DEVICE=host
    cd "$BATS_TEST_TMPDIR" || return 1
}

# task NAME ARGS OUT: the beginning of one, with n elements
task() {
    cat <<EOF
task_id: $1
axes: {n: 65536}
cases: [{n: 1}, {n: 1000}]
args:
  - {name: x, dtype: float32, shape: [n], $2}
$3
  - {name: n, dtype: int32}
entry: solve
EOF
}

out_y='  - {name: y, dtype: float32, shape: [n], role: out}'

# kernel PARAMETERS ARGUMENTS STATEMENT: it runs for every i below n
kernel() {
    cat <<EOF
#include <cuda_runtime.h>
__global__ void k($1) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { $3 } }
extern "C" void solve($1) { k<<<(n + 255) / 256, 256>>>($2); }
EOF
}

# source_of KEY: standard input as a block of the task
source_of() {
    echo "$1: |"
    sed 's/^/  /'
}

# verdicts TASK STATEMENT...: of the task's parameters, a word for each statement
verdicts() {
    local t=$1 s
    shift
    for s; do
        kernel "$parameters" "$arguments" "$s" | jq -cR --slurp --arg s "$s" '{id: $s, kernel_code: .}'
    done | kg-verify -q -t "$t" | tee out | jq -r .status | paste -sd ' '
}

@test "poison is no answer where NaN is wanted, another NaN is" {
    parameters='const float *x, float *y, int n' arguments='x, y, n'
    {
        task root 'init: randn' "$out_y"
        echo 'void reference(const double *x, double *y, int n)
{ for (int i = 0; i < n; i++) y[i] = x[i] < 0 ? 0.0 / 0.0 : 2 * x[i]; }' | source_of reference
        kernel "$parameters" "$arguments" 'y[i] = x[i] < 0 ? nanf("") : 2 * x[i];' | source_of baseline
    } >root.yaml
    run verdicts root.yaml 'y[i] = x[i] < 0 ? 0.0f / (x[i] * 0) : x[i] + x[i];' 'if (x[i] >= 0) y[i] = x[i] + x[i];'
    [ "$output" = "PASSED UNWRITTEN_OUTPUT" ]
}

@test "a check that NaN passes is not asked about it where the reference's answer has none" {
    parameters='const float *x, float *y, int n' arguments='x, y, n'
    {
        task either_sign 'init: randn' "$out_y"
        echo '#include <math.h>
void reference(const double *x, double *y, int n)
{ for (int i = 0; i < n; i++) y[i] = fabs(x[i]) + 1; }
int check(const double *x, const double *want, int n, const double *got)
{ for (int i = 0; i < n; i++) if (fabs(fabs(got[i]) - fabs(want[i])) > 1e-5) return i + 1; return 0; }' |
            source_of reference
        kernel "$parameters" "$arguments" 'y[i] = fabsf(x[i]) + 1;' | source_of baseline
    } >either_sign.yaml
    run verdicts either_sign.yaml 'y[i] = -1 - fabsf(x[i]);' 'y[i] = nanf("");' \
        'y[i] = i == n / 2 ? nanf("") : fabsf(x[i]) + 1;' 'y[i] = i ? fabsf(x[i]) + 1 : 1 / (0 * x[i]);' \
        'y[i] = 2 * x[i];'
    [ "$output" = "PASSED NONFINITE NONFINITE NONFINITE INCORRECT_NUMERICAL" ]
    jq -es '.[1].error_message | test("elements of .y. are NaN or infinite, of the reference.s answer none")' out
}

@test "a check that NaN passes, and a reference that answers NaN: DEGENERATE_TASK" {
    parameters='const float *x, float *y, int n' arguments='x, y, n'
    {
        task nans 'init: randn' "$out_y"
        echo '#include <math.h>
void reference(const double *x, double *y, int n)
{ for (int i = 0; i < n; i++) y[i] = i ? x[i] + 3 : NAN; }
int check(const double *x, const double *want, int n, const double *got)
{ for (int i = 0; i < n; i++) if (fabs(got[i] - want[i]) > 1e-5) return i + 1; return 0; }' |
            source_of reference
        kernel "$parameters" "$arguments" 'y[i] = i ? x[i] + 3 : nanf("");' | source_of baseline
    } >nans.yaml
    run verdicts nans.yaml 'y[i] = i ? x[i] + 3 : nanf("");'
    [ "$output" = DEGENERATE_TASK ]
    jq -e '.error_message | test("NaN would pass in every case")' out
}

@test "an inout argument that needs no change makes a task DEGENERATE_TASK, one that does not" {
    parameters='float *x, int n' arguments='x, n'
    for limit in 6 1; do
        task "clamp_$limit" 'role: inout, init: randn' ''
        echo "void reference(double *x, int n)
{ for (int i = 0; i < n; i++) x[i] = x[i] > $limit ? $limit : x[i] < -$limit ? -$limit : x[i]; }" |
            source_of reference
        kernel "$parameters" "$arguments" "x[i] = fminf($limit, fmaxf(-$limit, x[i]));" | source_of baseline
    done | csplit -s -f clamp - '/^task_id: clamp_1$/'
    run verdicts clamp00 'x[i] = x[i] > 6 ? 6 : x[i] < -6 ? -6 : x[i];'
    [ "$output" = DEGENERATE_TASK ]
    jq -e '.error_message | test("inout arguments as they came would pass in every case")' out
    run verdicts clamp01 'x[i] = x[i] > 1 ? 1 : x[i] < -1 ? -1 : x[i];' 'if (n < 0) x[i] = 0;'
    [ "$output" = "PASSED INCORRECT_NUMERICAL" ]
}

# What the machine says of its free memory is made up: hardly any while a worker holds what only this
# candidate holds, enough otherwise.
@test "who leaves no memory for the judge's next case is judged all the same" {
    [ -z "${KG_SANITIZED:-}" ] || skip "a library of the sanitizer's has to be loaded first"
    cat >low.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static int is_mark(const char *status)
{
    char line[256];
    unsigned long kb = 0;
    FILE *f = fopen(status, "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmRSS: %lu", &kb);
    if (f)
        fclose(f);
    return kb > 700000 && kb < 800000;
}
int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...), low = 0;
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    *(void **)&real = dlsym(RTLD_NEXT, "open");
    if (strcmp(path, "/proc/meminfo"))
        return real(path, flags, mode);
    glob_t g;
    if (!glob("/proc/[0-9]*/status", 0, 0, &g))
        for (size_t i = 0; i < g.gl_pathc; i++)
            low = low || is_mark(g.gl_pathv[i]);
    int fd = memfd_create("meminfo", MFD_CLOEXEC);
    dprintf(fd, "MemFree: 1 kB\nMemAvailable:    %lu kB\n", low ? 1 : 1ul << 26);
    lseek(fd, 0, SEEK_SET);
    return fd;
}
EOF
    cat >eats.cu <<'EOF'
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
__global__ void k(const float *a, const float *b, float *c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }
extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    static char *p = [] { char *q = (char *)malloc(750000000); if (q) memset(q, 1, 750000000); return q; }();
    k<<<(n + 255) / 256, 256>>>(a, b, c, p ? n : 0);
}
EOF
    cc -shared -fPIC -o low.so low.c -ldl
    jq -cn --rawfile code eats.cu '{task_id: "vector_add", kernel_code: $code},
        {task_id: "vector_add", kernel_code: ($code | sub("a\\[i\\] \\+ b\\[i\\]"; "a[i] - b[i]"))}' | kg-compile -q >in
    LD_PRELOAD=$PWD/low.so kg-verify -q -j 1 in >out
    [ "$(jq -r .status out | tr '\n' ' ')" = "PASSED INCORRECT_NUMERICAL " ] || { jq -c '[.status, .error_message]' out; false; }
}
