#!/usr/bin/env bats
# What holds candidates and compilers: the layers in the record, and that nothing outlives its judge.
bats_require_minimum_version 1.5.0

setup() {
    export KG_DEVICE=host XDG_CACHE_HOME="$BATS_FILE_TMPDIR/cache"
    libexec=$(cd "$KG_BIN/../libexec/kg" && pwd)
    cd "$BATS_TEST_TMPDIR" || return 1
}

# record NAME BODY: a record whose solve() for vector_add has that body
record() {
    jq -nc --arg id "$1" --arg code "#include <cuda_runtime.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern \"C\" void solve(const float *a, const float *b, float *c, int n)
{
    $2
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}" '{id: $id, task_id: "vector_add", kernel_code: $code}'
}

# below PID: it and all of its descendants
below() {
    local child
    echo "$1"
    for child in $(pgrep -P "$1"); do
        below "$child"
    done
}

# await COMMAND...: until it succeeds; false after 20 s
await() {
    local i
    for ((i = 0; i < 1000; i++)); do
        "$@" && return 0
        sleep 0.02
    done
    false
}

workers_below() {
    [ "$(below "$1" | wc -l)" -ge "$2" ]
}

all_gone() {
    local pid
    for pid in "$@"; do
        [ ! -e "/proc/$pid" ] || return 1
    done
}

layers() {
    record honest "" | kg-verify | jq -r .verify.sandbox
}

@test "the record names the layers that hold" {
    run layers
    [ "$status" -eq 0 ]
    [[ $output == *rlimit* ]]
    [[ $output == *seccomp* ]]
}

@test "--sandbox require holds all layers or says which are refused" {
    record honest "" >in
    run --separate-stderr kg-verify --sandbox require in
    if [ "$(jq -r .status <<<"$output")" = PASSED ]; then
        run jq -r .verify.sandbox <<<"$output"
        for layer in user pid net ipc mount seccomp rlimit; do
            [[ ,$output, == *,$layer,* ]]
        done
    else
        # shellcheck disable=SC2154 # set by run
        [[ $output$stderr == *"the kernel refuses parts of the sandbox"* ]]
    fi
}

@test "a candidate is not root, has no network and cannot write outside of its /tmp" {
    record refused '
    if (getuid() == 0) _exit(41);
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0) _exit(42);
    if (open("'"$BATS_TEST_TMPDIR"'/mark", O_CREAT | O_WRONLY, 0666) >= 0) _exit(43);
    if (open("/etc/kg-mark", O_CREAT | O_WRONLY, 0666) >= 0) _exit(44);
    if (open("/tmp/mark", O_CREAT | O_WRONLY, 0666) < 0) _exit(45);
    if (execl("/bin/sh", "sh", "-c", "exit 0", (char *)0) == 0) _exit(46);' >in
    [[ $(layers) == *mount* ]] || skip "no mount namespaces here"
    run --separate-stderr kg-verify in
    jq -e '.status == "PASSED"' <<<"$output" || { echo "$output"; false; }
    [ ! -e mark ]
    [ ! -e /tmp/mark ]
}

@test "the environment of a candidate is clean, and it holds no descriptor but its own" {
    record clean '
    if (getenv("KG_SECRET") || getenv("HOME") == nullptr) _exit(41);
    for (int fd = 5; fd < 256; fd++)
        if (fcntl(fd, F_GETFD) >= 0) _exit(42);' >in
    KG_SECRET=1 run --separate-stderr kg-verify in 9</dev/null 77</dev/null
    jq -e '.status == "PASSED"' <<<"$output" || { echo "$output"; false; }
}

