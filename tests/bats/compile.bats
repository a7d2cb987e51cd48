#!/usr/bin/env bats
# kg-compile: sources as operands, the cache, hostile sources, GPUs' code without a GPU.
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    tasks=$KG_TOP/share/kg/tasks
    entry='void solve(const float *a, const float *b, float *c, int n) {}'
}

need_toolkit() {
    kg-compile --env | grep -q '^nvrtc: /' || skip "no CUDA toolkit"
}

# compile TARGET FILE...: [status, message] of each, one a line
compile() {
    run bash -c 'set -o pipefail; t=$1; shift; kg-compile --target "$t" -t vector_add "$@" |
        jq -c "[.status, .error_message]"' - "$@"
}

bare_task() {
    cat >bare.yaml <<'EOF'
task_id: bare
axes: {n: 1000}
args:
  - {name: x, dtype: float32, shape: [n], init: randn}
  - {name: y, dtype: float32, shape: [n], role: out}
  - {name: n, dtype: int32}
kernel: k
launch: {grid: ["ceil_div(n,256)"], block: [256]}
reference: |
  void reference(const double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }
baseline: |
  __global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }
EOF
}

@test "source files become records with the task inside" {
    run bash -c 'set -o pipefail; kg-compile --target host -t "$1/vector_add.yaml" "$1/vector_add.cu" |
        jq -r "[.id, .task_id, .task.task_id, .compiled, .compile.target, .compile.kernels[].name,
                (.kernel_code | length > 100), .kg.task_sha != null, .status == null] | @csv"' - "$tasks"
    [ "$status" -eq 0 ]
    [ "$output" = "\"$tasks/vector_add.cu\",\"vector_add\",\"vector_add\",true,\"host\",\"add4\",\"add_tail\",true,true,true" ]
}

@test "a source file without its task is a usage error" {
    echo "$entry" >a.cu
    run kg-compile --target host a.cu
    [ "$status" -eq 2 ]
    [ "$output" = "kg-compile: 'a.cu' is a source file: name its one task with -t" ]
    run kg-compile -t no_such_task a.cu
    [ "$status" -eq 2 ]
    [[ $output == "kg-compile: no task 'no_such_task' in "* ]]
}

@test "targets and devices are checked before anything is read" {
    run kg-compile --target sm90
    [ "$status" -eq 2 ]
    [ "$output" = "kg-compile: 'sm90' is no target: host, sm_NN (sm_90) or auto" ]
    run kg-compile -d gpu
    [ "$status" -eq 2 ]
    KG_DEVICE=host run -0 kg-compile --target auto </dev/null
}

@test "sources that cannot be read are told, and the others go on" {
    echo "$entry" >a.cu
    mkdir dir.cu
    run --separate-stderr kg-compile --target host -t vector_add missing.cu a.cu dir.cu
    [ "$status" -eq 2 ]
    [ "$(jq -c '[.id, .compiled]' <<<"$output")" = '["a.cu",true]' ]
    [[ ${stderr_lines[0]} == *missing.cu*'No such file'* ]]
    [[ ${stderr_lines[1]} == *dir.cu* ]]
    # alone it does not turn into a reader of standard input
    run kg-compile --target host -t vector_add missing.cu < <(echo '{"id": 1}')
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
}

@test "--env says when it cannot be written, and which places of tasks do not exist" {
    run bash -c 'kg-compile --env >/dev/full'
    [ "$status" -eq 5 ]
    [ "$output" = "kg-compile: cannot write to standard output" ]
    KG_TASKS=/nosuch run kg-compile --env
    [ "$(grep -c '^tasks: /nosuch (from KG_TASKS): does not exist$' <<<"$output")" = 1 ]
    KG_TASKS=/nosuch run kg-compile -t no_such_task
    [ "$status" -eq 2 ]
    [[ $output == *"'/nosuch' (which does not exist)"* ]]
}

@test "a backend that is no string is the record's fault" {
    for b in 3 '[]' '{}' true; do
        jq -nc --arg c "$entry" --argjson b "$b" '{task_id: "vector_add", kernel_code: $c, backend: $b}'
    done >in
    run -2 --separate-stderr kg-compile --target host in
    [ "$(jq -r .status <<<"$output" | sort | uniq -c | xargs)" = "4 BAD_RECORD" ]
    [ "$(jq -r .error_message <<<"${lines[0]}")" = "field 'backend' is a number, not a string" ]
}

