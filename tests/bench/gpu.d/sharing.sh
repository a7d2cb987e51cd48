# shellcheck shell=bash disable=SC2154 # dev, out, work and the like are of tests/bench/gpu
# A timer beside another filter that checks: the locks keep the checks out of timed rounds. "Without
# locks" is the same filter in a mount namespace whose /dev/shm, where the locks are, is its own;
# where that is refused, a program that launches kernels and knows no locks.

sharing_checks() { # checks over and over while the flag is there
    while [ -e "$flag" ]; do
        kg-verify -q -d "$dev" --redo -j 2 "$work/share.jsonl" >/dev/null 2>&1 || sleep 0.1
    done
}

sharing_unlocked() {
    local program
    export -f sharing_checks
    export dev work flag
    if unshare -m mount -t tmpfs tmpfs /dev/shm 2>/dev/null; then
        echo "without_locks: a filter with locks of its own"
        unshare -m bash -c 'mount -t tmpfs tmpfs /dev/shm && sharing_checks'
    elif [ "$dev" != host ] && program=$(on_device replay); then
        echo "without_locks: a program that launches kernels without a pause"
        while [ -e "$flag" ]; do
            "$program" load 2 "$work/load"
        done
    fi
}

# Times one record three times and adds a line to the table.
sharing_time() { # NAME
    local begin took
    begin=$(now)
    timeout 40 kg-profile -q -d "$dev" --redo --max-time 1 "$work/share3.jsonl" >"$out/sharing_$1.jsonl"
    took=$(seconds_since "$begin")
    jq -rs --arg name "$1" --arg took "$took" 'def r: . * 1000 | round / 1000;
        (map(.profile.kernel_us.median) | sort) as $k | (map(.profile.kernel_us.p90) | max) as $p
        | (map(.profile.speedup) | sort) as $s
        | [$name, (map(select(.profile.ok)) | length), ($k[1] | r), ($k[0] | r), ($k[2] | r), ($p | r),
           ($s[1] | r), $took] | @tsv' "$out/sharing_$1.jsonl" >>"$out/sharing.tsv"
}

beside() { # NAME COUNT COMMAND: times while COUNT of COMMAND run
    local i
    : >"$flag"
    for ((i = 0; i < $2; i++)); do
        "$3" &
    done
    sleep 2
    sharing_time "$1"
    rm -f "$flag"
    wait
}

bench_sharing() {
    local i
    record timed row_softmax share/kg/examples/row_softmax/row_a_block.cu | compile |
        kg-verify -q -d "$dev" >"$work/share.jsonl"
    failed "$work/share.jsonl"
    for i in 1 2 3; do cat "$work/share.jsonl"; done >"$work/share3.jsonl"
    jq -r .compile.artifact "$work/share.jsonl" | while read -r hash; do
        echo "load $(artifact "$hash") f:33554432 o:33554432 i:4096 i:8192"
    done >"$work/load"
    printf 'when\tpassed of 3\tkernel us\tmin\tmax\tp90\tspeedup\tseconds\n' >"$out/sharing.tsv"
    sharing_time alone
    beside beside_a_filter 1 sharing_checks
    beside beside_8_filters 8 sharing_checks
    beside without_locks 1 sharing_unlocked
    columns "$out/sharing.tsv"
}
