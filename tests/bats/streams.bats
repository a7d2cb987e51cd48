#!/usr/bin/env bats
# What must not lose a record: outputs that are inputs, interrupts, limits, lines that are too long.
bats_require_minimum_version 1.5.0

programs=(kg-compile kg-verify kg-profile kg-reward kg-advantage kg-sample kg-report)
filters=(kg-compile kg-verify kg-profile kg-reward kg-advantage kg-sample)

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export KG_DEVICE=host
    # every program takes it: no candidate is built or run for it
    settled='{"uid":"u","traj":0,"turn":1,"compile":{"ok":false},"status":"COMPILE_ERROR","reward":0}'
    echo "$settled" >records
}

# group COMMAND: in a process group of its own, as a terminal starts a pipe, SIGINT at its default
# (a job in the background ignores it, which an interactive shell undoes); $pid is the group's number
group() {
    python3 -c '
import os, signal, sys
os.setsid()
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp("bash", ["bash", "-c", sys.argv[1]])' "$1" 3>&- &
    pid=$!
}

until_there() { # until_there FILE: something stands in it
    for ((i = 0; i < 1000; i++)); do
        [ ! -s "$1" ] || return 0
        sleep 0.02
    done
    return 1
}

@test "--rejects FILE that is an operand, stdin, stdout or stderr is refused, and nothing is lost" {
    cp records want
    ln -s records link
    ln records twin
    echo "$settled" >other
    for p in "${programs[@]}"; do
        for file in records ./records link twin; do
            run -2 "$p" --rejects "$file" other records
            # shellcheck disable=SC2154 # set by run
            [ "${lines[0]}" = "$p: --rejects '$file' would overwrite the input 'records'" ] || { echo "$output"; false; }
            cmp records want
        done
        run -2 bash -c '"$1" --rejects records <records' - "$p"
        [ "${lines[0]}" = "$p: --rejects 'records' is the file of standard input too" ]
        cmp records want
        run -2 bash -c '"$1" --rejects records - <records' - "$p"
        cmp records want
        run -2 bash -c '"$1" --rejects log other >>log' - "$p"
        [ "${lines[0]}" = "$p: --rejects 'log' is the file of standard output too" ]
        run -2 bash -c 'echo before >log; "$1" --rejects log other 2>>log' - "$p"
        grep -q '^before' log
        grep -q "is the file of standard error too" log
        rm log
        # no regular file, or one of its own
        run -0 bash -c '"$1" -q --rejects /dev/null other >/dev/null' - "$p"
        echo old >own
        run -0 bash -c '"$1" -q --rejects own other >/dev/null' - "$p"
        [ ! -s own ]
    done
}

@test "stdout that appends to an input is refused: it would never end" {
    cp records want
    for p in "${filters[@]}" kg-report; do
        run -2 bash -c '"$1" records >>records' - "$p"
        [ "$output" = "$p: standard output appends to the input 'records'" ]
        run -2 bash -c '"$1" <records >>records' - "$p"
        cmp records want
    done
}

@test "an interrupt of a whole pipe loses no record" {
    mkfifo go
    sed 's/"u"/"v"/' records >second
    sed 's/"u"/"v"/; s/"traj":0/"traj":1/' records >third
    group '(cat records second; trap "" INT; read -r line <go; cat third) | kg-reward -q |
           { kg-advantage -q --grouped; echo $? >status; } >two'
    until_there two # both read, and the first group is answered
    kill -INT -- "-$pid"
    echo >go
    wait "$pid" || true
    [ "$(jq -c '[.uid, .traj, .reward, .group_size]' two)" = '["u",0,0,1]
["v",0,0,2]
["v",1,0,2]' ] || { cat two; false; }
    [ "$(cat status)" = 130 ]
}

@test "an interrupted judge in a pipe passes on untouched what still comes" {
    echo '{"task_id":"vector_add","kernel_code":"x","n":2}' >late
    for p in kg-compile kg-verify kg-profile; do
        mkfifo "to-$p"
        group "$p -q <to-$p >out-$p; echo \$? >status-$p"
        exec {to}>"to-$p"
        cat records >&"$to"
        until_there "out-$p"
        kill -INT -- "-$pid"
        cat late >&"$to"
        exec {to}>&-
        wait "$pid" || true
        cat records late | cmp - "out-$p"
        [ "$(cat "status-$p")" = 130 ]
    done
}

@test "SIGHUP: what was read is answered; ignored, it stays ignored" {
    for how in DFL IGN; do
        mkfifo "to-$how"
        python3 -c '
import os, signal, sys
signal.signal(signal.SIGHUP, signal.Handlers["SIG_" + sys.argv[1]])
os.execvp("kg-advantage", ["kg-advantage", "-q", "--grouped"])' "$how" <"to-$how" >"out-$how" 3>&- &
        pid=$!
        exec {to}>"to-$how"
        cat records >&"$to"
        sed 's/"u"/"v"/' records >&"$to"
        until_there "out-$how"
        kill -HUP "$pid"
        [ "$how" = DFL ] || sed 's/"u"/"w"/' records >&"$to"
        status=0
        [ "$how" = DFL ] || exec {to}>&-
        wait "$pid" || status=$?
        [ "$how" = IGN ] || exec {to}>&-
        echo "$how: $status"
        case $how in
        DFL) [ "$status" = 129 ] && [ "$(jq -r '.error_message' "out-$how" | tail -n 1)" = interrupted ] ;;
        IGN) [ "$status" = 0 ] && [ "$(wc -l <"out-$how")" = 3 ] ;;
        esac
    done
}

