#!/usr/bin/env bats
# Rules about the code that are programs: who may include whom, what may not be called, sizes.

bats_require_minimum_version 1.5.0

setup() {
    cd "$KG_TOP" || return 1
}

# what a library may include beside itself (base < record, task, score, device, host <
# compile < worker, judge < cmd; rl stands on record and score)
allowed() {
    case $1 in
    base) echo base ;;
    record | task | score | device | host) echo "base $1" ;;
    rl) echo "base record score rl" ;;
    compile) echo "base record task score device host compile" ;;
    worker) echo "base record task device host compile worker" ;;
    judge) echo "base record task device host compile worker judge" ;;
    esac
}

@test "libraries include only what stands below them" {
    bad=
    for lib in $(find lib -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort); do
        [ -n "$(allowed "$lib")" ] || bad="$bad $lib:unknown"
        while IFS=: read -r file inc; do
            # the one header that the host device's runtime shares with the candidates' headers
            [ "$file:$inc" != "lib/host/block.h:../../share/kg/include/kg/abi.h" ] || continue
            case " $(allowed "$lib") " in
            *" ${inc%%/*} "*) ;;
            *) bad="$bad"$'\n'"$file includes $inc" ;;
            esac
        done < <(grep -rHoP '^\s*#\s*include\s+"\K[^"]+' "lib/$lib" --include='*.[chS]' --include='*.cpp')
    done
    [ -z "$bad" ] || { echo "$bad"; false; }
}

@test "vendor headers are seen only by lib/device and the injected libraries" {
    run grep -rlE '^\s*#\s*include\s+<(cuda|nvrtc|cupti|nvml)[^>]*>' lib cmd --include='*.[ch]' --include='*.cpp'
    bad=$(printf '%s\n' "$output" | grep -vE '^(lib/device/|lib/worker/so/|$)' || true)
    [ -z "$bad" ] || { echo "$bad"; false; }
}

@test "every header compiles alone" {
    bad=
    for h in $(find lib -name '*.h' ! -path 'lib/worker/so/*'); do
        level=-D_GNU_SOURCE
        inc=
        case $h in lib/device/*) inc="-isystem ${CUDA_HOME:-/usr/local/cuda}/include" ;; esac
        # shellcheck disable=SC2086  # no word: no option
        printf '#include "%s"\n' "${h#lib/}" | cc -std=c11 $level -DKG_VERSION='""' $inc -Wall -Wextra -Wno-unused-function \
            -Wno-unused-parameter -Werror -Ilib -fsyntax-only -x c - 2>"$BATS_TEST_TMPDIR/err" ||
            bad="$bad"$'\n'"$h: $(head -n 3 "$BATS_TEST_TMPDIR/err")"
    done
    [ -z "$bad" ] || { echo "$bad"; false; }
}

@test "banned calls are not there" {
    run grep -rnwE 'atoi|atol|atoll|atof|sprintf|vsprintf|strcpy|strcat|strncat|strncpy|gets|alloca|strtok|system|popen|tmpnam|mktemp' \
        lib cmd --include='*.c' --include='*.h' --include='*.cpp'
    bad=$(printf '%s\n' "$output" | grep -vE ':\s*(/\*|\*|//)|"[^"]*\b(atoi|system|sprintf|strcpy)\b[^"]*"' | grep -E '\b(atoi|atol|atoll|atof|sprintf|vsprintf|strcpy|strcat|strncat|strncpy|gets|alloca|strtok|system|popen|tmpnam|mktemp)\s*\(' || true)
    [ -z "$bad" ] || { echo "$bad"; false; }
}

@test "only base/msg.c writes to stderr" {
    run grep -rnE 'fprintf\(stderr|fputs\([^)]*stderr|(write|dprintf|writev)\((STDERR_FILENO|2),|perror\(' lib cmd --include='*.c' --include='*.cpp'
    bad=$(printf '%s\n' "$output" | grep -vE '^(lib/base/msg\.c|lib/base/proc[a-z_]*\.c|lib/base/sandbox[a-z_]*\.c|lib/worker/)' | grep -v '^$' || true)
    [ -z "$bad" ] || { echo "$bad"; false; }
}

@test "files stay under 600 lines, mains under 200" {
    bad=$(find lib tests -name '*.[ch]' -o -name '*.cpp' | xargs wc -l | awk '$2 != "total" && $1 > 600 {print}')
    bad="$bad$(wc -l cmd/*.c | awk '$2 != "total" && $1 > 200 {print}')"
    [ -z "$bad" ] || { echo "$bad"; false; }
}

@test "clang-format changes nothing" {
    run bash -c 'find lib cmd tests -name "*.[ch]" -o -name "*.cpp" | grep -v golden | xargs clang-format --dry-run -Werror 2>&1 | grep -E "error:" | cut -d: -f1 | sort | uniq -c'
    [ -z "$output" ] || { echo "$output"; false; }
}

@test "names of tests are unique" {
    dup=$(grep -hroP '^@test "\K[^"]+' tests --include='*.bats' | sort | uniq -d)
    [ -z "$dup" ] || { echo "$dup"; false; }
}

@test "a bare '! command' proves nothing in bats and is not used" {
    run grep -rnE '^\s*! ' tests --include='*.bats'
    [ -z "$output" ] || { echo "$output"; false; }
}

@test "shell scripts are clean" {
    mapfile -t scripts < <(git ls-files | xargs -r grep -lE '^#!.*\b(ba|da)?sh$' 2>/dev/null | grep -v '\.bats$')
    [ "${#scripts[@]}" -gt 0 ]
    run shellcheck -S warning "${scripts[@]}"
    [ "$status" = 0 ] || { echo "$output"; false; }
}

@test "programs of the scoring half hold nothing of CUDA" {
    for p in kg-reward kg-advantage kg-sample kg-report; do
        [ -x "$KG_BIN/$p" ]
        run bash -c "nm -C '$KG_BIN/$p' | grep -iE ' [TtUW] .*(cuda|nvrtc|cupti|kg_judge|kg_compile|dlopen)'"
        [ -z "$output" ] || { echo "$p: $output"; false; }
        run bash -c "ldd '$KG_BIN/$p' | grep -iE 'cuda|nvrtc|cupti|seccomp'"
        [ -z "$output" ] || { echo "$p: $output"; false; }
    done
}
