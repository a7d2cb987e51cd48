#!/usr/bin/env bats
# The shipped tasks through the programs: a baseline passes as its own candidate, and does not any
# more when it spoils the last element of its output. And the examples get what they deserve.
bats_require_minimum_version 1.5.0

tasks=$KG_TOP/share/kg/tasks
examples=$KG_TOP/share/kg/examples

verify() { # task source: the verdict
    bash -c 'set -o pipefail; kg-compile --target host -t "$1" "$2" | kg-verify -d host | jq -r .status' \
        - "$1" "$2"
}

baseline_passes() {
    run verify "$tasks/$1.yaml" "$tasks/$1.cu"
    [ "$status" -eq 0 ]
    [ "$output" = PASSED ]
}

# task, parameters, arguments, element type, output, number of elements
spoiled_fails() {
    {
        sed 's/\bsolve(/solve_right(/' "$tasks/$1.cu"
        echo "__global__ void spoil($4 *p) { *p += *p / 64 + 1; }"
        echo "extern \"C\" void solve($2) { solve_right($3); spoil<<<1, 1>>>($5 + ($6) - 1); }"
    } >"$BATS_TEST_TMPDIR/spoiled.cu"
    run verify "$tasks/$1.yaml" "$BATS_TEST_TMPDIR/spoiled.cu"
    [ "$status" -eq 0 ]
    [ "$output" = INCORRECT_NUMERICAL ]
}

@test "task vector_add" {
    baseline_passes vector_add
    spoiled_fails vector_add "const float *a, const float *b, float *c, int n" "a, b, c, n" float c n
}

@test "task row_softmax" {
    baseline_passes row_softmax
    spoiled_fails row_softmax "const float *x, float *y, int rows, int cols" "x, y, rows, cols" \
        float y "size_t(rows) * cols"
}

@test "task matmul" {
    baseline_passes matmul
    spoiled_fails matmul "const float *a, const float *b, float *c, int m, int n, int k" \
        "a, b, c, m, n, k" float c "size_t(m) * n"
}

@test "task row_argmax" {
    baseline_passes row_argmax
    spoiled_fails row_argmax "const float *x, long long *i, int rows, int cols" "x, i, rows, cols" \
        "long long" i rows
}

@test "task prefix_sum" {
    baseline_passes prefix_sum
    spoiled_fails prefix_sum "const int *x, int *y, int n" "x, y, n" int y n
}

@test "task rms_norm" {
    baseline_passes rms_norm
    spoiled_fails rms_norm "const float *x, const float *w, float *y, int rows, int cols, float eps" \
        "x, w, y, rows, cols, eps" float y "size_t(rows) * cols"
}

@test "task compact" {
    baseline_passes compact
    spoiled_fails compact "const float *x, const bool *keep, int *count, float *y, int n" \
        "x, keep, count, y, n" int count 1
}

@test "task gelu_half" {
    baseline_passes gelu_half
    # a bare kernel cannot be wrapped: its last element gets another constant
    sed 's/0\.5f \* v/(i == n - 1 ? 0.6f : 0.5f) * v/' "$tasks/gelu_half.cu" \
        >"$BATS_TEST_TMPDIR/spoiled.cu"
    run verify "$tasks/gelu_half.yaml" "$BATS_TEST_TMPDIR/spoiled.cu"
    [ "$status" -eq 0 ]
    [ "$output" = INCORRECT_NUMERICAL ]
}

@test "task csr_spmv" {
    baseline_passes csr_spmv
    spoiled_fails csr_spmv "const int *row_ptr, const int *col, const float *val, const float *x, float *y, int rows,
        int cols, int nnz" "row_ptr, col, val, x, y, rows, cols, nnz" float y rows
}

@test "task row_top_k" {
    baseline_passes row_top_k
    spoiled_fails row_top_k "const float *x, int *index, int rows, int cols, int k" "x, index, rows, cols, k" \
        int index "size_t(rows) * k"
}

@test "every shipped task has its test here" {
    for f in "$tasks"/*.yaml; do
        grep -q "^@test \"task $(basename "$f" .yaml)\"" "$BATS_TEST_FILENAME"
    done
}

@test "rollouts.jsonl is what the examples give" {
    run "$examples/make-rollouts" --check
    [ "$status" -eq 0 ]
}

@test "every example gets the verdict that it expects" {
    run bash -c 'set -o pipefail
        kg-compile --target host "$1" | kg-verify -d host |
            jq -r "select(.status != .expect) | [.id, .expect, .status, .error_message] | @tsv"' \
        - "$examples/rollouts.jsonl"
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "a task's error names file, line and column" {
    printf 'task_id: t\naxes: {n: 4}\nargs:\n  - {name: x, dtyp: float32, shape: [n]}\n%s\n' \
        'reference: "void reference() {}"' >"$BATS_TEST_TMPDIR/t.yaml"
    run kg-compile --target host -t "$BATS_TEST_TMPDIR/t.yaml" "$tasks/vector_add.cu"
    [ "$status" -eq 2 ]
    [[ "$output" == *"t.yaml:4:"*"did you mean 'dtype'"* ]]
}
