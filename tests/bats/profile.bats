#!/usr/bin/env bats
# kg-profile: both objects in one session, the figures of the timed calls, limits, verdicts.
bats_require_minimum_version 1.5.0

setup() {
    export KG_DEVICE=host
    cd "$BATS_TEST_TMPDIR" || return 1
}

record() {
    jq -cn --arg task "$1" --rawfile code "$2" "{task_id: \$task, kernel_code: \$code} + ${3:-{\}}"
}

good() {
    record vector_add "$KG_TOP/share/kg/tasks/vector_add.cu" "${1:-{\}}"
}

adversary() {
    record vector_add "$KG_TESTS/adversarial/$1.cu" "${2:-{\}}"
}

@test "a record without verify gets both objects, and the shared fields" {
    good | kg-profile >out
    jq -e '.status == "PASSED" and .verify.ok and .profile.ok and .correctness' out
    jq -e '.profile | .kernel_us.n >= 2 and .kernel_us.min > 0 and .kernel_us.min <= .kernel_us.median
        and .kernel_us.p10 <= .kernel_us.p90 and .reference_us.median > 0
        and .speedup_lo <= .speedup and .speedup <= .speedup_hi and .emulated
        and .timer == "host" and .stop != null and (.kernel_us | has("raw") | not)
        and .busy_us <= .kernel_us.median * 1.000001 and .window_us > .kernel_us.min
        and .coverage == {time: 1, count: 1, replaced: 1}' out
    jq -e '.profile.kernels | length >= 1 and (map(.share) | add | . > 0.999 and . < 1.001)
        and all(.class == "custom" and .device_us > 0 and .launches > 0 and (.grid | length) == 3)' out
    jq -e '.speedup == .profile.speedup
        and (.kernel_runtime_ms * 1000 - .profile.kernel_us.median | fabs) < 1e-6
        and (.reference_runtime_ms * 1000 - .profile.reference_us.median | fabs) < 1e-6' out
}

@test "--raw: the single times, whose paired ratios have the speedup as their median" {
    good | kg-profile --raw >out
    jq -e '.profile | (.kernel_us.raw | length) == .kernel_us.n
        and (.reference_us.raw | length) == .reference_us.n' out
    jq -e '.profile | [.reference_us.raw, .kernel_us.raw] | transpose | map(.[0] / .[1] | log) | sort
        | (.[length / 2 | floor] + .[(length - 1) / 2 | floor]) / 2 | exp' out >median
    jq -e --argjson m "$(cat median)" '(.profile.speedup - $m | fabs) < 1e-9' out
}

@test "after kg-verify only the profile is added, and every timed call is checked" {
    good | kg-verify >verified
    kg-profile verified >out
    jq -e '.profile.ok and .status == "PASSED"' out
    [ "$(jq -c .verify verified)" = "$(jq -c .verify out)" ]
    # right for eight calls: three for warming up and, at least, six timed ones
    kg-verify verified | jq -c --rawfile code "$KG_TESTS/adversarial/eight_calls.cu" \
        'del(.compile) | .kernel_code = $code' >in
    kg-profile --warmup 3 --max-time 60 in >out
    jq -e '.status == "UNWRITTEN_OUTPUT" and .profile.ok == false and .speedup == null
        and .correctness == false and .kernel_runtime_ms == null' out
}

@test "stages: wrong records and profiled ones pass untouched" {
    adversary unwritten | kg-verify >wrong
    kg-profile wrong | cmp - wrong
    good | kg-profile >once
    kg-profile once | cmp - once
}

@test "wrong candidates have their verdict and no speedup" {
    adversary unwritten | kg-profile >out
    jq -e '.status == "UNWRITTEN_OUTPUT" and .verify.ok == false and .speedup == null' out
    adversary keeps_output | kg-profile | jq -e '.status == "STALE_OUTPUT"'
}

@test "options of the recipe: runs, noise, time, warm-up" {
    good | kg-profile --min-runs 12 --max-time 60 | jq -e '.profile.kernel_us.n >= 12 and .profile.stop == "runs"'
    good | kg-profile --max-noise 0.00001 --max-time 1 | jq -e '.profile.stop == "time"'
    good | kg-profile --max-noise 10 --min-runs 2 --max-time 60 --warmup 0 |
        jq -e '.profile.stop == "noise" and .profile.kernel_us.n >= 2'
    # the least time moves a limit that was not given, on host 2 s
    good | kg-profile --min-time 2.5 --min-runs 2 >out
    jq -e '.profile.stop == "runs" and .profile.profile_ms >= 2500' out
    run kg-profile --min-time 3 --max-time 2.5
    [ "$status" -eq 2 ]
    [ "$output" = "kg-profile: --min-time 3 is more than --max-time 2.5" ]
    run kg-profile --min-runs 1e3x
    [ "$status" -eq 2 ]
    run kg-profile --max-time -1
    [ "$status" -eq 2 ]
}

@test "a record's num_perf_trials is the least number of pairs, options win" {
    good '{num_perf_trials: 30}' >in
    kg-profile --max-time 60 in | jq -e '.profile.kernel_us.n >= 30 and .profile.stop == "runs"'
    kg-profile --max-time 60 --min-runs 2 in | jq -e '.profile.kernel_us.n | . >= 2 and . < 30'
    for bad in '"many"' 0 2.5; do
        good "{num_perf_trials: $bad}" >in
        run -2 --separate-stderr kg-profile in
        jq -e '.status == "BAD_RECORD" and (.error_message | test("num_perf_trials"))' <<<"$output"
    done
}

@test "a candidate that runs out of its own time ends with what it has, or as TIMEOUT" {
    adversary endless_with_child '{timeout: 1}' | kg-profile | jq -e '.status == "TIMEOUT"'
}

@test "the whole pipe in one line" {
    run bash -c 'set -o pipefail
        kg-compile -t "$KG_TOP/share/kg/tasks/row_softmax.yaml" "$KG_TOP/share/kg/tasks/row_softmax.cu" |
            kg-verify | kg-profile | jq .speedup'
    [ "$status" -eq 0 ]
    [[ $output =~ ^[0-9.]+$ ]]
}

@test "a candidate that forges its time, and one whose host works, get nothing for it" {
    adversary forges_its_time >in
    adversary host_works_beside_a_kernel >>in
    kg-profile in >out
    jq -es 'map(.status) == ["TIMING_MISMATCH", "HOST_COMPUTE"] and all(.speedup == null)' out
}

@test "a bare task in half precision is timed" {
    record gelu_half "$KG_TOP/share/kg/tasks/gelu_half.cu" | kg-profile >out
    jq -e '.status == "PASSED" and .speedup > 0' out
}

# Honest forms of these four have speedups from 1 to 4; by what they do they had 12 to 40000.
@test "a candidate gains no time by what it does between its calls, or remembers of them" {
    [ -z "${KG_SANITIZED:-}" ] || skip "the sanitizers slow baselines and candidates by different factors"
    for f in "$KG_TESTS"/adversarial/timed/*.cu; do
        record "$(sed -n '1s|^// task: ||p' "$f")" "$f" "{id: \"$(basename "$f" .cu)\"}"
    done >in
    kg-profile -j 1 in >out
    jq -r .verify.sandbox out | head -n 1 | grep -q pid || skip "no pid namespace here"
    jq -es 'length == 4 and all(.status != "PASSED" or .speedup < 8)' out ||
        { jq -c '[.id, .status, .speedup, .error_message]' out; false; }
}
