#!/usr/bin/env bats
# What all seven programs have in common: what they read, what they write where, how they end.
bats_require_minimum_version 1.5.0

programs=(kg-compile kg-verify kg-profile kg-reward kg-advantage kg-sample kg-report)
filters=(kg-compile kg-verify kg-profile kg-reward kg-advantage kg-sample) # one object in, one out

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export KG_DEVICE=host
    # every program takes it: no candidate is built or run for it
    settled='{"id":7,"uid":"u","traj":0,"turn":1,"compile":{"ok":false},"status":"COMPILE_ERROR","reward":0}'
}

# expect STATUS COMMAND...: stdout in 'out', stderr in 'err'; tells what was different
expect() {
    local want=$1 got
    shift
    got=0
    "$@" >out 2>err || got=$?
    [ "$got" = "$want" ] || { echo "$*: exit status $got, want $want"; cat err; return 1; }
}

@test "there are seven programs, and these tests know them" {
    run bash -c "find '$KG_TOP/cmd' -name '*.c' -printf '%f\n' | sed 's/\.c$//' | sort | tr '\n' ' '"
    [ "$output" = "$(printf '%s\n' "${programs[@]}" | sort | tr '\n' ' ')" ]
}

@test "empty input: empty output, no words" {
    for p in "${programs[@]}"; do
        expect 0 "$p" </dev/null
        [ "$p" = kg-report ] || [ ! -s out ]
        [ ! -s err ] || { echo "$p"; cat err; false; }
        printf '\n\r\n  \n' | expect 0 "$p"
        [ "$p" = kg-report ] || [ ! -s out ]
        [ ! -s err ] || { echo "$p"; cat err; false; }
    done
}

@test "bad lines: a message each with its line, the answer to what is an object, status 2" {
    for p in "${programs[@]}"; do
        printf 'not json\n{"a":1}\n' | expect 2 "$p"
        [ "$(wc -l <err)" = 2 ] || { echo "$p"; cat err; false; }
        sed -n 1p err | grep -qx "$p: <stdin>:1: not a JSON object: byte 1: .*"
        sed -n 2p err | grep -qx "$p: <stdin>:2: missing field '[a-z_]*'.*"
        [ "$p" != kg-report ] || continue
        [ "$(wc -l <out)" = 1 ]
        jq -e '.a == 1 and .status == "BAD_RECORD" and (.error_message | startswith("missing field"))' out
        [ "$(head -c 6 out)" = '{"a":1' ]
    done
}

@test "messages name the file, and go on counting in the next" {
    printf '%s\n[1]\n' "$settled" >one
    printf '\n\n{"a":\n' >two
    for p in "${programs[@]}"; do
        expect 2 "$p" one two
        grep -q "^$p: one:2: not a JSON object" err
        grep -q "^$p: two:3: not a JSON object" err
    done
}

@test "NaN as Python's json writes it is named" {
    for p in "${programs[@]}"; do
        echo '{"uid":"u","speedup":NaN}' | expect 2 "$p"
        grep -q "^$p: <stdin>:1: not a JSON object: byte 22: .*NaN.*Python" err || { cat err; false; }
    done
}

@test "a full disk is told, status 5" {
    [ -e /dev/full ] || skip "no /dev/full"
    for p in "${programs[@]}"; do
        run -5 --separate-stderr bash -c 'echo "$2" | "$1" >/dev/full' - "$p" "$settled"
        # shellcheck disable=SC2154 # set by run
        [[ "$stderr" == "$p: "*"No space left on device"* ]] || { echo "$p: $stderr"; false; }
    done
}

@test "a reader that has gone ends the run without a word" {
    for ((i = 0; i < 3000; i++)); do echo "$settled"; done | sed = | sed 'N;s/\n//;s/^\([0-9]*\){"id":7/{"id":\1/;s/"traj":0/"traj":"x"/' >many
    sed -i 's/^{"id":\([0-9]*\),"uid":"u","traj":"x"/{"id":\1,"uid":"u","traj":\1/' many
    for p in "${filters[@]}"; do
        run --separate-stderr bash -c '"$1" -q many | head -n 1' - "$p"
        [[ "$output" == '{"id":1,'* ]] || { echo "$p: $output"; false; }
        [ -z "$stderr" ] || { echo "$p: $stderr"; false; }
    done
}

