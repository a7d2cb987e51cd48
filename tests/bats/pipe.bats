#!/usr/bin/env bats
# The pipe that feeds a trainer, in both orders, as a file and as a coprocess; golden's own alarm.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    "$KG_TOP/tests/bench/rollouts.py" 0.1 --small >judged.jsonl
}

# what a trainer reads: one line a sample, with nothing null in it
batch() {
    jq -c '{uid, traj, turn, reward, return, advantage, n_started}'
}

@test "in the order of the paper's release" {
    run -0 --separate-stderr bash -c 'set -o pipefail
        kg-reward -q judged.jsonl | kg-advantage -q | kg-sample -q >batch.jsonl'
    [ -s batch.jsonl ]
    batch <batch.jsonl | jq -s -e 'all(.[]; all(.[]; . != null))'
    [ "$(wc -l <batch.jsonl)" -lt "$(wc -l <judged.jsonl)" ]
}

@test "in the order that keeps rejected rows out of the baselines" {
    run -0 --separate-stderr bash -c 'set -o pipefail
        kg-reward -q judged.jsonl | kg-sample -q --mark | kg-advantage -q --baseline kept |
        kg-sample -q --drop >batch.jsonl'
    batch <batch.jsonl | jq -s -e 'length > 0 and all(.[]; .uid != null and .reward != null)'
    # the same rows as in the other order, but for those that a later turn made unscorable
    kg-reward -q judged.jsonl | kg-advantage -q | kg-sample -q | jq -c '[.uid, .traj, .turn]' | sort >other
    jq -c 'select(.advantage != null) | [.uid, .traj, .turn]' batch.jsonl | sort | cmp - other
}

@test "leave-one-out over kept rows: each group's advantages sum to 0" {
    kg-reward -q judged.jsonl | kg-sample -q --mark | kg-advantage -q --baseline kept |
        kg-sample -q --drop |
        jq -s -e '[.[] | select(.group_size > 1 and .advantage != null)] |
            group_by([.uid, .turn]) | length > 0 and
            all(.[]; (map(.advantage) | add | fabs) < 1e-9)'
}

@test "streaming gives the same batch" {
    kg-reward -q judged.jsonl | kg-sample -q --mark | kg-advantage -q --baseline kept |
        kg-sample -q --drop >a
    kg-reward -q judged.jsonl | kg-sample -q --mark --grouped |
        kg-advantage -q --baseline kept --grouped | kg-sample -q --drop >b
    cmp a b
}

@test "as a coprocess: a uid that is complete is answered before the input ends" {
    coproc GYM { kg-reward -q | kg-advantage -q --group-size 2; }
    local from=${GYM[0]} to=${GYM[1]} pid=$GYM_PID line
    for t in 0 1; do
        echo "{\"uid\":\"a\",\"traj\":$t,\"done\":true,\"status\":\"CRASH\"}" >&"$to"
    done
    read -r -t 20 line <&"$from"
    [[ "$line" == *'"advantage":0'* ]]
    read -r -t 20 line <&"$from"
    [[ "$line" == *'"traj":1'* ]]
    exec {to}>&-
    wait "$pid"
}

@test "a golden case that fails is named" {
    cp -r "$KG_TESTS/golden" .
    sed -i '1s/"expect":\[{"advantage":-0.38/"expect":[{"advantage":-0.39/' golden/trloo.jsonl
    run -1 golden/run trloo
    [[ "$output" == *"not ok trloo two_rollouts_one_turn (default)"* ]]
    [[ "${lines[-1]}" == *" passed, 1 failed" ]]
    run -1 golden/run --tap trloo
    [[ "$output" == *"not ok 1 - golden trloo two_rollouts_one_turn"* ]]
}

@test "every golden file is run or says why not" {
    run -0 "$KG_TESTS/golden/run"
    for f in "$KG_TESTS"/golden/*.jsonl; do
        grep -q "^$(basename "$f" .jsonl): [0-9]" <<<"$output"
    done
    # all cases are there: the classes add up
    n=$(grep -E '^[a-z_]+: ' <<<"$output" | grep -oE '[0-9]+ (default|released|excluded)' | awk '{ s += $1 } END { print s }')
    [ "$n" = "$(cat "$KG_TESTS"/golden/*.jsonl | wc -l)" ]
    [ "$n" -ge 997 ]
}