@test "a limit on the size of files is an error of writing" {
    for i in {0..2999}; do echo "${settled/\"traj\":0/\"traj\":$i}"; done >many
    for p in "${filters[@]}"; do
        run -5 bash -c 'ulimit -f 100; "$1" -q many >out' - "$p"
        [ "$output" = "$p: cannot write to standard output: File too large" ] || { echo "$output"; false; }
    done
}

@test "a small stack" {
    for p in "${programs[@]}"; do
        run -0 bash -c 'ulimit -s 64; "$1" -q records' - "$p"
    done
    cp "$KG_TOP/share/kg/tasks/vector_add.cu" mine.cu
    kg-compile -q -t vector_add mine.cu | kg-verify -q >judged # compilers themselves need more
    run -0 --separate-stderr bash -c 'ulimit -s 64
        kg-compile -q -t vector_add mine.cu | kg-verify -q | kg-reward -q | kg-advantage -q'
    [ "$(jq -r .status <<<"$output")" = PASSED ]
}

@test "a line of more than 256 MiB goes to --rejects, however it is read" {
    [ "$(df --output=avail -B1 . | tail -n 1)" -gt 4000000000 ] || skip "no room"
    n=$((256 << 20))
    head -c $((n + 1)) /dev/zero | tr '\0' x >line
    cat <(echo "$settled") line <(echo) <(sed 's/"traj":0/"traj":1/' records) >long
    for how in 'kg-reward -q --rejects rejects long' 'cat long | kg-reward -q --rejects rejects' \
        'kg-verify -q -j 2 --rejects rejects long'; do
        run -2 --separate-stderr bash -c "$how"
        # shellcheck disable=SC2154 # set by run
        [[ "$stderr" == *"2: the line is longer than 256 MiB: skipped" ]]
        [ "${#lines[@]}" = 2 ]
        cat line <(echo) | cmp - rejects
    done
    # the longest that is none
    { head -c $((n - ${#settled} - 8)) /dev/zero | tr '\0' ' '; echo "$settled      "; } >long
    run -0 bash -c 'kg-verify -q long | wc -c'
}

@test "'done' of another type is a bad record, not a trainer that waits for ever" {
    for p in kg-advantage kg-sample; do
        run -2 --separate-stderr bash -c 'echo "$2" | "$1" -q --group-size 1' - "$p" "${settled%\}},\"done\":1}"
        [ "$stderr" = "$p: <stdin>:1: field 'done' must be true or false, not 1" ]
        [ "$(jq -r .status <<<"$output")" = BAD_RECORD ]
    done
}

@test "half of a surrogate pair: a bad record, whose answer jq reads" {
    for p in "${filters[@]}"; do
        run -2 --separate-stderr bash -c 'echo "$2" | "$1" -q' - "$p" "${settled%\}},\"id\":\"a\\ud800\"}"
        [[ "$stderr" == "$p: <stdin>:1: byte "*": '\\ud800' is half of a surrogate pair, which is no character" ]]
        [ "$(jq -c '[.id, .status]' <<<"$output")" = '["a�","BAD_RECORD"]' ]
    done
}
