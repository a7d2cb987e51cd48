#!/usr/bin/env bats
# Devices that are not there, are lost, or are shared.
bats_require_minimum_version 1.5.0
load helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

one_line_and_status_3() { # COMMAND...
    run --separate-stderr "$@"
    [ "$status" -eq 3 ]
    [ -z "$output" ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == "$(basename "$1"): "?* ]]
}

@test "a GPU that is not visible: one message, status 3" {
    good >in
    CUDA_VISIBLE_DEVICES='' one_line_and_status_3 kg-verify -d cuda:0 in
    CUDA_VISIBLE_DEVICES='' one_line_and_status_3 kg-profile -d cuda:0 in
    CUDA_VISIBLE_DEVICES='' one_line_and_status_3 kg-verify -d cuda in
}

@test "a GPU that is not there: one message, status 3" {
    good >in
    one_line_and_status_3 kg-verify -d cuda:77 in
    one_line_and_status_3 kg-profile -d cuda:77 in
}

@test "no GPU visible: auto is the host" {
    export CUDA_VISIBLE_DEVICES=''
    run kg-verify --env
    [ "$status" -eq 0 ]
    [[ $output == *"device: host"* ]]
}

@test "all visible devices, several records at once" {
    need_gpu
    for i in 1 2 3 4 5 6; do good "{id: $i}"; done >in
    kg-compile -q -d cuda in | kg-profile -d cuda -j 3 --max-time 0.5 >out
    jq -es 'map(.id) == [1, 2, 3, 4, 5, 6] and all(.status == "PASSED")' out
}

# A judge of an endless candidate gets a signal in the middle of it; what it answers is in 'out'.
end_while_endless_runs() { # SIGNAL
    record row_softmax "$KG_TOP/share/kg/examples/row_softmax/endless.cu" >in
    kg-compile -q -d "$device" in >built
    kg-verify -q -d "$device" --call-timeout 60 built >out 3>&- &
    pid=$!
    for _ in $(seq 100); do
        pgrep -x kg-worker >/dev/null && break
        sleep 0.1
    done
    sleep 3
    kill -"$1" "$pid"
    wait "$pid" || true # run would wait in a subshell, where it is nobody's child
}

@test "a judge that is killed leaves nothing on the device" {
    need_gpu
    before=$(memory_mib)
    end_while_endless_runs KILL
    nothing_left "$before"
    good | kg-verify -q -d "$device" | jq -e '.status == "PASSED"'
}

@test "an interrupted judge answers what it has, and leaves nothing" {
    need_gpu
    before=$(memory_mib)
    end_while_endless_runs TERM
    jq -e '.status == "JUDGE_FAULT" and (.error_message | test("interrupted"))' out
    nothing_left "$before"
}

@test "filters of a pipe share the device" {
    need_gpu
    for i in 1 2 3 4; do good "{id: $i}"; done >in
    kg-compile -q -d "$device" in | kg-verify -q -d "$device" -j 2 |
        kg-profile -q -d "$device" --max-time 0.5 >out
    jq -es 'length == 4 and all(.status == "PASSED" and .profile.stop != null)' out
}

@test "--compat kernelgym is marked, and times a warm cache" {
    need_gpu
    record vector_add "$KG_TOP/share/kg/tasks/vector_add.cu" '{id: "warm"}' >in
    kg-verify -q -d "$device" --compat kernelgym in |
        kg-profile -q -d "$device" --compat kernelgym --max-time 1 >out
    jq -e '.status == "PASSED" and .verify.compat == "kernelgym" and .profile.compat == "kernelgym"
        and .profile.l2 == "warm" and .verify.tolerance.rtol == 0.01
        and (.kernel_runtime_ms * 1000 - .profile.kernel_us.mean | fabs) < 1e-6' out
}

# A program of tests/gpu/programs, built once a file.
program() { # NAME: its path
    local bin=$BATS_FILE_TMPDIR/$1
    case $1 in
    *.so.1) [ -e "$bin" ] || cc -shared -fPIC -o "$bin" "$KG_TESTS/gpu/programs/nvml_hot.c" ;;
    *) [ -e "$bin" ] || nvcc -arch=native -o "$bin" "$KG_TESTS/gpu/programs/$1.cu" ;;
    esac
    echo "$bin"
}

beside_a_neighbour() { # busy|idle: one record is verified alone and timed beside him, into 'out'
    good | kg-verify -q -d "$device" >in
    "$(program neighbour)" "$1" 60 >ready 3>&- &
    neighbour=$!
    for _ in $(seq 100); do
        [ -s ready ] && break
        sleep 0.1
    done
    kg-profile -q -d "$device" --max-time 0.5 in >out
    kill "$neighbour"
    wait "$neighbour" || true
}

# Where the management library numbers processes as we do not, nobody can be told apart.
need_pids() {
    "$(program neighbour)" idle 20 >ready 3>&- &
    neighbour=$!
    sleep 3
    run nvidia-smi --query-compute-apps=pid --format=csv,noheader
    kill "$neighbour"
    wait "$neighbour" || true
    [[ $output == *"$neighbour"* ]] || skip "the management library tells no pids of ours: '$output'"
}

@test "somebody else's program at work on the device: a fault of nobody here" {
    need_gpu
    need_pids
    beside_a_neighbour busy
    jq -e '.status == "JUDGE_FAULT" and .reward == null
        and (.error_message | test("\\(neighbour\\), which is not of kg, used device cuda:0"))' out
}

@test "somebody else's program that does nothing disturbs nobody" {
    need_gpu
    beside_a_neighbour idle
    jq -e '.status == "PASSED"' out
}

@test "rounds on a slowed device are thrown away, then published as such" {
    need_gpu
    program libnvidia-ml.so.1
    good | kg-verify -q -d "$device" >in
    LD_LIBRARY_PATH=$BATS_FILE_TMPDIR:$LD_LIBRARY_PATH kg-profile -q -d "$device" --max-time 0.5 in >out
    jq -e '.status == "PASSED" and .profile.device.throttled and .profile.device.sm_clock_mhz == 345' out
    kg-profile -q -d "$device" --max-time 0.5 in | jq -e '.profile.device.throttled == false'
}
