# shellcheck shell=bash disable=SC2154 # dev, out, work and the like are of tests/bench/gpu
# kernel_us against ncu (gpu__time_duration, clocks as they are) and against events, for the kernels
# of the list 'kernels', all three from the same shared objects, inputs made anew and L2 cold before
# each call. Each kernel is its own baseline, so that its two runs need as many pairs as its noise
# asks for.

accuracy_records() {
    local name task file axes
    grep -v '^#' "$parts/kernels" | while read -r name task file axes; do
        record "$name" "$task" "$file" "{axes: $axes}"
    done | compile >"$work/built.jsonl"
    while read -r line; do
        axes=$(jq -c .axes <<<"$line")
        jq -c '.task.baseline = .kernel_code | del(.axes)' <<<"$line" | resize "$axes"
    done <"$work/built.jsonl"
}

# A line for replay from each record.
accuracy_list() {
    jq -r '.task as $t | [.id, .compile.artifact, ($t.args[]
        | if has("shape") then
              (if .role == "out" then "o" else "f" end) + ":"
              + (reduce .shape[] as $d (1; . * $t.axes[$d | tostring]) | tostring)
          else "i:\($t.axes[.name])" end)] | join(" ")' "$1" |
        while read -r name hash rest; do
            echo "$name $(artifact "$hash") $rest"
        done
}

accuracy_ncu() { # NAME CACHE-CONTROL
    timeout 60 ncu --profile-from-start off --clock-control none --cache-control "$2" \
        --metrics gpu__time_duration.sum,sm__cycles_elapsed.avg.per_second --csv --print-units base \
        --log-file "$out/ncu_$1.csv" "$replay" ncu "$work/list" >"$out/ncu_$1.names"
}

bench_accuracy() {
    local profile=(kg-profile -q -d "$dev" --precise --min-runs 20 --max-time 1 --raw)
    accuracy_records >"$work/accuracy.jsonl"
    kg-verify -q -d "$dev" -j 4 "$work/accuracy.jsonl" >"$work/verified.jsonl"
    timeout 60 "${profile[@]}" "$work/verified.jsonl" >"$out/accuracy_1.jsonl"
    timeout 60 "${profile[@]}" "$work/verified.jsonl" >"$out/accuracy_2.jsonl"
    failed "$out/accuracy_1.jsonl"
    failed "$out/accuracy_2.jsonl"
    if [ "$dev" != host ] && replay=$(on_device replay); then
        accuracy_list "$work/verified.jsonl" >"$work/list"
        timeout 60 "$replay" events "$work/list" >"$out/events.txt"
        accuracy_ncu all all
        accuracy_ncu again all
        accuracy_ncu ours none
    fi
    python3 "$parts/accuracy.py" "$out"
}
