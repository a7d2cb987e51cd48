#!/usr/bin/env bats
# 'make demo', on the CPU: every example gets the verdict that it was made for, and what follows from it.
bats_require_minimum_version 1.5.0

setup_file() {
    export KG_DEVICE=host
    KG_DEMO_OUT=$BATS_FILE_TMPDIR/records "$KG_TOP/share/kg/examples/demo" \
        >"$BATS_FILE_TMPDIR/table" 2>"$BATS_FILE_TMPDIR/words"
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "make demo runs the demo" {
    run make -C "$KG_TOP" -n --no-print-directory demo
    [ "$status" = 0 ]
    [[ "$output" == *share/kg/examples/demo* ]]
}

@test "each record of the demo has the verdict that it expects" {
    [ "$(wc -l <records)" = "$(wc -l <"$KG_TOP/share/kg/examples/rollouts.jsonl")" ]
    run jq -r 'select(.status != .expect) | [.id, .expect, .status, .error_message] | @tsv' records
    [ -z "$output" ] || { echo "$output"; false; }
}

@test "its notes hold: honest ones pass, what is far from the policy is not trained on" {
    jq -se 'all(.[]; (.note | startswith("honest")) == (.status == "PASSED"))' records
    jq -se '[.[] | select(.note | contains("far from the policy"))] |
        length > 0 and all(.[]; .sampling.keep == false)' records
    # a trajectory that lost a turn is lost as a whole; all others are kept
    jq -se '([.[] | select(.note | contains("far from the policy")) | [.uid, .traj]]) as $off |
        all(.[]; .sampling.keep == ([.uid, .traj] | IN($off[]) | not))' records
}

@test "rewards, returns and advantages follow" {
    jq -se 'all(.[]; if .status == "PASSED" then .reward > 0 else .reward == 0 end)' records
    jq -se 'all(.[]; .profile == null or (.profile.emulated and .speedup > 0))' records
    # copies and sets of the runtime are not the candidate's own time
    jq -se 'all(.[] | select(.status == "PASSED") | .profile;
        (.coverage.time == 1) == all(.kernels[]; .class == "custom") and .coverage.time > 0.5)' records
    # gamma 1: the return of a first turn is the sum of both rewards
    jq -se 'group_by([.uid, .traj]) | all(.[]; sort_by(.turn) |
        ((.[0].return - .[0].reward - .[1].reward) | fabs < 1e-9) and .[1].return == .[1].reward)' records
    # leave-one-out: A = (N G - S) / (N - 1); what the mismatch rejects still is in the baselines
    jq -se 'group_by([.uid, .turn]) | all(.[]; (map(.return) | add) as $s | length as $n |
        all(.[]; if .sampling.keep
            then (.advantage - ($n * .return - $s) / ($n - 1) | fabs) < 1e-9 and .group_size == $n
            else .advantage == 0 end))' records
}

@test "the demo ends with a table of all records, and says where they are" {
    [ "$(grep -cE '^(row_softmax|rms_norm|prefix_sum) ' table)" = "$(wc -l <records)" ]
    grep -q '^class .*pass' table
    grep -q '^final ' table
    grep -q "records: $BATS_FILE_TMPDIR/records" words
    # and nothing else is said, but for tests beside this one that hold the device
    [ "$(grep -vc ': waiting for device host ' words)" = 1 ] || { cat words; false; }
}
