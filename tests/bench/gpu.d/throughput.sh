# shellcheck shell=bash disable=SC2154 # dev, out, work and the like are of tests/bench/gpu
# 200 candidates of mixed fate, verified and timed in one program, then in a pipe of two: judged per
# second, how busy the GPU was, and what is left behind. Truths, references and baselines are in the
# caches already, as in a run of weeks; every candidate is compiled anew.

# verdict, task and source; the shares of a hundred
throughput_mix() {
    cat <<'EOF'
PASSED              22 gelu_half   share/kg/tasks/gelu_half.cu
PASSED              12 row_softmax share/kg/examples/row_softmax/fused_warp.cu
PASSED              8  row_softmax share/kg/examples/row_softmax/row_a_block.cu
PASSED              8  rms_norm    share/kg/examples/rms_norm/fused.cu
PASSED              6  rms_norm    share/kg/examples/rms_norm/three_kernels.cu
PASSED              8  prefix_sum  share/kg/examples/prefix_sum/wide_tiles.cu
INCORRECT_NUMERICAL 6  row_softmax share/kg/examples/row_softmax/wrong_last_block.cu
UNWRITTEN_OUTPUT    6  row_softmax share/kg/examples/row_softmax/skips_rows.cu
OOB_WRITE           4  rms_norm    share/kg/examples/rms_norm/past_the_end.cu
COMPILE_ERROR       6  row_softmax share/kg/examples/row_softmax/syntax_error.cu
STALE_OUTPUT        4  prefix_sum  share/kg/examples/prefix_sum/cached.cu
TIMEOUT             4  row_softmax share/kg/examples/row_softmax/endless.cu
ILLEGAL_ADDRESS     3  vector_add  tests/gpu/candidates/far_away.cu
EARLY_EXIT          3  rms_norm    share/kg/examples/rms_norm/exits.cu
EOF
}

# N records in an order that is always the same, each with a source of its own.
throughput_records() { # N
    local verdict share task file n=0 i
    throughput_mix | while read -r verdict share task file; do
        for ((i = 0; i < share * $1 / 100; i++)); do
            n=$((n + 1))
            record "$n" "$task" "$file" "{expect: \"$verdict\"}"
        done
    done | jq -c --arg run "$RANDOM$RANDOM" \
        '.kernel_code += "\n__device__ int kg_variant_\(.id) = \($run);\n"' |
        awk '{ print (NR * 7919) % 10007 "\t" $0 }' | sort -n | cut -f 2-
}

gpu_memory() {
    nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null | head -n 1
}

left_processes() {
    local name
    for name in kg-worker kg-init kg-nvrtc kg-compile kg-verify kg-profile; do
        pgrep -x "$name" # a pattern for them all is too long for pgrep
    done | wc -l
}

# The mixed candidates through filters, into $out/throughput_NAME.jsonl.
throughput_run() { # NAME FILTERS: a shell line that reads $records
    local name=$1 begin took before after filters sampler=""
    export dev cores work
    before=$(gpu_memory)
    if [ "$dev" != host ] && command -v nvidia-smi >/dev/null; then
        nvidia-smi dmon -s u -d 1 >"$out/dmon.txt" 2>/dev/null &
        sampler=$!
    fi
    begin=$(now)
    # a limit for all of them: timeout signals its process group, which is its own, so that what ends
    # this script has to be handed on
    timeout "${KG_BENCH_LIMIT:-300}" bash -c "$2" >"$out/throughput_$name.jsonl" &
    filters=$!
    trap 'kill "$filters"; exit 143' INT TERM
    wait "$filters"
    trap - INT TERM
    took=$(seconds_since "$begin")
    [ -z "$sampler" ] || { kill "$sampler" && wait "$sampler"; } 2>/dev/null
    sleep 1
    after=$(gpu_memory)
    echo "$name: $2"
    throughput_table "$out/throughput_$name.jsonl"
    jq -rs --argjson took "$took" --argjson count "$(wc -l <"$work/mixed.jsonl")" '. as $r
        | ["TIMEOUT", "CRASH", "ILLEGAL_ADDRESS", "EARLY_EXIT"] as $bad
        | "judged \(length) of \($count) in \($took) s: \(length / $took * 100 | round / 100) a second; "
          + "other verdicts than expected: \(map(select(.status != .expect)) | length); "
          + "next after a hang or crash right: \([range(1; length) | select($r[. - 1].expect as $e
              | $bad | index($e)) | $r[.] | .status == .expect] | "\(map(select(.)) | length) of \(length)")"' \
        "$out/throughput_$name.jsonl"
    [ -z "$sampler" ] || awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { s += $2; n++ }
        END { if (n) printf "GPU busy in %.0f %% of %d seconds (nvidia-smi dmon, sm)\n", s / n, n }' "$out/dmon.txt"
    echo "left: $(left_processes) processes; device memory used before ${before:--} MiB, after ${after:--} MiB"
}

# Verdicts, and how long a record of each kind was in its session, waiting for the device included;
# verified and timed in one session, both times are the session's.
throughput_table() { # FILE
    jq -rs '["expected", "got", "count", "verify ms", "profile ms", "all s"],
        (group_by([.expect, .status])[] | def median: sort | .[length / 2 | floor];
            [.[0].expect, .[0].status, length,
             (map(.verify.verify_ms // 0) | median | round), (map(.profile.profile_ms // 0) | median | round),
             (map([.verify.verify_ms // 0, .profile.profile_ms // 0] | unique | add) | add / 100 | round / 10)])
        | @tsv' "$1" >"$work/throughput.tsv"
    columns "$work/throughput.tsv"
    jq -r 'select(.status != .expect) | "\(.id): \(.expect) expected: \(.status): \(.error_message)"' "$1" |
        head -n 10
}

bench_throughput() {
    local limits='--call-timeout 2' name
    throughput_records "${KG_BENCH_CANDIDATES:-200}" >"$work/mixed.jsonl"
    # the caches of truths, references and baselines
    jq -cs 'map(select(.expect == "PASSED")) | unique_by(.task_id)[]' "$work/mixed.jsonl" \
        >"$work/warm.jsonl"
    kg-profile -q -d "$dev" -j 4 --max-time 1 "$work/warm.jsonl" >/dev/null
    # shellcheck disable=SC2016 # the inner shell's
    local compile='kg-compile -q -d "$dev" -j "$cores" "$work/mixed.jsonl"'
    local verify="kg-verify -q -d \"\$dev\" -j ${KG_BENCH_VERIFY_JOBS:-1} $limits"
    local profile="kg-profile -q -d \"\$dev\" -j ${KG_BENCH_PROFILE_JOBS:-1} $limits --max-time 5"
    for name in ${KG_BENCH_THROUGHPUT:-one pipe}; do
        throughput_records "${KG_BENCH_CANDIDATES:-200}" >"$work/mixed.jsonl" # sources that no cache knows
        case $name in
        one) throughput_run one "$compile | $profile" ;;
        pipe) throughput_run pipe "$compile | $verify | $profile" ;;
        esac
    done
}
