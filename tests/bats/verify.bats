#!/usr/bin/env bats
# kg-verify as a program: the stages, bad input, limits, the sandbox, interruption, repeats.
bats_require_minimum_version 1.5.0

setup() {
    export KG_DEVICE=host
    cd "$BATS_TEST_TMPDIR" || return 1
}

# one record: task, source file, more members as a jq object
record() {
    jq -cn --arg task "$1" --rawfile code "$2" "{id: 1, task_id: \$task, kernel_code: \$code} + ${3:-{\}}"
}

good() {
    record vector_add "$KG_TOP/share/kg/tasks/vector_add.cu" "${1:-{\}}"
}

adversary() {
    record vector_add "$KG_TESTS/adversarial/$1.cu" "${2:-{\}}"
}

@test "a right candidate passes, with the figures of its calls" {
    good '{extra: "kept"}' >in
    run --separate-stderr kg-verify in
    [ "$status" -eq 0 ]
    [ -z "$stderr" ] || [[ $stderr == *": waiting for device host "* ]] # for tests beside this one
    jq -e '.status == "PASSED" and .error_code == null and .error_message == null and .compiled
        and .correctness and .decoy_kernel == false and has("speedup") and .speedup == null
        and .extra == "kept" and .compile.ok' <<<"$output"
    jq -e '.verify | .ok and .calls == .passed and .calls > 20 and .num_bad == 0 and .num_elements > 4e6
        and .max_abs_err >= 0 and .max_rel_err < 1e-6 and .worst.output == "c" and .device == "host"
        and .precision == "float32" and .verify_ms > 0 and .checks.findings == []
        and (.checks.patterns | .first == 5 and .same_address > 0 and .new_address > 0
             and .one_row_changed > 0)' <<<"$output"
}

@test "the sandbox says what holds; off says off; an unknown mode is refused" {
    run bash -c 'set -o pipefail; kg-verify "$1" | jq -r .verify.sandbox' - <(good)
    [ "$status" -eq 0 ]
    [[ $output == *pid* ]]
    run bash -c 'set -o pipefail; kg-verify --sandbox off "$1" | jq -r "[.status, .verify.sandbox] | join(\" \")"' - <(good)
    [ "$output" = "PASSED off" ]
    run kg-verify --sandbox maybe
    [ "$status" -eq 2 ]
}

@test "stages: judged records and those that failed before pass untouched; --redo judges again" {
    good | kg-verify >once
    kg-verify once >twice
    cmp once twice
    echo '{"task_id":"vector_add","kernel_code":"x","compile":{"ok":false},"n":1.50}' >failed
    kg-verify failed | cmp - failed
    kg-verify --redo once >again
    jq -e '.status == "PASSED"' again
    run ! cmp -s once again
}

@test "bad lines and bad records: messages with their line, the others answered" {
    {
        echo 'not json'
        echo '{"a":1}'
        good
    } >in
    run --separate-stderr kg-verify --rejects rejected in
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 2 ]
    [ "$(jq -r .status <<<"${lines[0]}")" = BAD_RECORD ]
    [ "$(jq -r .status <<<"${lines[1]}")" = PASSED ]
    [[ $stderr == *"kg-verify: in:1: not a JSON object"* ]]
    [[ $stderr == *"kg-verify: in:2: "* ]]
    [ "$(cat rejected)" = 'not json' ]
    good '{timeout: "soon"}' >in
    run --separate-stderr kg-verify in
    [ "$status" -eq 2 ]
    [ "$(jq -r .status <<<"$output")" = BAD_RECORD ]
    [[ $stderr == *"'timeout'"* ]]
    echo '{"task_id":"no_such_task","kernel_code":"x"}' >in
    run --separate-stderr kg-verify in
    [ "$status" -eq 2 ]
    [[ $stderr == *no_such_task* ]]
}

