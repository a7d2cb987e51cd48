#!/usr/bin/env bats
# kg-report: output forms, plots, manners. Its numbers stand in cases/kg-report and golden.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    for t in 1 2 3; do
        for j in 0 1 2 3; do
            printf '{"task_id":"t%d","traj":%d,"turn":%d,"status":"%s","compiled":true,"speedup":%s,"profile":{"coverage":{"time":0.%d}}}\n' \
                $((j % 2)) "$j" "$t" "$([ $((j + t)) -gt 3 ] && echo PASSED || echo TIMEOUT)" "$t.5" "$j"
        done
    done >in
}

@test "the summary does not depend on the order of records" {
    kg-report --json in >a
    shuf --random-source=<(yes) in >other
    run ! cmp -s in other
    kg-report --json other | cmp - a
}

@test "the table has a line for each record, --summary has none" {
    [ "$(kg-report in | grep -c '^t[01]')" = 12 ]
    run ! bash -c "kg-report --summary in | grep '^t[01]'"
}

@test "only the denominators that count, count" {
    { cat in; printf '{"task_id":"x%d","status":"%s"}\n' 1 JUDGE_FAULT 2 UNSUPPORTED 3 DEGENERATE_TASK; } >more
    [ "$(kg-report --json in | jq -c .all)" = "$(kg-report --json more | jq -c .all)" ]
    [ "$(kg-report --json more | jq -c '.denominators | [.judged, .excluded_ours, .excluded_task]')" = '[12,2,1]' ]
}

@test "the plot is an SVG of all three panels" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    run -0 --separate-stderr kg-report --summary --plot out.svg in
    [ -z "$stderr" ]
    head -c 300 out.svg | grep -q '<svg'
    for text in 'fast@p' 'verdict classes' 'coverage and speedup'; do
        grep -q "$text" out.svg
    done
    run ! grep -q 'no data' out.svg
    grep -q '</svg>' out.svg
}

@test "a plot of nothing says so, panel by panel" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    run -0 --separate-stderr kg-report --summary --plot out.svg /dev/null
    [ -z "$stderr" ]
    [ "$(grep -c 'no data' out.svg)" = 3 ]
    echo '{"uid":1,"status":"PASSED","speedup":2}' >one # a speedup, no coverage
    run -0 --separate-stderr kg-report --summary --plot out.svg one
    [ -z "$stderr" ]
    [ "$(grep -c 'no data' out.svg)" = 1 ]
}

@test "a plot of one point, and one of many turns" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    echo '{"uid":1,"status":"PASSED","speedup":2,"profile":{"ok":true,"coverage":{"time":1}}}' >one
    run -0 --separate-stderr kg-report --summary --plot out.svg one
    [ -z "$stderr" ]
    run ! grep -q 'no data' out.svg
    for t in {1..40}; do echo '{"uid":1,"traj":0,"turn":'$t',"status":"COMPILE_ERROR"}'; done >many
    run -0 --separate-stderr kg-report --summary --plot out.svg many
    [ -z "$stderr" ]
    grep -q '>40<' out.svg # the number of every third turn
    run ! grep -q '>39<' out.svg
}

@test "without gnuplot: a message and exit status 3, before anything is read" {
    run -3 --separate-stderr env PATH=/nowhere "$KG_BIN/kg-report" --plot out.svg in
    [ "$stderr" = "kg-report: --plot needs gnuplot, which is not on PATH" ]
    [ -z "$output" ]
}

@test "a plot that cannot be written is exit status 5" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    run -5 --separate-stderr kg-report --summary --plot no/such/dir.svg in
    [[ "$stderr" == *"no/such"* ]]
}

@test "a quote in the name of the plot" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    run -0 kg-report --summary --plot "it's \"one\".svg" in
    [ -s "it's \"one\".svg" ]
}

@test "--fast, --pass and their limits" {
    [ "$(kg-report --json --fast 1.5 in | jq -c '.all.fast | keys')" = '["1.5"]' ]
    [ "$(kg-report --json --pass 2 in | jq -c '.pass_at_k[] | [.k, .tasks]')" = '[2,2]' ]
    run -2 kg-report --pass 1.5 in
    [[ "$output" == *"'1.5' is not a whole number from 1" ]]
    run -2 kg-report --fast x in
    [[ "$output" == *"--fast: 'x' is not a number"* ]]
    run -2 kg-report --average mean in
    [[ "$output" == *"'mean' is none of: task, sample" ]]
}

