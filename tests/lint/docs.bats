#!/usr/bin/env bats
# Help, manual and completions say the same; manual pages are well-formed.

bats_require_minimum_version 1.5.0

setup() {
    cd "$KG_TOP" || return 1
}

programs() {
    find cmd -name '*.c' -printf '%f\n' | sed 's/\.c$//' | sort
}

@test "every program has a manual page with every option of its table" {
    bad=
    for p in $(programs); do
        [ -e "man/$p.1" ] || { bad="$bad $p.1:missing"; continue; }
        # a tab is white space to read, which would join empty fields
        while IFS=$'\037' read -r long short _; do
            name=${long#--}
            grep -qE "^\.It .*Fl (Fl |-)${name//-/\\\\?-}( |$)|^\.It .*-${name//-/\\\\?-}( |$)" "man/$p.1" || bad="$bad $p.1:$long"
            [ -z "$short" ] || grep -qE "^\.It .*Fl ${short#-}( |$)" "man/$p.1" || bad="$bad $p.1:$short"
        done < <("$KG_BIN/$p" --complete | tr '\t' '\037')
    done
    [ -z "$bad" ] || { echo "$bad"; false; }
}

@test "manual pages name no option that the program does not have" {
    bad=
    for p in $(programs); do
        "$KG_BIN/$p" --complete | cut -f1 >"$BATS_TEST_TMPDIR/have"
        for o in $(grep -E '^\.It ' "man/$p.1" | grep -oE 'Fl (Fl |-)[a-z][a-z-]+' | sed 's/Fl Fl /--/; s/Fl -/--/'); do
            grep -qx -- "$o" "$BATS_TEST_TMPDIR/have" || bad="$bad $p.1:$o"
        done
    done
    [ -z "$bad" ] || { echo "$bad"; false; }
}

@test "completions are what the option tables give" {
    mkdir -p "$BATS_TEST_TMPDIR/c"
    # shellcheck disable=SC2046  # words of a list
    tests/tools/make-completions "$BATS_TEST_TMPDIR/c" $(programs)
    for f in kg.bash _kg kg.fish; do
        diff -u "completions/$f" "$BATS_TEST_TMPDIR/c/$f"
    done
}

@test "the bash completion completes options and their words" {
    run bash -c 'source completions/kg.bash; COMP_WORDS=(kg-advantage --estimator tr); COMP_CWORD=2; _kg; echo "${COMPREPLY[@]}"'
    [ "$output" = trloo ]
    run bash -c 'source completions/kg.bash; COMP_WORDS=(kg-reward --rej); COMP_CWORD=1; _kg; echo "${COMPREPLY[@]}"'
    [ "$output" = --rejects ]
}

@test "manual pages pass groff's check" {
    for f in man/*; do
        run bash -c "MANWIDTH=100 man --warnings -l -Tutf8 '$f' 2>&1 >/dev/null"
        [ -z "$output" ] || { echo "$f: $output"; false; }
    done
}

@test "manual pages have their sections in order" {
    for f in man/*.1; do
        got=$(grep -E '^\.Sh ' "$f" | sed 's/^\.Sh //' | tr '\n' '|')
        case $got in
        "NAME|SYNOPSIS|DESCRIPTION|"*"EXIT STATUS|"*"EXAMPLES|"*"SEE ALSO|"*) ;;
        *) echo "$f: $got"; false ;;
        esac
    done
}

@test "kg(7) has every verdict, and kg-record(5) every shared field" {
    for v in $(grep -oE '^    V\([A-Z_]+' lib/base/verdict.h | sed 's/.*(//'); do
        grep -q "$v" man/kg.7 || { echo "kg.7: $v"; false; }
    done
    for f in status error_code error_message compiled correctness decoy_kernel speedup reward return advantage; do
        grep -q "$f" man/kg-record.5 || { echo "kg-record.5: $f"; false; }
    done
}
