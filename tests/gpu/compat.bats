#!/usr/bin/env bats
# On a GPU --compat kernelgym times by events, and a worker shows candidates nothing of its own.
bats_require_minimum_version 1.5.0
load helper

setup_file() {
    have_gpu || return 0
    cd "$BATS_FILE_TMPDIR" || return 1
    good '{id: "kernel"}' >in
    record row_softmax "$KG_TOP/share/kg/tasks/row_softmax.cu" '{id: "softmax"}' >>in
    kg-compile -d "$device" in >built
    kg-profile -q -d "$device" -j 1 --max-time 1 built >plain
    kg-profile -q -d "$device" -j 1 --max-time 1 --compat kernelgym built >compat
}

setup() {
    need_gpu
}

@test "the record names its timer" {
    jq -es 'length == 2 and all(.status == "PASSED" and .profile.timer == "cupti" and .profile.l2 == "cold")' plain
    jq -es 'length == 2 and all(.status == "PASSED" and .profile.timer == "events" and .profile.l2 == "warm"
        and .profile.compat == "kernelgym")' compat ||
        { jq -c '[.id, .status, .error_message, .profile.timer]' compat; false; }
    kg-profile -d "$device" --compat kernelgym --env </dev/null | grep -q '^device: .* timer events'
}

@test "events stand around what the tracer shows, inside of the judge's window" {
    jq -es 'all(.profile | .kernel_us.median >= 0.9 * .busy_us and .kernel_us.median < .window_us
        and .reference_us.median > 0 and .gap_share >= -0.1 and (.kernels | length) >= 1
        and .coverage.time == 1)' compat || { jq -c .profile compat; false; }
}

@test "baseline and candidate are timed alike: means, and a speedup of 1 within 10 %" {
    jq -es 'all(.speedup > 0.9 and .speedup < 1.1
        and (.speedup - .profile.reference_us.mean / .profile.kernel_us.mean | fabs) < 1e-9)' compat ||
        { jq -c '[.id, .speedup, .profile.kernel_us, .profile.reference_us]' compat; false; }
}

@test "a candidate that forges what its events say gets nothing for it" {
    record vector_add "$KG_TESTS/gpu/candidates/forges_events.cu" | kg-compile -d "$device" >forged
    kg-profile -q -d "$device" --max-time 1 forged | jq -e '.status == "PASSED" and .profile.timer == "cupti"'
    kg-profile -q -d "$device" --max-time 1 --compat kernelgym forged >out
    jq -e '.status == "TIMING_MISMATCH" and .speedup == null
        and (.error_message | test("between the events"))' out || { jq -c '[.status, .error_message]' out; false; }
}

@test "by name a candidate finds nothing of its worker's own" {
    record vector_add "$KG_TESTS/gpu/candidates/looks_around.cu" | kg-verify -q -d "$device" |
        jq -e '.status == "PASSED"'
}

@test "who waits long for a GPU says so once" {
    uuid=$(jq -r '.profile.device.uuid' plain | head -n 1)
    exec 8<>"/dev/shm/kg-$uuid.gate" 9<>"/dev/shm/kg-$uuid.dev"
    flock 8
    flock 9
    exec 8>&-
    head -n 1 built | kg-verify -d "$device" >out 2>err 9>&- &
    program=$!
    for ((i = 0; i < 600; i++)); do
        [ ! -s err ] || break
        sleep 0.1
    done
    [ ! -s out ]
    exec 9>&-
    wait "$program"
    [ "$(cat err)" = "kg-verify: waiting for device $device (held by another session)" ]
    jq -e '.status == "PASSED"' out
}
