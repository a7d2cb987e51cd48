#!/usr/bin/env bats
# What goes wrong around the programs: memory, compilers, caches, processes that are killed. Whatever
# it is: a status of the manual, whole lines only, and nothing left behind.
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export KG_DEVICE=host
    settled='{"id":7,"uid":"u","traj":0,"turn":1,"compile":{"ok":false},"status":"COMPILE_ERROR","reward":0}'
}

candidate() { # id: a record of an honest candidate
    jq -nc --argjson id "$1" --rawfile code "$KG_TOP/share/kg/tasks/vector_add.cu" \
        '{id: $id, uid: "u", traj: $id, task_id: "vector_add", kernel_code: $code}'
}

whole_lines() { # FILE: empty, or lines that are JSON each
    [ ! -s "$1" ] || { [ "$(tail -c 1 "$1" | od -An -tx1)" = " 0a" ] && jq -e . "$1" >/dev/null; }
}

# below PID: 'pid:starttime' of it and all of its descendants
below() {
    local child stat
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
    # shellcheck disable=SC2086 # words: the 20th behind the name is the start
    set -- "$1" ${stat##*) }
    echo "$1:${21}"
    for child in $(pgrep -P "$1"); do
        below "$child"
    done
}

# those of the arguments (pid:starttime) that still run; zombies do not
remaining() {
    local p stat
    for p; do
        stat=$(cat "/proc/${p%:*}/stat" 2>/dev/null) || continue
        # shellcheck disable=SC2086 # words
        set -- ${stat##*) }
        [ "${20}" != "${p#*:}" ] || [ "$1" = Z ] || echo "$p"
    done
}

await() { # until the command succeeds; false after 30 s
    local i
    for ((i = 0; i < 1500; i++)); do
        "$@" && return 0
        sleep 0.02
    done
    false
}

all_gone() {
    [ -z "$(remaining "$@")" ]
}

n_below() { # PID NAME N: it has N descendants of that name
    local p n=0
    for p in $(below "$1"); do
        [ "$(cat "/proc/${p%:*}/comm" 2>/dev/null)" != "$2" ] || n=$((n + 1))
    done
    [ "$n" -ge "$3" ]
}

@test "the n-th allocation fails: status 0, 2 or 5, a message, no half line" {
    { echo "$settled"; echo "${settled/\"traj\":0/\"traj\":1}"; echo bad; } >in
    for p in kg-compile kg-verify kg-profile kg-reward kg-advantage kg-sample kg-report; do
        failed=0
        for ((n = 1; n <= 60; n++)); do
            rc=0
            KG_FAIL_ALLOC=$n "$p" -q in >out 2>err || rc=$?
            case $rc in
            2) [ "$(grep -c "^$p: in:3: " err)" = 1 ] ;;
            5) grep -q "^$p: out of memory" err && failed=$((failed + 1)) ;;
            *) false ;;
            esac || { echo "$p, allocation $n: status $rc"; cat err; false; }
            [ "$p" = kg-report ] || whole_lines out || { echo "$p, allocation $n"; cat out; false; }
        done
        # the test tests something: allocations did fail
        [ "$failed" -gt 10 ] || { echo "$p: only $failed of 60 failed"; false; }
    done
}

@test "an allocation fails while a candidate is built and judged: nothing stays behind" {
    candidate 1 >in
    kg-verify -q in >out
    [ "$(jq -r .status out)" = PASSED ]
    for n in 100 200 400 800 1600; do
        rc=0
        KG_FAIL_ALLOC=$n kg-verify -q in >out 2>err &
        pid=$!
        seen=$(below "$pid")
        while [ -e "/proc/$pid/exe" ] && [ -n "$(cat "/proc/$pid/cmdline" 2>/dev/null)" ]; do
            seen+=" $(below "$pid" | tr '\n' ' ')"
            sleep 0.02
        done
        wait "$pid" || rc=$?
        case $rc in
        0) jq -e '.status == "PASSED" or .status == "JUDGE_FAULT"' out ;;
        5) grep -q 'out of memory' err ;;
        *) echo "allocation $n: status $rc"; cat err; false ;;
        esac
        whole_lines out
        # shellcheck disable=SC2086 # words
        await all_gone $seen
    done
}

@test "no half line when memory ends behind long records" {
    pad=$(head -c 150000 /dev/zero | tr '\0' x)
    for i in 1 2 3 4; do echo "${settled/\"traj\":0/\"traj\":$i,\"pad\":\"$pad\"}"; done >in
    for p in kg-reward kg-advantage kg-sample kg-compile; do
        for n in 30 40 50 60 70 80 90 100; do
            KG_FAIL_ALLOC=$n "$p" -q in >out 2>err || true
            [ ! -s out ] || [ "$(tail -c 1 out | od -An -tx1)" = " 0a" ] || { echo "$p $n"; false; }
        done
    done
}

@test "no compiler: one clear message, the record is answered as ours, status 3" {
    candidate 1 >in
    mkdir none
    for p in kg-compile kg-verify kg-profile; do
        rc=0
        env -i PATH="$PWD/none" HOME="$PWD" XDG_CACHE_HOME="$PWD/cache" CUDA_HOME="$PWD/none" \
            "$KG_BIN/$p" -d host in >out 2>err || rc=$?
        [ "$rc" = 3 ] || { echo "$p: $rc"; cat err; false; }
        [ "$(grep -c 'no C++ compiler' err)" = 1 ] || { cat err; false; }
        [ "$(wc -l <err)" = 1 ]
        jq -e '.status == "JUDGE_FAULT" and (.error_message | contains("no C++ compiler"))' out
    done
}