@test "what is missing is built, and what does not build has its verdict" {
    jq -cn '{task_id: "vector_add", kernel_code: "int solve(;"}' >in
    run --separate-stderr kg-verify in
    [ "$status" -eq 0 ]
    jq -e '.status == "COMPILE_ERROR" and .compiled == false and .correctness == false
        and .error_code == "COMPILATION_ERROR" and .compile.ok == false and (has("verify") | not)
        and .speedup == null' <<<"$output"
    jq -cn '{task_id: "vector_add", response: "I cannot do that"}' >in
    kg-verify in | jq -e '.status == "NO_CODE"'
    good '{backend: "triton"}' | kg-verify | jq -e '.status == "UNSUPPORTED" and .correctness == null'
}

@test "--fail turns a verdict into the exit status" {
    adversary unwritten >in
    run kg-verify in
    [ "$status" -eq 0 ]
    run kg-verify --fail in
    [ "$status" -eq 1 ]
    run kg-verify --fail <(good)
    [ "$status" -eq 0 ]
}

@test "a wrong answer is told with its place, its values and its case" {
    adversary wrong_last_element | kg-verify >out
    jq -e '.status == "INCORRECT_NUMERICAL" and .correctness == false and .decoy_kernel == false
        and .error_code == "CORRECTNESS_ERROR"' out
    jq -e '.verify | .ok == false and .num_bad >= 1 and .worst.output == "c" and .worst.got != .worst.want
        and (.case | length) > 0 and .tolerance.rtol > 0 and .tolerance.exact == false
        and .checks.findings[0].status == "INCORRECT_NUMERICAL"
        and (.checks.notes | any(test("other cases")))' out
    adversary wrong_last_element | kg-verify --atol 1e7 | jq -e '.status == "DEGENERATE_TASK" and .correctness == null'
}

