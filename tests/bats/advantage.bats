#!/usr/bin/env bats
# kg-advantage: what holds for any input, and manners. What it computes stands in cases/kg-advantage,
# golden, and tests/unit/score/advantage.c.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    "$KG_TOP/tests/bench/rollouts.py" 0.2 --small | kg-reward -q >rewards.jsonl
    [ "$(wc -l <rewards.jsonl)" -gt 500 ]
}

shuffled() { # a fixed permutation of stdin
    awk '{ print (NR * 7919) % 104729 "\t" $0 }' | sort -n | cut -f 2-
}

@test "the order of records changes no byte of any" {
    for args in "" "--estimator grpo --std" "--estimator reinforce" "--estimator rloo" \
        "--estimator erloo-norm" "--singleton others" "--batch-std" "--void-mask --gamma 0.7"; do
        # shellcheck disable=SC2086
        kg-advantage -q $args rewards.jsonl | sort >a
        # shellcheck disable=SC2086
        shuffled <rewards.jsonl | kg-advantage -q $args | sort >b
        cmp a b
    done
    run ! cmp rewards.jsonl <(shuffled <rewards.jsonl)
}

@test "streaming answers as the whole input does" {
    kg-advantage -q rewards.jsonl >a
    kg-advantage -q --grouped rewards.jsonl >b
    kg-advantage -q --grouped <rewards.jsonl >c
    kg-advantage -q --group-size 16 rewards.jsonl >d
    kg-advantage -q <rewards.jsonl >e
    for f in b c d e; do cmp a "$f"; done
}

@test "group-size takes prompts that overlap, and answers each when it is complete" {
    # the n-th records of all prompts side by side: every prompt is open until nearly the end
    awk -F '"' '{ print ++n[$4] "\t" $0 }' rewards.jsonl | sort -s -n -k 1,1 | cut -f 2- >mixed
    [ "$(head -n 2 mixed | jq -s 'map(.uid) | unique | length')" = 2 ]
    kg-advantage -q --group-size 16 mixed | sort >a
    kg-advantage -q mixed | sort >b
    cmp a b
}

@test "running it again changes nothing" {
    kg-advantage -q rewards.jsonl >a
    kg-advantage -q a >b
    cmp a b
}

@test "what needs the whole batch refuses to stream, and says what" {
    for args in "--estimator reinforce" "--singleton others" "--batch-std"; do
        for how in --grouped "--group-size 4"; do
            # shellcheck disable=SC2086
            run -2 --separate-stderr kg-advantage $args $how rewards.jsonl
            [[ "$stderr" == *"needs the whole input"* ]]
            [ -z "$output" ]
        done
    done
}

@test "std belongs to the estimators that divide by one" {
    run -2 kg-advantage --std rewards.jsonl
    [[ "$output" == *"--std goes with the estimators grpo and turn-grpo, not with trloo"* ]]
}

@test "reinforce refuses a batch in which nothing has a return" {
    run -2 --separate-stderr bash -c "echo '{\"uid\":1,\"traj\":1,\"reward\":null}' | kg-advantage --estimator reinforce"
    [[ "$stderr" == *"all are masked or without a reward"* ]]
    [[ "$output" == *'"status":"JUDGE_FAULT"'* ]]
}

@test "groups of one in every group are told once" {
    run -0 --separate-stderr bash -c "printf '{\"uid\":\"a\",\"traj\":0,\"reward\":1}\n{\"uid\":\"b\",\"traj\":0,\"reward\":1}\n' | kg-advantage"
    [[ "$stderr" == *"is 'uid' the key of the prompt"* ]]
}

@test "a duplicated prompt gets the same answers" {
    sed 's/"uid":"p/"uid":"copy of p/' rewards.jsonl >copy
    cat rewards.jsonl copy | kg-advantage -q | jq -c '[.return, .advantage, .group_size]' >all
    n=$(wc -l <rewards.jsonl)
    cmp <(head -n "$n" all) <(tail -n "$n" all)
}

@test "scaling rewards by 4 scales advantages by 4, exactly" {
    jq -c 'select(.reward != null)' rewards.jsonl >r
    jq -c '.reward *= 4' r | kg-advantage -q | jq -c '.advantage' >a
    kg-advantage -q r | jq -c '.advantage * 4' >b
    cmp a b
}

@test "the output that cannot be written is told" {
    run -5 --separate-stderr bash -c 'kg-advantage -q rewards.jsonl >/dev/full'
    [[ "$stderr" == *"No space left on device"* ]]
    run -5 --separate-stderr bash -c 'kg-advantage -q --grouped rewards.jsonl >/dev/full'
}

@test "a reader that goes away ends it quietly" {
    run --separate-stderr bash -c 'kg-advantage -q rewards.jsonl | head -n 1'
    [ -z "$stderr" ]
}

@test "missing files and settings out of range are usage errors" {
    run -2 kg-advantage no-such-file
    run -2 kg-advantage --gamma -1 rewards.jsonl
    run -2 kg-advantage --estimator ppo rewards.jsonl
    run -2 kg-advantage -p no-such-policy rewards.jsonl
    run -2 kg-advantage -D advantage.gama=1 rewards.jsonl
    [[ "$output" == *"advantage.gamma"* ]]
}

@test "what is undecided has advantage 0, as what is rejected has" {
    for keep in false null 1; do
        {
            echo '{"uid":1,"traj":1,"turn":1,"reward":1,"sampling":{"keep":true,"p":1,"u":0.5}}'
            echo '{"uid":1,"traj":2,"turn":1,"reward":3,"sampling":{"keep":'$keep',"p":1,"u":0.5}}'
        } >rows
        for baseline in all kept; do
            [ "$(kg-advantage -q --baseline $baseline rows | jq -c .advantage | tr '\n' ' ')" = "-2 0 " ]
        done
    done
    echo '{"uid":1,"traj":1,"turn":1,"reward":1,"sampling":{}}' >rows
    run -2 kg-advantage --baseline kept rows
    [[ "$output" == *"sampling.keep"* ]]
}

@test "keys that options name and no record has are told" {
    echo '{"task_id":"a","traj":1,"turn":1,"reward":1}' >rows
    run -0 --separate-stderr bash -c 'kg-advantage --uid-key promt --traj-key t --turn-key step rows >/dev/null'
    for k in "--uid-key: no record has the field 'promt'" "--traj-key: no record has the field 't'" \
        "--turn-key: no record has the field 'step'"; do
        [[ "$stderr" == *"$k"* ]]
    done
    run -0 --separate-stderr bash -c 'kg-advantage --uid-key task_id --traj-key traj --turn-key turn rows >/dev/null'
    [[ "$stderr" != *-key* ]]
}