@test "no CUDA toolkit, no driver: said before any record is read, status 3" {
    candidate 1 >in
    if nvidia-smi -L >/dev/null 2>&1; then skip "there is a GPU here"; fi
    for p in kg-compile kg-verify kg-profile; do
        rc=0
        "$p" -d cuda in >out 2>err || rc=$?
        [ "$rc" = 3 ]
        [ "$(wc -l <err)" = 1 ]
        grep -q "^$p: .*\(CUDA\|cuda\)" err || { cat err; false; }
        [ ! -s out ]
    done
    rc=0
    env CUDA_HOME="$PWD/none" kg-compile --target sm_90 in >out 2>err || rc=$?
    [ "$rc" = 3 ] || { echo "$rc"; cat err out; false; }
    [ "$(wc -l <err)" = 1 ]
}

@test "a cache that cannot be written: built in a temporary folder, and said" {
    candidate 1 >in
    XDG_CACHE_HOME=/proc/none kg-compile in >out
    jq -e '.compiled and (.compile.notes | join(" ") | contains("no cache"))' out
    touch plain
    XDG_CACHE_HOME=$PWD/plain/x kg-compile in >out
    jq -e '.compiled and (.compile.notes | join(" ") | contains("no cache"))' out
    # nothing of it is left in the folder for temporary files
    mkdir tmp
    TMPDIR=$PWD/tmp XDG_CACHE_HOME=/proc/none kg-compile in >out
    [ -z "$(ls -A tmp)" ] || { ls -A tmp; false; }
}

@test "truths without a cache: computed in a temporary folder, said once, and gone" {
    candidate 1 >in
    mkdir tmp
    TMPDIR=$PWD/tmp XDG_CACHE_HOME=/proc/none kg-verify in >out 2>err
    jq -e '.status == "PASSED"' out || { cat out err; false; }
    [ "$(grep -c 'no cache of truths' err)" = 1 ]
    [ -z "$(ls -A tmp)" ] || { ls -A tmp; false; }
}

@test "a damaged cache is not believed" {
    candidate 1 >in
    export XDG_CACHE_HOME=$PWD/cache
    kg-verify in | jq -e '.status == "PASSED"'
    for cut in 0 100; do
        find cache -type f -exec truncate -s "$cut" {} +
        kg-verify in >out
        jq -e '.status == "PASSED"' out || { cat out; false; }
    done
    find cache -type f -exec sh -c 'for f; do n=$(stat -c %s "$f"); head -c "$n" /dev/urandom >"$f"; done' - {} +
    kg-verify in >out
    jq -e '.status == "PASSED"' out || { cat out; false; }
}

@test "a process of the judge is killed, whichever: two answers, the next is right, nothing stays" {
    { candidate 1; candidate 2; } >in
    kg-verify -q in >/dev/null # what follows finds it built
    for k in 1 2 3 4 5 6; do
        kg-verify -q -j 1 in >out 2>err &
        judge=$!
        await n_below "$judge" kg-init 1
        sleep "0.0$k"
        mapfile -t all < <(below "$judge" | tail -n +2)
        [ "${#all[@]}" -gt 0 ] || { wait "$judge"; continue; }
        victim=${all[k % ${#all[@]}]}
        kill -KILL "${victim%:*}" 2>/dev/null || true
        rc=0
        wait "$judge" || rc=$?
        [ "$rc" = 0 ] || { echo "kill $k: status $rc"; cat err; false; }
        whole_lines out
        [ "$(wc -l <out)" = 2 ]
        # who kills a candidate's process from outside is not known: the candidate may have done it
        jq -s -e '.[0].status | IN("PASSED", "JUDGE_FAULT", "CRASH", "OOM", "EARLY_EXIT")' out ||
            { cat out; false; }
        jq -s -e '.[1].status == "PASSED"' out || { cat out; false; }
        await all_gone "${all[@]}"
    done
}

@test "the judge is killed at some moment: no half line, nothing stays" {
    { candidate 1; candidate 2; candidate 3; } >in
    for moment in 0.02 0.1 0.2 0.4 0.8; do
        kg-verify -q --no-cache -j 2 in >out 2>err &
        judge=$!
        sleep "$moment"
        mapfile -t all < <(below "$judge")
        kill -KILL "$judge" 2>/dev/null || true
        wait "$judge" || true
        whole_lines out
        await all_gone "${all[@]}"
    done
}

@test "SIGTERM and SIGINT while candidates run: they are answered, and nothing stays" {
    jq -nc '{id: 1, task_id: "vector_add", kernel_code:
        "extern \"C\" void solve(const float *, const float *, float *, int) { for (;;) { } }"}' >in
    for signal in TERM INT; do
        # a background job of a shell ignores SIGINT, and what ignores it stays so
        setsid env --default-signal=INT,TERM kg-verify -q --call-timeout 100 --timeout 100 in >out 2>err &
        judge=$!
        await n_below "$judge" kg-worker 2
        mapfile -t all < <(below "$judge")
        kill "-$signal" "$judge"
        rc=0
        wait "$judge" || rc=$?
        [ "$rc" = $((128 + $(kill -l "$signal"))) ] || { echo "$signal: $rc"; cat err; false; }
        [ "$(jq -r '.status + " " + .error_message' out)" = "JUDGE_FAULT interrupted" ] || { cat out; false; }
        await all_gone "${all[@]}"
    done
}