@test "by name a candidate finds in its worker what the device's headers declare, nothing else" {
    nm -D --defined-only "$libexec/kg-worker" | awk '{print $NF}' |
        grep -vE '@|^__(asan|lsan|ubsan|sanitizer|interceptor)_' | sort >exported
    { grep -oh 'kg_host_[a-z0-9_]*' "$KG_TOP"/share/kg/include/kg/*.h && echo __assert_fail; } | sort -u >declared
    grep -q kg_host_call exported
    [ -z "$(comm -23 exported declared)" ] || { comm -23 exported declared; false; }
    [ "$(nm -D --defined-only "$libexec/kg-init" 2>/dev/null | grep -c ' kg_')" = 0 ]
    record looks_around '
    void *own = dlopen(nullptr, RTLD_NOW);
    for (const char *name : {"kg_wire_tell", "kg_guarded_slots", "kg_native_go", "kg_host_take_launches"})
        if (dlsym(RTLD_DEFAULT, name) || dlsym(own, name)) _exit(41);
    if (!dlsym(RTLD_DEFAULT, "kg_host_call")) _exit(42);' >in
    kg-verify in | jq -e '.status == "PASSED"'
}

@test "kill(-1) and kill(1) from a candidate harm nobody" {
    record kills 'kill(-1, SIGTERM); kill(1, SIGKILL); kill(getppid(), SIGKILL);' >in
    record honest "" >>in
    sleep 100 &
    bystander=$!
    run --separate-stderr kg-verify in
    [ "$status" -eq 0 ]
    [ "$(jq -r .status <<<"${lines[1]}")" = PASSED ]
    kill "$bystander"
}

@test "SIGKILL of kg-verify takes reference, candidate and all of their children along" {
    record endless 'signal(SIGTERM, SIG_IGN); signal(SIGHUP, SIG_IGN);
    if (!fork()) { setsid(); fork(); for (;;) pause(); }
    for (;;) pause();' >in
    kg-verify in >out 2>err &
    judge=$!
    await workers_below "$judge" 6
    mapfile -t pids < <(below "$judge")
    kill -KILL "$judge"
    await all_gone "${pids[@]}"
    [ ! -s out ]
}

@test "SIGKILL of the workers' kg-init leaves nothing, and the judge goes on" {
    record endless 'for (int i = 0; i < 20; i++)
        if (!fork()) { setsid(); for (;;) pause(); }
    for (;;) pause();' >in
    record honest "" >>in
    kg-verify -j 1 --call-timeout 60 --timeout 60 in >out 2>err &
    judge=$!
    await workers_below "$judge" 20
    mapfile -t pids < <(below "$judge" | tail -n +2)
    pkill -KILL -P "$judge" -x kg-init
    await all_gone "${pids[@]}"
    wait "$judge"
    cat out err
    [ "$(wc -l <out)" -eq 2 ]
    [ "$(tail -1 out | jq -r .status)" = PASSED ]
}

@test "SIGKILL of kg-compile takes its compilers along" {
    { echo 'template <int N> struct f { static const long v = f<N - 1>::v + f<N - 2>::v; };'
      for ((i = 0; i < 400; i++)); do
          echo "template <int N> struct g$i { static const int v = g$i<N - 1>::v + $i; };"
          echo "template <> struct g$i<0> { static const int v = 0; };"
          echo "int u$i = g$i<800>::v;"
      done
      echo 'extern "C" void solve(const float *, const float *, float *, int) {}'; } >slow.cu
    kg-compile -t "$KG_TOP/share/kg/tasks/vector_add.yaml" --target host slow.cu >out 2>err &
    judge=$!
    await workers_below "$judge" 4
    mapfile -t pids < <(below "$judge")
    kill -KILL "$judge"
    await all_gone "${pids[@]}"
}

@test "programs of libexec say what they are when they are started by hand" {
    run "$libexec/kg-init"
    [ "$status" -eq 2 ]
    [[ $output == *"started by kg's other programs"* ]]
    run "$libexec/kg-worker" 3<&-
    [ "$status" -eq 2 ]
    [[ $output == *"started by kg-verify and kg-profile"* ]]
}
