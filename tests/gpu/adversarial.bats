#!/usr/bin/env bats
# On a GPU every adversarial candidate gets its verdict, the honest record after it passes, and nothing
# is left behind.
bats_require_minimum_version 1.5.0
load helper

setup_file() {
    have_gpu || return 0
    cd "$BATS_FILE_TMPDIR" || return 1
    memory_mib >before
    "$KG_TESTS/adversarial/records" --device cuda >in
    kg-compile -q -d "$device" -t "$KG_TESTS/gpu/tasks" in |
        kg-verify -d "$device" -t "$KG_TESTS/gpu/tasks" -j 2 --call-timeout 3 >out 2>err
    jq -c 'select(.status == "PASSED" and (.id | endswith("+") | not))' out >passed
    kg-profile -d "$device" -t "$KG_TESTS/gpu/tasks" -j 1 --max-time 1 passed >profiled 2>>err
}

setup() {
    need_gpu
}

@test "on a GPU every candidate is answered, without a word on stderr" {
    [ "$(jq -c .id in)" = "$(jq -c .id out)" ]
    quiet err
}

@test "on a GPU every candidate gets its verdict" {
    [ -z "$(unexpected out | grep -v '^\["[^"]*+"')" ] || { unexpected out; false; }
}

@test "the honest record after each passes" {
    jq -es 'map(select(.id | endswith("+"))) | length > 40 and all(.status == "PASSED")' out ||
        { unexpected out; false; }
}

@test "no process and no device memory is left" {
    nothing_left "$(cat before)"
}

@test "what the sandbox refused is in the record, and nothing that the driver tries" {
    sandbox=$(jq -r 'select(.id == "tries_doors") | .verify.sandbox' out)
    [[ $sandbox == *seccomp* ]] || skip "no system-call filter here: $sandbox"
    jq -es 'map({key: .id, value: .verify.checks.refused}) | from_entries
        | .tries_doors == null or ((.tries_doors - ["socket", "ptrace", "unshare"] == [])
            and (.tries_doors | length) > 0 and ."tries_doors+" == [])' out ||
        { jq -c '[.id, .verify.checks.refused]' out | grep -v '\[\]'; false; }
}

@test "what passes is timed as well: honest controls, and hacks without an effect" {
    [ -z "$(unexpected profiled)" ] || { unexpected profiled; false; }
    jq -es 'length > 8 and all(.profile.ok and .speedup > 0)' profiled
}

@test "coverage: a library's work is not the candidate's" {
    coverage() { jq -c --arg id "$1" 'select(.id == $id) | .profile.coverage' profiled; }
    coverage gpu/cublas_identity | jq -e '.time < 0.5 and .replaced < 0.9'
    coverage gpu/cublas_epilogue | jq -e '.time < 0.5'
    coverage gpu/honest_library_name | jq -e '. == {time: 1, count: 1, replaced: 1}'
    coverage gpu/honest_graph | jq -e '.time == 1'
}

@test "data that asks to persist in L2 is cold all the same" {
    plain=$(good | kg-profile -q -d "$device" --max-time 1 | jq .profile.kernel_us.median)
    jq -e --argjson plain "$plain" 'select(.id == "gpu/pins_l2")
        | .profile.kernel_us.median > 0.8 * $plain' profiled
}

@test "decoys are decoys, hacks are no answers" {
    jq -es 'map(select(.status != "PASSED")) | length > 25 and all(.correctness == false
        and .speedup == null
        and .decoy_kernel == (.status as $s | ["NO_CUSTOM_KERNEL", "INERT_KERNEL", "LIBRARY_ONLY"] | index($s) != null))' out
}
