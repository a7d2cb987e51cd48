# shellcheck shell=bash disable=SC2154 # dev, out, work and the like are of tests/bench/gpu
# The speedup of a candidate of five kernels alone, and while all other cores compile.

stability_run() { # NAME
    timeout 20 kg-profile -q -d "$dev" --redo --precise --max-time 3 "$work/five3.jsonl" \
        >"$out/stability_$1.jsonl"
    failed "$out/stability_$1.jsonl"
    jq -rs --arg name "$1" '(map(.profile.speedup) | sort) as $s
        | (map(.profile.kernel_us.median) | sort) as $k | (map(.profile.gap_share) | sort) as $g
        | [$name, $s[1], $s[0], $s[2], $k[1], $g[1]]
        | map(if type == "number" then . * 10000 | round / 10000 else . end) | @tsv' \
        "$out/stability_$1.jsonl" >>"$out/stability.tsv"
}

bench_stability() {
    local i
    record five row_softmax share/kg/examples/row_softmax/five_kernels.cu | compile |
        kg-verify -q -d "$dev" >"$work/five.jsonl"
    cat "$work/five.jsonl" "$work/five.jsonl" "$work/five.jsonl" >"$work/five3.jsonl"
    printf 'when\tspeedup median of 3\tmin\tmax\tkernel us\tgap share\n' >"$out/stability.tsv"
    stability_run alone
    : >"$flag"
    for ((i = 1; i < cores; i++)); do
        busy "$i" &
    done
    sleep 2
    stability_run busy
    rm -f "$flag"
    wait
    columns "$out/stability.tsv"
    awk -F '\t' 'NR == 2 { a = $2 } NR == 3 { printf "moved by %.2f %% (bar 1 %%)\n", 100 * ($2 / a - 1) }' \
        "$out/stability.tsv"
}
