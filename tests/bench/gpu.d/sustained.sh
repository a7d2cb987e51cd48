# shellcheck shell=bash disable=SC2154 # dev, out, work and the like are of tests/bench/gpu
# Seconds for a whole judged candidate (compiled, checked, timed) of a small task: the first one with
# empty caches, and each of 12 in one run.

sustained_small() { # NAME TASK SOURCE AXES
    local name=$1 begin first one many
    record "$name" "$2" "$3" | compile | jq -c 'del(.compile)' | resize "$4" >"$work/small.jsonl"
    begin=$(now)
    XDG_CACHE_HOME=$work/empty.$name judge_all 1 "$work/small.jsonl" >"$out/first_$name.jsonl"
    first=$(seconds_since "$begin")
    variants 1 >"$work/one.jsonl"
    begin=$(now)
    XDG_CACHE_HOME=$work/empty.$name judge_all 1 "$work/one.jsonl" >"$out/second_$name.jsonl"
    one=$(seconds_since "$begin")
    variants 12 >"$work/many.jsonl"
    for jobs in 1 4; do
        begin=$(now)
        XDG_CACHE_HOME=$work/empty.$name judge_all $jobs "$work/many.jsonl" >"$out/many_$name.$jobs.jsonl"
        many="${many-}$(printf '\t')$(seconds_since "$begin" | awk '{ printf "%.3f", $1 / 12 }')"
        variants 12 >"$work/many.jsonl"
    done
    failed "$out/many_$name.1.jsonl"
    failed "$out/many_$name.4.jsonl"
    printf '%s\t%s\t%s%s\n' "$name" "$first" "$one" "$many" >>"$out/sustained.tsv"
}

variants() { # N of small.jsonl, each with a source of its own
    jq -c --argjson n "$1" --arg run "$RANDOM$RANDOM" \
        'range($n) as $i | .id = $i | .kernel_code += "\n__device__ int kg_variant_\($i) = \($run);\n"' \
        "$work/small.jsonl"
}

judge_all() { # JOBS FILE
    kg-compile -q -d "$dev" -j "$1" "$2" | kg-verify -q -d "$dev" -j "$1" | kg-profile -q -d "$dev" -j "$1"
}

bench_sustained() {
    printf 'task\tfirst s\tsecond s\teach of 12, -j 1\teach of 12, -j 4\n' >"$out/sustained.tsv"
    sustained_small bare gelu_half share/kg/tasks/gelu_half.cu '{"n":1048576}'
    sustained_small solve vector_add share/kg/tasks/vector_add.cu '{"n":1048576}'
    columns "$out/sustained.tsv"
}
