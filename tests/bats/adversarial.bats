#!/usr/bin/env bats
# Every adversarial candidate gets its one verdict, and the honest record after it passes.
bats_require_minimum_version 1.5.0

setup_file() {
    export KG_DEVICE=host
    cd "$BATS_FILE_TMPDIR" || return 1
    "$KG_TESTS/adversarial/records" >in
    kg-verify -j 2 --call-timeout 2 in >out 2>err
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "every candidate is answered, without a word on stderr" {
    [ "$(wc -l <in)" -ge 30 ]
    [ "$(jq -c .id in)" = "$(jq -c .id out)" ]
    # but for tests beside this one that hold the device
    run ! grep -v ': waiting for device host ' err
}

@test "every candidate gets its verdict" {
    run jq -c '.status as $s | select(.expect | split("|") | index($s) | not)
        | [.id, .expect, .status, .error_message]' out
    [ "$status" -eq 0 ]
    [ -z "$output" ] || { echo "$output"; false; }
}

@test "the rubbish on the socket is counted" {
    jq -es 'map({key: .id, value: .verify.checks.rubbish}) | from_entries
        | .rubbish_then_work > 0 and .honest_names == 0' out
}

@test "what the sandbox refused is in the record, and in the message of a SANDBOX_VIOLATION" {
    jq -es 'map({key: .id, value: .}) | from_entries
        | .tries_doors.verify.checks.refused == ["socket", "ptrace", "unshare"]
        and .honest_names.verify.checks.refused == []
        and .other_architecture.verify.checks.refused == ["socket"]
        and (.other_architecture.error_message | endswith(", after it was refused: socket"))' out
}

@test "what candidates print is nowhere in the records" {
    run ! grep -q xxxxxxxx out
}

@test "hacks are no answers: correctness false, no speedup, decoy only for decoys" {
    jq -es 'map(select(.status != "PASSED")) | length > 20 and all(.correctness == false
        and .speedup == null and .decoy_kernel == (.status == "NO_CUSTOM_KERNEL"))' out
}