@test "--help and -h: usage on stdout, every option in it; --version" {
    for p in "${programs[@]}"; do
        expect 0 "$p" --help
        head -n 1 out | grep -q "^usage: $p \[options\] \[file \.\.\.\]"
        [ ! -s err ]
        for o in $("$p" --complete | cut -f 1); do grep -qe " $o" out; done
        cp out help
        expect 0 "$p" -h
        cmp out help
        expect 0 "$p" --version
        grep -qx "$p [0-9]*\.[0-9]*\.[0-9]*" out || { cat out; false; }
        run -5 bash -c '"$1" --help >/dev/full' - "$p"
        run -5 bash -c '"$1" --version >/dev/full' - "$p"
    done
}

@test "wrong usage: one message, status 2, nothing read" {
    for p in "${programs[@]}"; do
        for words in --no-such-option -Z --rejects --help=x "--fail=yes"; do
            echo "$settled" | expect 2 "$p" "$words"
            [ ! -s out ]
            [ "$(wc -l <err)" = 1 ] || { echo "$p $words"; cat err; false; }
            grep -q "^$p: " err
        done
    done
    expect 2 kg-verify -j 1e3
    grep -q "1e3" err
    expect 2 kg-verify -j 10x
    expect 2 kg-advantage --gamma abc
    expect 2 kg-advantage --estimator trlo
    grep -q "trloo" err
    expect 2 kg-reward -p no-such-policy
    expect 2 kg-reward -D no.such=1
}

@test "an operand that cannot be read: a message, the others are read, status 2" {
    echo "$settled" >good
    mkdir folder
    for p in "${programs[@]}"; do
        for bad in none folder; do
            expect 2 "$p" -q "$bad" good
            grep -q "^$p: .*'\?$bad'\?: " err || { cat err; false; }
            [ "$(wc -l <err)" = 1 ] || { echo "$p $bad"; cat err; false; }
            [ "$p" = kg-report ] || [ "$(wc -l <out)" = 1 ]
        done
    done
}

@test "- is stdin, -- ends the options" {
    echo "${settled/\"traj\":0/\"traj\":1}" >-dash
    for p in "${filters[@]}"; do
        echo "$settled" | expect 0 "$p" -q - -- -dash
        [ "$(wc -l <out)" = 2 ] || { echo "$p"; cat out; false; }
    done
}

@test "every byte that is not ours passes through" {
    cat >in <<'EOF'
{"z":123456789012345678901234567890,"one":1.50,"exp":1E+05, "A" : [ 1 , -0.0,{"b":[]} ],"uid":"u","nul":"a\u0000b\/\u00e9é","traj":0,"turn":1,"compile":{"ok":false, "log":"x"},"status":"COMPILE_ERROR","reward":0,"empty":{ },"huge":1e400}
EOF
    for p in "${filters[@]}"; do
        expect 0 "$p" -q in
        case $p in
        kg-compile | kg-verify | kg-profile) cmp in out ;; # settled: not a byte more
        *)
            # what stands before the first field that is ours to write
            [ "$(cut -d'"' -f 1-40 out | head -c 180)" = "$(head -c 180 in)" ] || { echo "$p"; cat out; false; }
            grep -qF '"empty":{ },"huge":1e400' out
            jq -e . out >/dev/null
            # the order of the keys that were there
            [ "$(jq -c 'keys_unsorted[:13]' out)" = "$(jq -c 'keys_unsorted' in)" ]
            ;;
        esac
    done
}

@test "CRLF and a missing last newline are taken" {
    for p in "${filters[@]}"; do
        printf '%s\r\n%s' "$settled" "${settled/\"traj\":0/\"traj\":1}" | expect 0 "$p" -q
        [ "$(wc -l <out)" = 2 ] || { echo "$p"; cat out; false; }
        run ! grep -q $'\r' out
        jq -e . out >/dev/null
    done
}

