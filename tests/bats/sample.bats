#!/usr/bin/env bats
# kg-sample: what holds for any input, and manners. Single rules stand in cases/kg-sample.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    "$KG_TOP/tests/bench/rollouts.py" 0.2 --small | kg-reward -q >rewards.jsonl
}

shuffled() { # a fixed permutation of stdin
    awk '{ print (NR * 7919) % 104729 "\t" $0 }' | sort -n | cut -f 2-
}

with_ratios() { # made-up log ratios, the same for the same record
    awk '{ x = (NR * 37) % 401; sub(/}$/, sprintf(",\"log_ratio\":{\"n\":100,\"sum\":%.4f,\"min\":%.3f}}", (x - 200) / 1000, -x / 40)); print }'
}

kept() { # ids of the records that options keep
    kg-sample -q "$@" | jq -c '[.uid, .traj, .turn]' | sort
}

@test "the order of records changes neither a byte of any nor the summary" {
    with_ratios <rewards.jsonl >r
    for args in "" "--groups 5 --per-group 3" "--drop-flat 0.1 --per-group 4 --by efficiency" \
        "--rs sequence --upper 1.1 --veto 1e-4 --veto-unit rollout" "--prs geometric" \
        "--context top -w 1"; do
        # shellcheck disable=SC2086
        kg-sample -q --mark --summary s1 $args r | sort >a
        # shellcheck disable=SC2086
        shuffled <r | kg-sample -q --mark --summary s2 $args | sort >b
        cmp a b
        cmp s1 s2
    done
}

@test "streaming answers as the whole input does, summary included" {
    with_ratios <rewards.jsonl >r
    kg-sample -q --mark --summary s1 r >a
    kg-sample -q --mark --grouped --summary s2 r >b
    kg-sample -q --mark --group-size 16 --summary s3 <r >c
    cmp a b
    cmp a c
    cmp s1 s2
    cmp s1 s3
}

@test "mark then drop keeps what dropping at once keeps" {
    with_ratios <rewards.jsonl >r
    kg-sample -q r >a
    kg-sample -q --mark r | kg-sample -q --drop >b
    cmp a b
    [ "$(wc -l <a)" -gt 0 ]
    [ "$(wc -l <a)" -lt "$(wc -l <r)" ]
}

@test "--drop passes bytes on untouched, and takes no rule" {
    kg-sample -q --mark rewards.jsonl >marked
    kg-sample --drop marked >dropped
    grep '"sampling":{"keep":true' marked | cmp - dropped
    for args in --mark "--rs token" "--prs turn" --weights "--summary s"; do
        # shellcheck disable=SC2086
        run -2 kg-sample --drop $args marked
    done
}

@test "the share that PRS keeps is the mean of p, and seeds differ" {
    kg-sample -q --mark --prs turn --threshold 0 --ramp 1 rewards.jsonl >m
    jq -s -e '[.[] | select(.sampling.reason != "unscorable") | .sampling] |
        (map(.p) | add / length) as $p | (map(if .keep then 1 else 0 end) | add / length) as $k |
        (($p - $k) | fabs) < 5 * ($p * (1 - $p) / length | sqrt)' m
    jq -s -e 'all(.[]; .sampling.keep == null or .sampling.keep == (.sampling.u < .sampling.p))' m
    kg-sample -q --mark --prs turn --threshold 0 --ramp 1 --seed 1 rewards.jsonl >n
    run ! cmp <(jq -c .sampling.u m) <(jq -c .sampling.u n)
}

@test "u and p are there for rows that mismatch rejected" {
    with_ratios <rewards.jsonl | kg-sample -q --mark >m
    jq -s -e 'map(select(.sampling.reason == "geometric")) | length > 0 and
        all(.[]; .sampling.u != null and (.sampling.p != null or .correctness))' m
}

@test "wider bounds never reject more" {
    with_ratios <rewards.jsonl >r
    for level in turn turn-geo sequence geometric; do
        : >before
        for upper in 1.0001 1.001 1.01 1.1 1.5; do
            kept --rs $level --upper $upper r >now
            [ -z "$(comm -23 before now)" ]
            mv now before
        done
        [ -s before ]
    done
}

@test "a coverage that is higher is never kept less often" {
    for c in 0.3 0.32 0.35 0.38 0.4; do
        sed "s/\"coverage\":{\"time\":[^,]*/\"coverage\":{\"time\":$c/" rewards.jsonl |
            kept --prs turn >now
        if [ -e before ]; then [ -z "$(comm -23 before now)" ]; fi
        mv now before
    done
}

@test "groups and per-group keep what they say" {
    kg-sample -q --groups 3 --per-group 5 rewards.jsonl >k
    jq -s -e '(map(.uid) | unique | length) == 3 and
        all(group_by(.uid)[]; (map(.traj) | unique | length) == 5)' k
}