# A compiler of our own on PATH: fake_cxx LINES makes one that runs them before it becomes g++.
fake_cxx() {
    mkdir -p fake
    printf '#!/bin/bash\n%s\nexec %s "$@"\n' "$1" "$(command -v g++)" >fake/g++
    chmod +x fake/g++
}

with_fake() { # status, cached, message of a.cu
    PATH=$PWD/fake:$PATH kg-compile --sandbox off --target host -t vector_add a.cu |
        jq -r '"\(.status) \(.compile.cached) \(.error_message)"'
}

@test "a compiler that the machine let down is tried again" {
    echo "$entry" >a.cu
    killed='echo "g++: fatal error: Killed signal terminated program cc1plus"; exit 1'
    fake_cxx "[ -e $PWD/mark ] || { touch $PWD/mark; $killed; }"
    run with_fake
    [ "$output" = 'null false null' ]
    # it fails for every source: not the candidate's fault, and not kept
    rm -r cache
    for words in "$killed" 'kill -9 $$' 'echo "cannot execute cc1plus: vfork"; exit 1' 'exit 1'; do
        fake_cxx "$words"
        run with_fake
        [[ $output == 'JUDGE_FAULT false '*'a source of one line does not build here either'* ]]
    done
    [ -z "$(find cache -name '*.json')" ]
    # it fails for this source alone: the candidate's, but not kept
    fake_cxx "if grep -q solve candidate.cu; then $killed; fi"
    for _ in 1 2; do
        run with_fake
        [[ $output == 'COMPILE_ERROR false '*'Killed signal'* ]]
    done
}

@test "a source that prints the words of a sick machine is a COMPILE_ERROR" {
    printf '#error fatal error: Killed signal; vfork; No space left on device\n%s\n' "$entry" >a.cu
    for _ in 1 2; do
        run bash -c 'kg-compile --target host -t vector_add a.cu | jq -c "[.status, .compile.cached]"'
        [ "$output" = '["COMPILE_ERROR",false]' ]
    done
}

@test "a full disk is nobody's compile error, and a full cache is done without" {
    unshare -m true 2>/dev/null || skip "no mount namespaces"
    echo "$entry" >a.cu
    mkdir small
    on_small() { # SIZE VARIABLE TARGET
        unshare -m bash -c 'mount -t tmpfs -o size=$1 none small && export "$2=$PWD/small" &&
            kg-compile --target "$3" -t vector_add a.cu' - "$@" |
            jq -r '"\(.status) \(.compiled) \(.error_message) \(.compile.notes[0])"'
    }
    run on_small 16k TMPDIR host
    [[ $output == 'JUDGE_FAULT '*'No space left on device'* ]]
    if kg-compile --env | grep -q '^nvrtc: /'; then
        run on_small 1500k TMPDIR sm_90
        [[ $output == 'JUDGE_FAULT '*'No space left on device'* ]]
    fi
    [ -z "$(find cache -name '*.json')" ]
    run on_small 12k XDG_CACHE_HOME host
    [[ $output == 'null true null not cached: '*'No space left on device; built in a temporary folder' ]]
    # a reference as well: the next run judges
    jq -nc --arg c "$(cat "$tasks/vector_add.cu")" '{task_id: "vector_add", kernel_code: $c}' >in
    run bash -c "unshare -m bash -c 'mount -t tmpfs -o size=16k none small && TMPDIR=\$PWD/small kg-verify -d host in' | jq -r .status"
    [ "$output" = JUDGE_FAULT ]
    run bash -c 'kg-verify -d host in | jq -r .status'
    [ "$output" = PASSED ]
}