@test "kg-report: a full disk is exit status 5, a closed pipe is quiet" {
    run -5 bash -c 'kg-report in >/dev/full'
    [[ "$output" == *"cannot write the report"* ]]
    for _ in $(seq 3000); do echo '{"uid":1,"status":"NO_CODE"}'; done >many
    run -0 bash -c 'kg-report many 2>err | head -n 1 >/dev/null; cat err'
    [ -z "$output" ]
}

@test "names with control characters do not reach the terminal" {
    printf '{"uid":"a\\u001b[31mb\\nc","status":"NO_CODE"}\n' >in
    run -0 kg-report in
    [[ "${lines[1]}" == 'a?[31mb?c '* ]]
}

@test "the whole pipe: rewards, then the report" {
    run -0 bash -c 'set -o pipefail; kg-reward -q in | kg-report --json | jq -c .denominators.rewards'
    [ "$output" = 12 ]
}

@test "one record of a far turn makes no table of 64 lines" {
    for t in 1 2 100000; do echo '{"uid":1,"traj":1,"turn":'$t',"status":"PASSED","speedup":2}'; done >far
    [ "$(kg-report --summary far | grep -c '^best of 1-')" = 1 ]
    [ "$(kg-report --json far | jq -c '[(.turns | length), .final.count]')" = '[2,1]' ]
    echo '{"uid":1,"traj":1,"turn":70,"status":"PASSED","speedup":2}' >far
    [ "$(kg-report --json far | jq -c '[(.turns | length), .final.count]')" = '[0,1]' ]
}

@test "speedups and coverages that cannot be are not known" {
    for s in 1e400 -3 0; do
        echo '{"uid":1,"traj":1,"status":"PASSED","speedup":2,"profile":{"coverage":{"time":0.5}},"reward":1}'
        echo '{"uid":1,"traj":2,"status":"PASSED","speedup":'$s',"profile":{"coverage":{"time":7}},"reward":1e400}'
    done >in
    sed -n 1,2p in >two
    for pair in 1,2p 3,4p 5,6p; do
        sed -n $pair in >two
        [ "$(kg-report --json two | jq -c '[.all.speedup.mean, .all.time_coverage.mean, .mean_reward]')" = '[2,0.5,1]' ]
        run ! bash -c 'kg-report two | grep -w inf'
    done
}

@test "messages name the field that is wrong" {
    run -2 kg-report --uid-key prompt - <<<'{"prompt":[1]}'
    [[ "$output" == *"'prompt' is an array"* && "$output" != *"'task_id' is"* ]]
    run -2 kg-report - <<<'{"task_id":[1]}'
    [[ "$output" == *"'task_id' is an array"* ]]
    run -2 kg-report - <<<'{"task_id":"a","uid":[1]}'
    [[ "$output" == *"'uid' is an array"* ]]
}

@test "thresholds given twice and forms that exclude each other are refused" {
    run -2 kg-report --json --fast 1 --fast 1.0 in
    [[ "$output" == *"--fast: 1.0 is given twice"* ]]
    run -2 kg-report --pass 2 --pass 2 in
    run -2 kg-report --json --summary in
}

@test "kg-report: keys that options name and no record has are told" {
    run -0 --separate-stderr bash -c 'kg-report --traj-key trj in >/dev/null'
    [[ "$stderr" == *"--traj-key: no record has the field 'trj'"* ]]
    run -0 --separate-stderr bash -c 'kg-report --traj-key traj in >/dev/null'
    [ -z "$stderr" ]
}

@test "a plot that is an input is refused, and the input stands" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    cp in mine
    run -2 kg-report --plot mine mine
    cmp in mine
}

@test "every field of the JSON object stands in the manual" {
    sed 's/}}}$/}},"reward":1,"sampling":{"keep":true}}/' in | kg-report --json --by task_id >o
    jq -r 'del(.. | .status?, .class?, .fast?, .fast_of_correct?, .rejected_rate_of_fast?)
        | [paths | map(select(type == "string")) | last] | unique[]' o >fields
    [ "$(wc -l <fields)" -gt 30 ]
    while read -r f; do
        f=${f%_in_all} f=${f/rejected_rate_of_*/rejected_rate}
        grep -qw -- "$f" "$KG_TOP/man/kg-report.1" || { echo "$f"; false; }
    done <fields
}