@test "--groups needs the whole input" {
    run -2 kg-sample --groups 3 --grouped rewards.jsonl
    [[ "$output" == *"--groups needs the whole input"* ]]
}

@test "a rule without input is left out with one warning" {
    run -0 --separate-stderr kg-sample rewards.jsonl
    # shellcheck disable=SC2154 # set by run
    [ "$(grep -c -- '--rs is left out' <<<"$stderr")" = 1 ]
    jq -c 'del(.profile)' rewards.jsonl >bare
    run -0 --separate-stderr kg-sample --prs turn bare
    [ "$(grep -c -- '--prs is left out' <<<"$stderr")" = 1 ]
}

@test "weights survive from one batch to the next when streaming" {
    for u in a b c; do
        for t in 0 1; do
            echo "{\"uid\":\"$u\",\"traj\":$t,\"old_log_probs\":[-1,-2,-$t],\"rollout_log_probs\":[-1,-1.5,-0.5],\"response_mask\":[1,1,0]}"
        done
    done >r
    kg-sample -q --mark --weights --is token --rs token --upper 1.2 r >a
    kg-sample -q --mark --weights --is token --rs token --upper 1.2 --grouped r >b
    cmp a b
    jq -s -e 'all(.[]; .sampling.response_mask == [1,0,0] and .sampling.is_weights[2] == 0)' a
}

@test "the summary that cannot be written is told" {
    run -5 --separate-stderr kg-sample -q --summary no/such/folder/s rewards.jsonl
    [[ "$stderr" == *"no/such/folder/s"* ]]
    run -5 --separate-stderr bash -c 'kg-sample -q rewards.jsonl >/dev/full'
}

@test "--summary writes to what is no file without replacing it" {
    mkfifo pipe
    cat pipe >got &
    kg-sample -q --summary pipe rewards.jsonl >/dev/null
    wait
    [ -p pipe ]
    jq -e '.records > 0' got
}

@test "bounds that cannot be are refused" {
    run -2 kg-sample --rs token --lower 2 --upper 1 rewards.jsonl
    run -2 kg-sample --rs token --upper 0 rewards.jsonl
    run -2 kg-sample --is geometric rewards.jsonl
    run -2 kg-sample --prs turn --ramp -0.1 rewards.jsonl
}

@test "the bound that null stands for is refused, too" {
    run -2 kg-sample --rs token --upper 0.9 rewards.jsonl
    [[ "$output" == *"mismatch.upper is below 1"* ]]
    run -0 kg-sample -q --rs token --lower 0.5 --upper 0.9 rewards.jsonl
}

@test "--summary that is an input, or stdout, is refused, and the input stands" {
    cp rewards.jsonl mine
    ln -s mine link
    run -2 kg-sample --summary mine mine
    [[ "$output" == *"--summary 'mine' would overwrite the input 'mine'"* ]]
    run -2 kg-sample --summary link mine
    run -2 bash -c 'kg-sample --summary link <mine'
    cmp mine rewards.jsonl
    run -2 bash -c 'kg-sample --summary out rewards.jsonl >out'
    [[ "$output" == *"standard output"* ]]
}

@test "a key that an option names and no record has is told" {
    run -0 --separate-stderr bash -c 'jq -c .task_id=.uid rewards.jsonl | kg-sample --uid-key uidd >/dev/null'
    [[ "$stderr" == *"--uid-key: no record has the field 'uidd'"* ]]
    run -0 --separate-stderr bash -c 'kg-sample --uid-key uid --turn-key turn rewards.jsonl >/dev/null'
    [[ "$stderr" != *-key* ]]
}

@test "a draw that is none is not replayed" {
    r='{"uid":1,"traj":1,"turn":1,"status":"PASSED","reward":1,"profile":{"coverage":{"time":0.9}}'
    a=$(echo "$r}" | kg-sample -q --prs turn --mark | jq .sampling.u)
    for u in -1 1 5 1e400 null; do
        [ "$(echo "$r,\"sampling\":{\"u\":$u}}" | kg-sample -q --prs turn --mark --replay | jq .sampling.u)" = "$a" ]
    done
    [ "$(echo "$r,\"sampling\":{\"u\":0.25}}" | kg-sample -q --prs turn --mark --replay | jq .sampling.u)" = 0.25 ]
}

@test "every field of the summary stands in the manual" {
    jq -c '. + {old_log_probs: [-1, -2], rollout_log_probs: [-1.1, -2], response_mask: [1, 1]}' rewards.jsonl |
        kg-sample -q --weights --is token --rs token --veto 1e-4 --prs turn --summary s >/dev/null
    jq -r 'del(.rejected, .undecided) | [paths | map(select(type == "string")) | last] | unique[]' s >fields
    [ "$(wc -l <fields)" -gt 20 ]
    while read -r f; do
        grep -qE "(^|[ (])($f|${f#seq_})($|[ ,;.)])" "$KG_TOP/man/kg-sample.1" || { echo "$f"; false; }
    done <fields
}