@test "the second compile is a hit, a damaged artifact is not" {
    cached='jq -c .compile.cached'
    echo "$entry" >a.cu
    [ "$(kg-compile --target host -t vector_add a.cu | $cached)" = false ]
    [ "$(kg-compile --target host -t vector_add a.cu | $cached)" = true ]
    so=$(find cache -name '*.so')
    echo x >>"$so"
    [ "$(kg-compile --target host -t vector_add a.cu | $cached)" = false ]
    [ "$(kg-compile --target host -t vector_add a.cu | $cached)" = true ]
    echo '{"verdict":' >"${so%.so}.json"
    [ "$(kg-compile --target host -t vector_add a.cu | $cached)" = false ]
    [ "$(kg-compile --target host -t vector_add --no-cache a.cu | $cached)" = false ]
    # refusals are kept as well
    echo 'int a = b;' >b.cu
    [ "$(kg-compile --target host -t vector_add b.cu | $cached)" = false ]
    kg-compile --target host -t vector_add b.cu >second
    [ "$($cached second)" = true ]
    [ "$(jq -r .status second)" = COMPILE_ERROR ]
    [[ $(jq -r .error_message second) == "candidate.cu:1: "* ]]
}

@test "of several that want the same artifact one compiles" {
    echo "$entry // shared" >a.cu
    for i in 1 2 3 4; do
        kg-compile --target host -t vector_add a.cu >out.$i &
    done
    wait
    [ "$(cat out.* | jq -c .compile.cached | sort | tr '\n' ' ')" = "false true true true " ]
    [ "$(cat out.* | jq -r .compile.artifact | sort -u | wc -l)" -eq 1 ]
    run find cache -name '*.lock'
    [ -z "$output" ]
}

@test "the cache is bounded, the longest unused goes first" {
    for i in 1 2 3; do # some 1.1 MB each
        echo "char big${i}[1100000] = {1}; $entry" >a$i.cu
    done
    kg-compile -j 1 --cache-size 2500k --target host -t vector_add a1.cu a2.cu >/dev/null
    kg-compile --cache-size 2500k --target host -t vector_add a1.cu >/dev/null
    kg-compile --cache-size 2500k --target host -t vector_add a3.cu >/dev/null
    [ "$(kg-compile --target host -t vector_add a1.cu | jq -c .compile.cached)" = true ]
    [ "$(kg-compile --target host -t vector_add a2.cu | jq -c .compile.cached)" = false ]
}

@test "a cache that cannot be written is noted and done without" {
    echo "$entry" >a.cu
    XDG_CACHE_HOME=/proc/none run bash -c 'kg-compile --target host -t vector_add a.cu | jq -r ".compiled, .compile.notes[0]"'
    [ "${lines[0]}" = true ]
    [[ ${lines[1]} == "no cache: "*"; built in a temporary folder" ]]
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'kg-artifacts.*' -newer a.cu -user "$(id -u)" -empty)" ]
}

@test "private files cannot be read by a candidate" {
    printf '#include "/etc/passwd"\n%s\n' "$entry" >passwd.cu
    printf '#include "%s/vector_add.cu"\n' "$tasks" >baseline.cu
    echo secret >"$HOME/secret"
    printf '#include "%s/secret"\n%s\n' "$HOME" "$entry" >home.cu
    printf 'asm(".incbin \\"%s/secret\\"");\n%s\n' "$HOME" "$entry" >incbin.cu
    run bash -c 'kg-compile --sandbox require --target host -t vector_add passwd.cu </dev/null | jq -r .status'
    [ "$output" = COMPILE_ERROR ] || skip "no sandbox here"
    compile host passwd.cu baseline.cu home.cu incbin.cu
    [ "$status" -eq 0 ]
    [ "$(grep -c COMPILE_ERROR <<<"$output")" -eq 3 ]
    [ "$(grep -c UNSUPPORTED <<<"$output")" -eq 1 ] # the translator's word about asm
    [ "$(grep -c 'No such file' <<<"$output")" -eq 3 ]
    run grep -c 'root:\|solve_right\|secret.:' <<<"$output"
    [ "$output" = 0 ]
}

@test "a compile bomb ends at the time limit, and the next one is compiled" {
    cat >bomb.cu <<'EOF'
template <int N, class A, class B> struct X {
    typedef typename X<N - 1, A, X<N - 1, B, A>>::t a;
    typedef typename X<N - 1, B, X<N - 1, A, B>>::t b;
    typedef int t;
};
template <class A, class B> struct X<0, A, B> { typedef int t; };
X<60, int, char> x;
EOF
    echo "$entry" >good.cu
    run bash -c 'kg-compile -j 1 --timeout 3 --target host -t vector_add bomb.cu good.cu | jq -c "[.status, .compiled, .error_message]"'
    [ "${lines[0]}" = '["COMPILE_ERROR",false,"the compiler was stopped after the time limit of 3 s"]' ]
    [ "${lines[1]}" = '[null,true,null]' ]
    # a verdict of the clock says nothing about the source: it is not kept
    run find cache -name '*.json'
    [ "${#lines[@]}" -eq 1 ]
}

