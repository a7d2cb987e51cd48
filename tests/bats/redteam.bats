#!/usr/bin/env bats
# Sources that are written to bring the programs down, not to pass.
bats_require_minimum_version 1.5.0

setup() {
    export KG_DEVICE=host
    cd "$BATS_TEST_TMPDIR" || return 1
}

# repeat TEXT TIMES
repeat() {
    awk -v text="$1" -v times="$2" 'BEGIN { for (i = 0; i < times; i++) printf "%s", text }'
}

record() {
    jq -cR --slurp --arg id "$1" '{id: $id, task_id: "vector_add", kernel_code: .}'
}

@test "conditions that are nested without end do not end the program" {
    { echo "#if $(repeat '!' 100000)0" && echo "#endif"; } | record negations >in
    { echo "#if $(repeat '(' 100000)0" && echo "#endif"; } | record parentheses >>in
    { echo "#elif $(repeat '!(' 100000)0"; } | record neither >>in
    kg-compile in >out
    jq -es 'map(.id) == ["negations", "parentheses", "neither"]
        and all(.status == "LOAD_ERROR" or .status == "COMPILE_ERROR")' out
}

@test "a source whose translation takes time that grows with its square is refused" {
    repeat '__shared__ int a; ' 100000 | record shared >in
    { repeat 'f(' 40000 && repeat ')<<<1, 1>>>(1)' 40000; } | record launches >>in
    { echo 'void f(){' && repeat 'k<<<1,1>>>(a);' 50000 && echo '}'; } | record flat >>in
    timeout 120 kg-compile in >out
    jq -es 'length == 3 and all(.status == "COMPILE_ERROR"
        and .error_message == "candidate.cu: too intricate to be translated for host")' out
}

@test "sources with NUL bytes, of no length, of too great a length" {
    {
        jq -cn '{id: "nul", task_id: "vector_add", kernel_code: "// \u0000"}'
        jq -cn '{id: "blank", task_id: "vector_add", kernel_code: " \n"}'
        head -c 17000000 /dev/zero | tr '\0' x | record long
    } >in
    kg-compile in >out
    [ "$(jq -r .status out | paste -sd ' ')" = "COMPILE_ERROR NO_CODE COMPILE_ERROR" ]
}

@test "a policy that cannot be read is a fault of usage" {
    mkdir folder.yaml
    run -2 kg-reward -p ./folder.yaml /dev/null
    [ "$output" = "kg-reward: cannot read './folder.yaml': Is a directory" ]
}
