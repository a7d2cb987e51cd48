#!/usr/bin/env bats
# Every command in the EXAMPLES of the manual pages runs.
bats_require_minimum_version 1.5.0

load examples.bash

setup_file() {
    export KG_DEVICE=auto
    scratch "$BATS_FILE_TMPDIR/scratch"
}

setup() {
    cp -r "$BATS_FILE_TMPDIR/scratch" "$BATS_TEST_TMPDIR/scratch"
    cd "$BATS_TEST_TMPDIR/scratch" || return 1
}

page() { # the page's name, and how many examples it has at least
    local i n command
    n=$("$KG_TOP/tests/tools/examples" "$KG_TOP/man/$1")
    [ "$n" -ge "$2" ] || { echo "$1: $n examples"; return 1; }
    for ((i = 1; i <= n; i++)); do
        command=$("$KG_TOP/tests/tools/examples" "$KG_TOP/man/$1" "$i")
        case $command in
        make\ *)
            make -C "$KG_TOP" -n --no-print-directory ${command#make } >/dev/null || return 1
            continue
            ;;
        *"--target sm_"*) [ "$(kg-compile --env | grep -c '^nvcc: .*(release')" = 1 ] || continue ;;
        esac
        run_example "$command" || return 1
    done
}

@test "examples of kg-compile(1)" { page kg-compile.1 2; }
@test "examples of kg-verify(1)" { page kg-verify.1 2; }
@test "examples of kg-profile(1)" { page kg-profile.1 2; }
@test "examples of kg-reward(1)" { page kg-reward.1 4; }
@test "examples of kg-advantage(1)" { page kg-advantage.1 4; }
@test "examples of kg-sample(1)" { page kg-sample.1 5; }
@test "examples of kg-report(1)" { page kg-report.1 3; }
@test "examples of kg-policy(5)" { page kg-policy.5 1; }
@test "examples of kg-task(5)" { page kg-task.5 1; }
@test "examples of kg(7)" { page kg.7 3; }

@test "every page with EXAMPLES is run here" {
    for f in $(grep -lE '^\.Sh EXAMPLES' "$KG_TOP"/man/*); do
        grep -q "{ page $(basename "$f") [1-9]" "$BATS_TEST_FILENAME" || { echo "$f"; false; }
    done
}