@test "a log of many megabytes is cut to its head and tail" {
    for i in $(seq 1500); do printf '#warning number %d of many, with invalid \xff bytes\n' "$i"; done >a.cu
    echo "$entry" >>a.cu
    run bash -c 'kg-compile --target host -t vector_add a.cu | jq -r ".compiled, (.compile.log | utf8bytelength <= 16384 and length > 10000), (.compile.log | contains(\"number 1 of\") and contains(\"left out\"))"'
    [ "$output" = $'true\ntrue\ntrue' ]
}

@test "no compiler at all: one message, status 3, every record answered" {
    echo "$entry" >a.cu
    kg=$(command -v kg-compile)
    run --separate-stderr env PATH=/nonexistent CUDA_HOME= "$kg" --target host -t vector_add a.cu a.cu
    [ "$status" -eq 3 ]
    [ "${#lines[@]}" -eq 2 ]
    # shellcheck disable=SC2154  # bats sets it
    [ "$stderr" = "kg-compile: no C++ compiler (g++, c++, clang++) on PATH" ]
    run --separate-stderr env CUDA_HOME=/nonexistent "$kg" --target sm_90 -t vector_add a.cu a.cu
    [ "$status" -eq 3 ]
    [ "$stderr" = "kg-compile: nvcc not found: looked in '/nonexistent'" ]
}

@test "a record is answered before the next is sent" {
    rec=$(jq -nc --arg c "$entry" '{id: 1, task_id: "vector_add", kernel_code: $c}')
    coproc kg-compile --target host
    echo "$rec" >&"${COPROC[1]}"
    read -r -t 60 line <&"${COPROC[0]}"
    [ "$(jq -c .compiled <<<"$line")" = true ]
    eval "exec ${COPROC[1]}>&-"
    wait
}

@test "an interrupt answers the record in flight and ends" {
    cat >slow.cu <<'EOF'
template <int N, class A, class B> struct X {
    typedef typename X<N - 1, A, X<N - 1, B, A>>::t a;
    typedef typename X<N - 1, B, X<N - 1, A, B>>::t b;
    typedef int t;
};
template <class A, class B> struct X<0, A, B> { typedef int t; };
X<60, int, char> x;
EOF
    kg-compile -j 1 --target host -t vector_add slow.cu >out 2>err &
    pid=$!
    for _ in $(seq 200); do # until the compiler runs
        pgrep -P "$pid" >/dev/null && break
        sleep 0.05
    done
    kill -TERM "$pid" || true # a shell's background job ignores INT
    wait "$pid" || true
    [ "$(jq -r .status out)" = JUDGE_FAULT ]
    [ "$(jq -r .error_message out)" = interrupted ]
}

@test "--redo compiles again and takes the old fault away" {
    jq -nc --arg c "$entry" '{id: 1, task_id: "vector_add", kernel_code: $c, compile: {ok: false},
        status: "COMPILE_ERROR", error_code: "COMPILATION_ERROR", error_message: "x", correctness: false}' >in
    run bash -c 'kg-compile --target host --redo in | jq -c "[.compile.ok, .compiled, .status, .error_code, .error_message, .correctness]"'
    [ "$output" = '[true,true,null,null,null,null]' ]
    run bash -c 'kg-compile --target host in | cmp - in'
    [ "$status" -eq 0 ]
}