@test "a wrong last element fails in every case of every task" {
    while read -r task output more; do
        yaml=$KG_TOP/share/kg/tasks/$task.yaml
        {
            sed 's/\bsolve(/solve_right(/' "$KG_TOP/share/kg/tasks/$task.cu"
            case $task in
            vector_add) args="const float *a, const float *b, float *c, int n" names="a, b, c, n" last="n - 1" type=float ;;
            row_softmax) args="const float *x, float *y, int rows, int cols" names="x, y, rows, cols" last="rows * cols - 1" type=float ;;
            matmul) args="const float *a, const float *b, float *c, int m, int n, int k" names="a, b, c, m, n, k" last="m * n - 1" type=float ;;
            row_argmax) args="const float *x, long long *index, int rows, int cols" names="x, index, rows, cols" last="rows - 1" type="long long" ;;
            prefix_sum) args="const int *x, int *y, int n" names="x, y, n" last="n - 1" type=int ;;
            esac
            echo "__global__ void spoil($type *p) { *p = *p == 0 ? 1 : *p + *p; }"
            echo "extern \"C\" void solve($args) { solve_right($names); spoil<<<1, 1>>>($output + ($last)); }"
        } >"$task.cu"
        kg-compile --embed-task -t "$yaml" "$task.cu" >"$task.jsonl"
        # a task for each case, in which that case is the timed size as well
        jq -c '. as $r | .task.cases[] as $c | $r
            | .task.cases = [$c]
            | .task.host_axes = (.task.axes | with_entries(.value = ($c[.key] // .value)))
            | .id = ($c | tostring)' "$task.jsonl" >>all
    done <<'END'
vector_add c
row_softmax y
matmul c
row_argmax index
prefix_sum y
END
    [ "$(wc -l <all)" -ge 20 ]
    kg-verify all >out
    run jq -c 'select(.status != "INCORRECT_NUMERICAL") | [.task_id, .id, .status, .error_message]' out
    [ -z "$output" ] || { echo "$output"; false; }
    [ "$(wc -l <out)" -eq "$(wc -l <all)" ]
}

@test "an endless candidate is stopped at its limit; the record's own limit holds too" {
    adversary endless_with_child '{timeout: 1}' | kg-verify >out
    jq -e '.status == "TIMEOUT" and .error_code == "TIMEOUT_ERROR" and .compiled' out
    adversary endless_with_child | kg-verify --call-timeout 1 | jq -e '.status == "TIMEOUT"'
}

@test "num_correct_trials: integers, from 1 to 60 as an option" {
    run -2 kg-verify --num-correct-trials 61
    [[ $output == *"--num-correct-trials"*"60"* ]]
    good '{num_correct_trials: 2.5}' >in
    run -2 --separate-stderr kg-verify in
    jq -e '.status == "BAD_RECORD" and .error_message == "field '"'num_correct_trials'"' is no integer"' <<<"$output"
    good '{num_correct_trials: 9}' | kg-verify | jq -e '.verify.calls >= 45'
}

@test "a backend that is no string is a BAD_RECORD, null is none" {
    for bad in 5 '["cuda"]' '{}' true; do
        good "{backend: $bad}" >in
        run -2 --separate-stderr kg-verify in
        jq -e '.status == "BAD_RECORD" and .error_message == "field '"'backend'"' is no string"' <<<"$output"
    done
    good '{backend: null}' | kg-verify | jq -e '.status == "PASSED"'
}

@test "order is kept with -j; --unordered answers all" {
    for i in 1 2 3 4 5 6; do
        if [ $((i % 2)) = 0 ]; then adversary unwritten; else good; fi | jq -c ".id = $i"
    done >in
    kg-verify -j 3 in | jq -c .id | tr '\n' ' ' >order
    [ "$(cat order)" = "1 2 3 4 5 6 " ]
    kg-verify -j 3 --unordered in | jq -c '[.id, .status]' | sort | tr -d '\n' >order
    [ "$(cat order)" = '[1,"PASSED"][2,"UNWRITTEN_OUTPUT"][3,"PASSED"][4,"UNWRITTEN_OUTPUT"][5,"PASSED"][6,"UNWRITTEN_OUTPUT"]' ]
}

@test "one record is answered before the next is sent" {
    coproc KG { kg-compile | kg-verify --unordered; }
    good '{id: "first"}' >&"${KG[1]}"
    read -r -t 60 answer <&"${KG[0]}"
    [ "$(jq -r .id <<<"$answer")" = first ]
    good '{id: "second"}' >&"${KG[1]}"
    read -r -t 60 answer <&"${KG[0]}"
    [ "$(jq -r .id <<<"$answer")" = second ]
    eval "exec ${KG[1]}>&-"
    wait "$KG_PID"
}

@test "interrupted: the record in flight is answered, and no process stays" {
    adversary endless_with_child >in
    kg-verify --call-timeout 100 --timeout 100 in >out 2>err &
    pid=$!
    for _ in $(seq 200); do
        sleep 0.05
        pgrep -P "$pid" >children && break
    done
    sleep 1
    pgrep -P "$pid" >children
    kill -TERM "$pid"
    wait "$pid" || true
    jq -e '.status == "JUDGE_FAULT" and (.error_message | test("interrupted")) and .correctness == null' out
    while read -r child; do run ! kill -0 "$child"; done <children
}

@test "a killed judge takes its workers with it" {
    adversary endless_with_child >in
    kg-verify --call-timeout 100 --timeout 100 in >out 2>err &
    pid=$!
    for _ in $(seq 200); do
        sleep 0.05
        pgrep -P "$pid" >children && break
    done
    sleep 1
    pgrep -P "$pid" >children
    kill -KILL "$pid"
    wait "$pid" || true
    for _ in $(seq 100); do
        alive=
        while read -r child; do if kill -0 "$child" 2>/dev/null; then alive=1; fi; done <children
        [ -n "$alive" ] || break
        sleep 0.05
    done
    [ -z "$alive" ]
    [ ! -s out ]
}

# the child of a judge that has a worker somewhere below it
runs_worker() {
    for child in $(pgrep -P "$1"); do
        for below in $(pgrep -P "$child"); do
            if pgrep -P "$below" -x kg-worker >/dev/null; then
                echo "$child"
                return
            fi
        done
    done
    return 1
}

# The first worker of a judge that has one is killed; what it answers then is in 'out'.
kill_a_worker() { # RECORDS
    kg-verify --no-cache -j 1 "$1" >out 2>err &
    pid=$!
    for _ in $(seq 1200); do
        sleep 0.05
        runs_worker "$pid" >child && break
    done
    child=$(cat child)
    sleep 0.3
    kill -KILL "$child"
    wait "$pid"
}

@test "a reference that is killed from outside is tried again, and blamed on nobody" {
    kg-compile --embed-task -t "$KG_TOP/share/kg/tasks/vector_add.yaml" \
        "$KG_TOP/share/kg/tasks/vector_add.cu" |
        jq -c '.task.cases = [] | .task.reference = "#include <unistd.h>\n"
            + (.task.reference | sub("\\{"; "{ sleep(1);"))' >in
    kill_a_worker in
    jq -e '.status == "PASSED"' out
}

@test "a candidate that is killed from outside is tried again, and blamed for nothing" {
    kg-compile -t "$KG_TOP/share/kg/tasks/vector_add.yaml" "$KG_TOP/share/kg/tasks/vector_add.cu" |
        jq -c '.kernel_code = "#include <unistd.h>\n__attribute__((constructor)) static void load() { sleep(1); }\n"
            + .kernel_code | del(.compile)' >in
    kg-verify in >out # the truth and the artifact are there now
    jq -r .verify.sandbox out | grep -q pid || skip "no pid namespace here"
    kg-verify -j 1 in >out 2>err &
    pid=$!
    for _ in $(seq 1200); do
        sleep 0.02
        runs_worker "$pid" >child && break
    done
    kill -KILL "$(cat child)"
    wait "$pid"
    jq -e '.status == "PASSED"' out
}

@test "a full disk, a closed pipe, empty input" {
    good >in
    run --separate-stderr bash -c 'kg-verify in >/dev/full'
    [ "$status" -eq 5 ]
    [ -n "$stderr" ]
    run --separate-stderr kg-verify /dev/null
    [ "$status" -eq 0 ]
    [ -z "$output$stderr" ]
}

@test "the truth is private, and is found again" {
    export XDG_CACHE_HOME=$PWD/cache # its files are spoiled: nobody else may have them mapped
    good | kg-verify >out
    dir=$XDG_CACHE_HOME/kg/truth
    [ "$(stat -c %a "$dir")" = 700 ]
    run find "$dir" -type f -perm /077
    [ -z "$output" ]
    find "$dir" -type f -printf '%p %i\n' | sort >before
    good | kg-verify >out
    find "$dir" -type f -printf '%p %i\n' | sort | cmp - before
    # a broken file is computed anew
    for f in "$dir"/*; do case $f in *.ok | *.lock) ;; *) : >"$f" ;; esac; done
    good | kg-verify | jq -e '.status == "PASSED"'
}

@test "the cache of truths is bounded, the longest unused goes first" {
    truths() { find "$1/kg/truth" -type f ! -name '*.*' -printf "$2\n" | sort; } # CACHE WHAT
    bytes() { truths "$1" %k | awk '{ s += $1 } END { print s * 1024 }'; }
    baseline() { record "$1" "$KG_TOP/share/kg/tasks/$1.cu"; }
    for task in vector_add rms_norm row_softmax; do
        baseline "$task" | XDG_CACHE_HOME=$PWD/$task kg-verify >out
    done
    export XDG_CACHE_HOME=$PWD/all
    { good; baseline rms_norm; } | kg-verify -j 1 >out
    truths all %p | xargs touch -d yesterday
    good | kg-verify | jq -e '.status == "PASSED"' # a use
    # room for two of the three
    room=$(($(bytes vector_add) + $(bytes row_softmax)))
    baseline row_softmax | kg-verify -j 1 --truth-size "$((room * 16 / 15 + 65536))" |
        jq -e '.status == "PASSED"'
    [ "$(bytes all)" -le "$((room * 16 / 15 + 65536))" ]
    { truths vector_add %f; truths row_softmax %f; } | sort >used
    truths all %f | comm -12 - used | cmp - used
    baseline rms_norm | kg-verify --truth-size 1 | jq -e '.status == "PASSED"' # each goes when it is there
    [ -z "$(truths all %f)" ]
}

@test "a baseline that is wrong is the task's fault, not the candidate's" {
    kg-compile --embed-task -t "$KG_TOP/share/kg/tasks/vector_add.yaml" \
        "$KG_TOP/share/kg/tasks/vector_add.cu" >in
    jq -c '.task.baseline = (.task.baseline | gsub("\\+ b\\[i\\]"; "- b[i]"))' in | kg-verify >out
    jq -e '.status == "REFERENCE_ERROR" and .correctness == null and .compiled == null
        and (.error_message | test("disagree"))' out
    jq -c '.task.reference |= sub("\\{"; "{ __builtin_trap();")' in | kg-verify >out
    jq -e '.status == "REFERENCE_ERROR" and (.error_message | test("reference"))' out
    jq -c 'del(.task.baseline)' in | kg-verify | jq -e '.status == "REFERENCE_ERROR"'
}

@test "how many elements of an output count may be said by an output behind it" {
    mkdir t
    for f in compact.yaml compact.c compact.cu; do
        sed -e 's/int32_t \*count, double \*y, int n/double *y, int32_t *count, int n/' \
            -e 's/int \*count, float \*y, int n/float *y, int *count, int n/' \
            "$KG_TOP/share/kg/tasks/$f" >"t/$f"
    done
    grep -v 'name: count' t/compact.yaml |
        sed 's/.*name: y, .*/&\n  - {name: count, dtype: int32, shape: [1], role: out}/' >t/swapped.yaml
    kg-compile -t t/swapped.yaml t/compact.cu | kg-verify -t t/swapped.yaml >out
    jq -e '.status == "PASSED" and .task.args[3].name == "count"' out
}

@test "a task that zeros pass is DEGENERATE_TASK: softmax of long rows at a fixed 1e-2" {
    kg-compile --embed-task -t "$KG_TOP/share/kg/tasks/row_softmax.yaml" \
        "$KG_TOP/share/kg/tasks/row_softmax.cu" |
        jq -c '.task.cases = [{rows: 3, cols: 20000}] | .task.host_axes = {rows: 2, cols: 16384}' >in
    kg-verify in | jq -e '.status == "PASSED"'
    jq -c '.task.tolerance = {rtol: 1e-2, atol: 1e-2}' in | kg-verify >out
    jq -e '.status == "DEGENERATE_TASK" and .correctness == null and .error_code == "SYSTEM_ERROR"
        and (.error_message | test("zeros"))' out
}

@test "--seed repeats the judge's choices and says that this is for tests" {
    adversary wrong_last_element >in
    run --separate-stderr kg-verify -s one in
    [[ $stderr == *"for tests only"* ]]
    one=$(jq -c '[.verify.case, .verify.worst, .verify.calls]' <<<"$output")
    run --separate-stderr kg-verify -s one --redo in
    [ "$one" = "$(jq -c '[.verify.case, .verify.worst, .verify.calls]' <<<"$output")" ]
}

@test "a device that is not there, and --env" {
    run --separate-stderr kg-verify -d cuda:77 /dev/null
    [ "$status" -eq 3 ]
    [ -n "$stderr" ]
    run kg-verify --env
    [ "$status" -eq 0 ]
    [[ $output == *"device: host"* ]]
}