@test "a key of ours that stands twice is a bad record, a foreign one passes" {
    for p in kg-reward kg-advantage kg-sample; do
        echo "${settled%\}},\"x\":1,\"x\":2}" | expect 0 "$p" -q
        grep -qF '"x":1,"x":2' out
        echo "${settled%\}},\"reward\":1}" | expect 2 "$p" -q
        grep -q "^$p: <stdin>:1: .*'reward'" err || { cat err; false; }
        # under another spelling it is the same key
        echo "${settled%\}},\"rewar\\u0064\":1}" | expect 2 "$p" -q
    done
}

@test "-q: errors only" {
    for p in "${filters[@]}"; do
        echo "$settled" | expect 0 "$p" -q
        [ ! -s err ] || { cat err; false; }
        echo "x" | expect 2 "$p" -q
        [ "$(wc -l <err)" = 1 ]
    done
}

@test "--rejects holds what was no record, byte for byte" {
    printf 'a\tb\n%s\n\xff\xfe\n{"x":01}\r\n{"a":1' "$settled" >in
    printf 'a\tb\n\xff\xfe\n{"x":01}\r\n{"a":1\n' >want
    for p in "${programs[@]}"; do
        expect 2 "$p" -q --rejects rejects in
        diff <(tr -d '\r' <want | od -c) <(tr -d '\r' <rejects | od -c) || { echo "$p"; false; }
        [ "$(wc -l <err)" = 4 ]
        expect 2 "$p" -q --rejects none/rejects in
        grep -q "none/rejects" err
        [ "$p" = kg-report ] || [ ! -s out ]
        [ ! -e /dev/full ] || expect 5 "$p" -q --rejects /dev/full in
    done
}

@test "control characters of the input do not reach the terminal" {
    for p in "${programs[@]}"; do
        printf '{"uid":"\\u001b[31mred\\n","status":5,"task_id":"\\u001b[31m","kernel_code":"x"}\n' | expect 2 "$p" || true
        run ! grep -q $'\033' err
        run ! grep -q $'\033' out
    done
}

@test "SIGTERM while input is awaited: what was read is answered, and the status tells" {
    for p in "${filters[@]}"; do
        mkfifo "pipe-$p"
        "$p" -q "pipe-$p" >out 2>err 3>&- &
        pid=$!
        exec {to}>"pipe-$p"
        echo "$settled" >&"$to"
        # a filter that answers at once has answered when it waits again
        case $p in
        kg-advantage | kg-sample) ;;
        *) for ((i = 0; i < 500; i++)); do [ ! -s out ] || break; sleep 0.02; done ;;
        esac
        kill -TERM "$pid"
        status=0
        wait "$pid" || status=$?
        exec {to}>&-
        [ "$status" = 143 ] || { echo "$p: status $status"; cat err; false; }
        # whole lines only
        [ ! -s out ] || [ "$(tail -c 1 out | od -An -c | tr -d ' ')" = '\n' ]
        jq -e . out >/dev/null || [ ! -s out ]
    done
}

@test "closed descriptors: no file of ours is taken for stdout" {
    echo "$settled" >in
    for p in "${programs[@]}"; do
        run bash -c '"$1" in <&- 2>&-' - "$p"
        [ "$status" = 0 ] || { echo "$p: $status"; false; }
        run bash -c '"$1" in >&-' - "$p"
        [ "$status" = 5 ] || { echo "$p: $status $output"; false; }
    done
}

@test "a pipe of two is a coprocess: each record is answered before the next is sent" {
    jq -nc --rawfile code "$KG_TOP/share/kg/tasks/vector_add.cu" \
        '{id: 1, task_id: "vector_add", kernel_code: $code},
         {id: 2, task_id: "vector_add", kernel_code: "this does not compile"},
         {id: 3, task_id: "vector_add", kernel_code: null}' >in
    coproc GYM { kg-compile --unordered | kg-verify --unordered; }
    local from=${GYM[0]} to=${GYM[1]} pid=$GYM_PID line n=0 want
    while read -r record; do
        n=$((n + 1))
        echo "$record" >&"$to"
        read -r -t 100 line <&"$from"
        want=$(sed -n "${n}p" <<<$'PASSED\nCOMPILE_ERROR\nNO_CODE')
        [ "$(jq -c '[.id, .status]' <<<"$line")" = "[$n,\"$want\"]" ] || { echo "$line"; false; }
    done <in
    [ "$n" = 3 ]
    exec {to}>&-
    wait "$pid"
}
