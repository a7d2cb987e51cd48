#!/usr/bin/env bats
# A device that is held by somebody else: the programs wait, and say so.
bats_require_minimum_version 1.5.0

setup() {
    export KG_DEVICE=host
    cd "$BATS_TEST_TMPDIR" || return 1
    jq -cn --rawfile code "$KG_TOP/share/kg/tasks/vector_add.cu" \
        '{task_id: "vector_add", kernel_code: $code}' >in
    kg-compile --target host in >built
    kg-verify -q built >/dev/null # makes the lock files, and the truth
}

# as a session takes a device for timed calls (judge/lock.h), on descriptor 9
hold() {
    exec 8<>/dev/shm/kg-host.gate 9<>/dev/shm/kg-host.dev
    flock 8
    flock 9
    exec 8>&-
}

@test "who waits long for a device says so once, but not with -q, and goes on when it is free" {
    hold
    kg-verify -q built >quiet.out 2>quiet.err 9>&- &
    quiet=$!
    kg-profile built >out 2>err 9>&- &
    loud=$!
    for ((i = 0; i < 600; i++)); do
        [ ! -s err ] || break
        sleep 0.1
    done
    sleep 1
    [ ! -s out ]
    [ ! -s quiet.out ]
    exec 9>&-
    wait "$loud"
    wait "$quiet"
    [ "$(cat err)" = "kg-profile: waiting for device host (held by another session)" ]
    [ ! -s quiet.err ] || { cat quiet.err; false; }
    jq -e '.status == "PASSED" and .profile.ok' out
    jq -e '.status == "PASSED"' quiet.out
}
