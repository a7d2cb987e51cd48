#!/usr/bin/env bats
# --compat kernelgym: tolerances, means, its mark in every record; and KG_CPUS.
bats_require_minimum_version 1.5.0

setup() {
    export KG_DEVICE=host
    cd "$BATS_TEST_TMPDIR" || return 1
}

record() {
    jq -cn --arg task "$1" --rawfile code "$2" '{task_id: $task, kernel_code: $code}'
}

good() {
    record vector_add "$KG_TOP/share/kg/tasks/vector_add.cu"
}

# off by a third of a percent everywhere
rough() {
    sed 's/x\.\(.\) + y\.\1/(x.\1 + y.\1) * 1.003f/g; s/a\[i\] + b\[i\]/(a[i] + b[i]) * 1.003f/' \
        "$KG_TOP/share/kg/tasks/vector_add.cu" >rough.cu
    record vector_add rough.cu
}

@test "an error of 0.3 % is that of a lower format, and right with --compat kernelgym, which says so" {
    rough >in
    kg-verify in | jq -e '.status == "PRECISION_DOWNGRADE" and (.verify | has("compat") | not)'
    kg-verify --compat none in | jq -e '.status == "PRECISION_DOWNGRADE" and (.verify | has("compat") | not)'
    kg-verify --compat kernelgym in | jq -e '.status == "PASSED" and .verify.compat == "kernelgym"
        and .verify.tolerance.rtol == 0.01 and .verify.tolerance.atol == 0.01'
}

@test "an error of 5 % is wrong all the same, and marked too" {
    rough | sed 's/1\.003f/1.05f/g' | kg-verify --compat kernelgym |
        jq -e '.status == "INCORRECT_NUMERICAL" and .verify.compat == "kernelgym"'
}

@test "--rtol and --atol win over --compat" {
    rough | kg-verify --compat kernelgym --rtol 1e-3 --atol 1e-6 |
        jq -e '.status == "PRECISION_DOWNGRADE" and .verify.tolerance.rtol == 0.001'
}

@test "kg-profile gives means, and their ratio is the speedup" {
    good | kg-profile --raw --compat kernelgym >out
    jq -e '.status == "PASSED" and .verify.compat == "kernelgym" and .profile.compat == "kernelgym"
        and .profile.l2 == "warm"' out
    jq -e 'def near($a; $b): ($a / $b - 1 | fabs) < 1e-9;
        near(.kernel_runtime_ms * 1000; .profile.kernel_us.mean)
        and near(.reference_runtime_ms * 1000; .profile.reference_us.mean)
        and near(.speedup; .profile.reference_us.mean / .profile.kernel_us.mean)
        and near(.profile.kernel_us.mean; .profile.kernel_us.raw | add / length)
        and .speedup == .profile.speedup' out
}

# A candidate that says on how many processors it may run, by being wrong everywhere by that many.
counts_processors() {
    {
        echo '#include <sched.h>'
        echo 'static float processors() { cpu_set_t s; sched_getaffinity(0, sizeof s, &s); return CPU_COUNT(&s); }'
        echo '#include <cuda_runtime.h>'
        echo '__global__ void tell(float *c, int n, float v) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) c[i] = v; }'
        echo 'extern "C" void solve(const float *a, const float *b, float *c, int n)'
        echo '{ tell<<<(n + 255) / 256, 256>>>(c, n, 1000 * processors()); }'
    } >count.cu
    record vector_add count.cu
}

@test "KG_CPUS is where workers run" {
    [ "$(nproc)" -ge 2 ] || skip "one processor"
    first=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
    counts_processors >in
    KG_CPUS=$first kg-verify in | jq -e '.verify.worst.got == 1000'
    kg-verify in | jq -e --argjson n "$(nproc)" '.verify.worst.got == 1000 * $n'
}

@test "KG_CPUS that is no list, or none of this machine, is a usage error" {
    for bad in x 1- 3-1 -1 1,,2; do
        KG_CPUS=$bad run --separate-stderr kg-verify /dev/null
        [ "$status" -eq 2 ]
        [[ $stderr == "kg-verify: KG_CPUS: '$bad' is no list"* ]]
    done
    KG_CPUS=1020-1023 run --separate-stderr kg-verify /dev/null
    [ "$status" -eq 2 ]
    [[ $stderr == *"none of the processors '1020-1023' can be used" ]]
}
