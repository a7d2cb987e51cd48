#!/usr/bin/env bats
# README.md: every block of commands runs, what it shows is what is printed, what it counts is so.
bats_require_minimum_version 1.5.0

load examples.bash

setup_file() {
    export KG_DEVICE=auto
    scratch "$BATS_FILE_TMPDIR/scratch"
}

setup() {
    readme=$KG_TOP/README.md
    cd "$BATS_FILE_TMPDIR/scratch" || return 1
}

@test "every block of commands in the README runs" {
    n=$("$KG_TOP/tests/tools/examples" "$readme")
    [ "$n" -ge 4 ]
    ran=0
    for ((i = 1; i <= n; i++)); do
        block=$("$KG_TOP/tests/tools/examples" "$readme" "$i")
        if [[ $block == make* ]]; then
            # these have tests of their own (demo.bats, install.bats): here, that the targets are there
            while read -r line; do
                target=$(sed 's/#.*//; s/^make *//; s/ .*//' <<<"$line")
                make -C "$KG_TOP" -n --no-print-directory ${target:+"$target"} >/dev/null
            done <<<"$block"
        else
            if [[ $block == *--unordered* ]]; then
                run_example "$block"
                [ "$(wc -l <out)" = "$(wc -l <rollouts.jsonl)" ]
            else
                run_example "$block"
            fi
            ran=$((ran + 1))
        fi
    done
    [ "$ran" -ge 3 ]
}

@test "the README's kernel of one's own has a speedup" {
    block=$(for i in 1 2 3 4 5; do "$KG_TOP/tests/tools/examples" "$readme" "$i" | grep -F mine.cu || true; done)
    run_example "$block"
    jq -e '. > 0' out
}

@test "the table in the README is the one that kg-report prints" {
    kg-sample -q -p demo --mark rewards.jsonl | kg-advantage -q -p demo --baseline kept >marked.jsonl
    kg-report marked.jsonl | tr -s ' ' >printed
    sed -n '/^```text$/,/^```$/p' "$readme" | grep -v '^```' | tr -s ' ' >shown
    [ "$(wc -l <shown)" -gt 8 ]
    # headers of both tables, word for word; and no line of the summary that the program does not have
    grep -qxF "$(head -n 1 shown)" printed
    grep -qxF "$(grep '^set ' shown)" printed
    for word in $(grep -E '^(records|samples|class|status|pass@k|speedup|coverage|reward|sampling) ' shown | cut -d' ' -f1); do
        grep -q "^$word " printed || { echo "$word"; false; }
    done
    # each row shown is a row of the demo: task, trajectory, turn and verdict
    while read -r task traj turn status _; do
        jq -se --arg t "$task" --arg r "$traj" --arg n "$turn" --arg s "$status" \
            'any(.[]; .task_id == $t and "\(.traj)" == $r and "\(.turn)" == $n and .expect == $s)' \
            "$KG_TOP/share/kg/examples/rollouts.jsonl" >/dev/null || { echo "$task $traj $turn $status"; false; }
    done < <(grep -E '^(row_softmax|rms_norm|prefix_sum) ' shown)
}

@test "the numbers that the README names" {
    verdicts=$(grep -cE '^    V\([A-Z_]+,' "$KG_TOP/lib/base/verdict.h")
    grep -q "One cause, one verdict: $verdicts of them" "$readme"
    # at least as many cases as it says
    cases=$(grep -oE 'against [0-9]+ cases' "$readme" | grep -oE '[0-9]+')
    [ "$(cat "$KG_TESTS"/golden/*.jsonl | wc -l)" -ge "$cases" ]
}

@test "what the README names is there" {
    for word in $(sed -n '/^## Hacking/,$p' "$readme" | grep -oE '^    [a-z]+(/[a-z]+)?/' | tr -d ' '); do
        [ -d "$KG_TOP/$word" ] || { echo "no $word"; false; }
    done
    for target in $(grep -oE '`make [a-z-]+' "$readme" | sed 's/.* //' | sort -u); do
        grep -qE "(^|[^a-z-])$target( [a-z -]*)?:" "$KG_TOP/Makefile" "$KG_TESTS/tests.mk" || { echo "make $target"; false; }
    done
    for page in $(grep -oE '`man [a-z-]+`' "$readme" | tr -d '`' | sed 's/man //'); do
        ls "$KG_TOP/man/$page".[157] >/dev/null
    done
}
