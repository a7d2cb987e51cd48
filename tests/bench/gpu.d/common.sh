# shellcheck shell=bash disable=SC2154 # dev, out, work and the like are of tests/bench/gpu
# What the parts of tests/bench/gpu share: $dev, $out, $work, $cores, $top, $parts are set.

now() {
    date +%s.%N
}

seconds_since() {
    awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.2f", b - a }'
}

# columns FILE: a file of tab-separated columns, the first line a header, as a table
columns() {
    awk -F'\t' '{ n[NR] = NF; for (i = 1; i <= NF; i++) { c[NR, i] = $i; if (length($i) > w[i]) w[i] = length($i) } }
        END { for (r = 1; r <= NR; r++) { line = ""
            for (i = 1; i <= n[r]; i++) line = line sprintf(i < n[r] ? "%-" w[i] "s  " : "%s", c[r, i])
            print line } }' "$1"
}

# record ID TASK SOURCE [EXTRA]: one line; SOURCE is a file, relative to the top
record() {
    jq -cn --arg id "$1" --arg task "$2" --rawfile code "$top/$3" \
        "{id: \$id, task_id: \$task, kernel_code: \$code} + ${4:-{\}}"
}

# resize AXES: a record that holds its task, at another timed size, with the first case alone
resize() {
    jq -c --argjson axes "$1" '.task.axes = $axes | .task.cases |= .[:1]
        | .task.task_id += "_" + ($axes | [.[] | tostring] | join("x")) | .task_id = .task.task_id'
}

# compile: builds and puts tasks into the records; those of the tests are known as well
compile() {
    kg-compile -q -d "$dev" -t "$top/share/kg/tasks" -t "$top/tests/gpu/kernels" \
        -j "$cores" --embed-task "$@"
}

# failed FILE: what did not pass, as text; nothing when all did
failed() {
    jq -r 'select(.status != "PASSED") | "not passed: \(.id): \(.status): \(.error_message)"' "$1"
}

# on_device NAME: a small program of gpu.d, built by nvcc when it is not there yet
on_device() {
    local bin=$build/bench/$1
    if [ ! -x "$bin" ] || [ "$parts/$1.cu" -nt "$bin" ]; then
        mkdir -p "${bin%/*}"
        nvcc -O3 -arch=native -cudart shared -o "$bin" "$parts/$1.cu" >&2 || return 1
    fi
    echo "$bin"
}

# artifact HASH: the built file of that content in the cache
artifact() {
    [ -s "$work/artifacts" ] || find "$XDG_CACHE_HOME/kg/artifacts" -name '*.so' -print0 |
        xargs -0 sha256sum >"$work/artifacts"
    awk -v h="$1" '$1 == h { print $2; exit }' "$work/artifacts"
}

# busy: keeps a core compiling while the flag is there
busy() {
    while [ -e "$flag" ]; do
        nvcc -O3 -arch=sm_90 -c -o "$work/busy.$1.o" \
            "$top/share/kg/examples/row_softmax/five_kernels.cu" >/dev/null 2>&1 || sleep 0.1
    done
}
