#!/usr/bin/env bats
# kg-profile on the host device: honest work that is in no kernel is explained, other work is not free.
bats_require_minimum_version 1.5.0

setup() {
    export KG_DEVICE=host
    cd "$BATS_TEST_TMPDIR" || return 1
}

records() {
    for name in "$@"; do
        jq -cn --arg id "$name" --rawfile code "$KG_TESTS/adversarial/$name.cu" \
            '{id: $id, task_id: "vector_add", kernel_code: $code}'
    done
}

@test "copies, sets, allocations and thousands of launches are no hidden work" {
    records honest_scratch honest_many_launches honest_handles_errors | kg-profile >out
    jq -es 'length == 3 and all(.status == "PASSED")' out ||
        { jq -c '[.id, .status, .error_message]' out; false; }
    jq -es '.[0].profile.kernels | (map(.name) | sort) == ["[copy]", "[set]", "add"]
        and all(.device_us > 0 and .launches > 0)' out
    jq -es '.[1].profile.kernels | map(.name) == ["add"]' out
}

@test "what the host does beside a kernel, or behind a forged time, is not free" {
    records host_works_beside_a_kernel forges_its_time copies_alone | kg-profile >out
    jq -es 'map(.status) == ["HOST_COMPUTE", "TIMING_MISMATCH", "NO_CUSTOM_KERNEL"]
        and all(.speedup == null)' out || { jq -c '[.id, .status, .error_message]' out; false; }
}
