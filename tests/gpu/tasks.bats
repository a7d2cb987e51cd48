#!/usr/bin/env bats
# On a GPU the shipped tasks' baselines pass, and the demo's candidates get the verdicts that they get
# on the host.
bats_require_minimum_version 1.5.0
load helper

setup_file() {
    have_gpu || return 0
    cd "$BATS_FILE_TMPDIR" || return 1
    for yaml in "$KG_TOP"/share/kg/tasks/*.yaml; do
        task=$(basename "${yaml%.yaml}")
        record "$task" "${yaml%.yaml}.cu" "{id: \"$task\", expect: \"PASSED\"}"
    done >tasks.in
    kg-compile -d "$device" tasks.in | kg-profile -d "$device" -j 1 --max-time 1 >tasks.out 2>tasks.err
    kg-compile -d "$device" "$KG_TOP/share/kg/examples/rollouts.jsonl" |
        kg-verify -d "$device" -j 2 >demo.verified 2>demo.err
    kg-profile -d "$device" -j 1 --max-time 1 demo.verified >demo.out 2>>demo.err
}

setup() {
    need_gpu
}

@test "baselines of all shipped tasks pass, without a word on stderr" {
    [ "$(wc -l <tasks.out)" -ge 8 ]
    [ -z "$(unexpected tasks.out)" ] || { unexpected tasks.out; false; }
    quiet tasks.err
}

@test "baselines: times of the device, all of it their own" {
    jq -es 'all(.profile | .ok and .timer == "cupti" and .l2 == "cold" and .emulated == false
        and .kernel_us.median > 0 and .busy_us <= .kernel_us.median * 1.0001
        and .window_us > .kernel_us.median and (.kernels | length) >= 1
        and .coverage.replaced > 0.99 and (.device.uuid | test("^GPU-")))' tasks.out
    jq -es 'all(.verify.checks.patterns | .first > 0 and .same_address + .new_address > 0)' tasks.out
}

@test "baselines: a speedup of 1 within 5 %" {
    jq -es 'all(.speedup > 0.95 and .speedup < 1.05)' tasks.out ||
        { jq -c '[.task_id, .speedup, .profile.speedup_lo, .profile.speedup_hi]' tasks.out; false; }
}

@test "the demo's candidates have their verdicts" {
    [ "$(wc -l <demo.out)" = "$(wc -l <"$KG_TOP/share/kg/examples/rollouts.jsonl")" ]
    [ -z "$(unexpected demo.out)" ] || { unexpected demo.out; false; }
}

@test "what is right is timed, what is wrong is not" {
    jq -es 'all((.status == "PASSED") == (.speedup != null))' demo.out
}