@test "bare kernels by NVRTC: registers, shared memory, spills, standard headers" {
    need_toolkit
    bare_task
    cat >good.cu <<'EOF'
#include <cuda_runtime.h>
#include <math.h>
#include <cstdint>
template <int N> __device__ float sum(const float *x)
{
    float s = 0;
    for (int i = 0; i < N; i++)
        s += x[i];
    return s;
}
__global__ void k(const float *x, float *y, int32_t n)
{
    __shared__ float part[256];
    part[threadIdx.x] = fmaxf(-INFINITY, x[threadIdx.x]);
    __syncthreads();
    y[threadIdx.x] = sum<256>(part);
}
EOF
    cat >spill.cu <<'EOF'
extern "C" __global__ void __launch_bounds__(1024, 2) k(const float *__restrict__ x, float *y, int n)
{
    float v[64];
    for (int i = 0; i < 64; i++)
        v[i] = x[i * n];
    for (int j = 0; j < 64; j++)
        for (int i = 0; i < 64; i++)
            v[i] = fmaf(v[i], v[(i + 7) & 63], x[j]);
    for (int i = 0; i < 64; i++)
        y[i * n] = v[i];
}
EOF
    echo '__global__ void k(const float *x, double *y, int n) {}' >wrong.cu
    echo '__global__ void kk(const float *x, float *y, int n) {}' >none.cu
    printf '__global__ void k(const float *x, float *y, int n)\n{\n    y[0] = z;\n}\n' >error.cu
    run bash -c 'kg-compile --target sm_90 -t bare.yaml good.cu spill.cu wrong.cu none.cu error.cu >out; jq -c "[.status, .error_message]" out'
    [ "${lines[0]}" = '[null,null]' ]
    [ "${lines[1]}" = '[null,null]' ]
    [ "${lines[2]}" = "[\"COMPILE_ERROR\",\"parameter 2 of 'k' ('y'): the task has 'float *', the candidate 'double *'\"]" ]
    [ "${lines[3]}" = "[\"LOAD_ERROR\",\"no entry point: the task wants '__global__ void k(const float *x, float *y, int n)'\"]" ]
    [ "${lines[4]}" = '["COMPILE_ERROR","candidate.cu:3: identifier \"z\" is undefined"]' ]
    jq -se '.[0].compile.kernels[0] | .name == "k" and .registers > 0 and .shared_bytes == 1024 and .spill_bytes == 0' out
    jq -se '.[1].compile.kernels[0] | .spill_bytes > 0 and .local_bytes > 0' out
}

@test "a bare kernel with headers that NVRTC cannot read goes to nvcc" {
    need_toolkit
    bare_task
    printf '#include <vector>\n__global__ void k(const float *x, float *y, int n) { y[0] = x[0]; }\n' >a.cu
    printf '#include "no_such.h"\n__global__ void k(const float *x, float *y, int n) {}\n' >b.cu
    for _ in 1 2; do # built, and from the cache
        run bash -c 'kg-compile --target sm_90 -t bare.yaml a.cu b.cu | jq -c "[.status, .error_message, .compile.kernels[].name, .compile.notes]"'
        [ "${lines[0]}" = '[null,null,"k",["built by nvcc: a header is not made for NVRTC"]]' ]
        [[ ${lines[1]} == '["COMPILE_ERROR","candidate.cu:1: no_such.h: No such file'* ]]
    done
}

@test "NVRTC at the time limit is ended, and the next one is compiled" {
    need_toolkit
    bare_task
    cat >bomb.cu <<'EOF'
template <int N, class A, class B> struct X {
    typedef typename X<N - 1, A, X<N - 1, B, A>>::t a;
    typedef typename X<N - 1, B, X<N - 1, A, B>>::t b;
    typedef int t;
};
template <class A, class B> struct X<0, A, B> { typedef int t; };
__global__ void k(const float *x, float *y, int n) { X<60, int, char> z; }
EOF
    echo '__global__ void k(const float *x, float *y, int n) {}' >good.cu
    run bash -c 'kg-compile -j 1 --timeout 3 --target sm_90 -t bare.yaml bomb.cu good.cu | jq -c "[.status, .compiled, .error_message]"'
    [ "${lines[0]}" = '["COMPILE_ERROR",false,"the compiler was stopped after the time limit of 3 s"]' ]
    [ "${lines[1]}" = '[null,true,null]' ]
}

@test "solve by nvcc: a shared object with kg_call" {
    need_toolkit
    command -v readelf >/dev/null || skip "no readelf"
    run bash -c 'set -o pipefail; kg-compile --target sm_90 -t row_softmax "$1/row_softmax.cu" | jq -r ".compiled, .compile.kernels[].name"' - "$tasks"
    [ "$status" -eq 0 ]
    [ "$output" = $'true\nsoftmax_rows' ]
    so=$(find cache -name '*.so')
    readelf -Ws --dyn-syms "$so" | grep -q ' kg_call$'
    readelf -d "$so" | grep -q 'NEEDED.*libcudart.so' # shared: the ablation needs it
}
