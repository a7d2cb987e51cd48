# shellcheck shell=bash disable=SC2154 # dev, out, work and the like are of tests/bench/gpu
# A/A: a baseline as its own candidate has a speedup of 1; how often does the interval miss it?

bench_aa() {
    local task i
    for task in vector_add row_softmax prefix_sum rms_norm; do
        record "$task" "$task" "share/kg/tasks/$task.cu"
    done | compile | kg-verify -q -d "$dev" -j 4 >"$work/aa.jsonl"
    failed "$work/aa.jsonl"
    for i in 1 2 3 4 5 6 7 8 9 10; do
        jq -c --arg i "$i" '.id += "." + $i' "$work/aa.jsonl"
    done >"$work/aa40.jsonl"
    timeout 110 kg-profile -q -d "$dev" --redo --max-time 2.5 "$work/aa40.jsonl" >"$out/aa.jsonl"
    failed "$out/aa.jsonl"
    jq -rs '["task", "runs", "miss 1", "speedup min", "median", "max", "half-width % median", "max",
             "pairs"],
        (map(select(.profile.ok)) | group_by(.task_id)[] | (map(.profile.speedup) | sort) as $s
            | (map(100 * (.profile.speedup_hi - .profile.speedup_lo) / 2) | sort) as $w
            | [.[0].task_id, length,
               (map(select(.profile.speedup_lo > 1 or .profile.speedup_hi < 1)) | length),
               $s[0], $s[length / 2 | floor], $s[-1], $w[length / 2 | floor], $w[-1],
               (map(.profile.kernel_us.n) | add / length)]
            | map(if type == "number" then . * 10000 | round / 10000 else . end))
        | @tsv' "$out/aa.jsonl" >"$out/aa.tsv"
    columns "$out/aa.tsv"
    jq -rs 'map(select(.profile.ok)) | "misses: \(map(select(.profile.speedup_lo > 1
        or .profile.speedup_hi < 1)) | length) of \(length) (bar: 5 of 40)"' "$out/aa.jsonl"
}
