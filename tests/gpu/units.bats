#!/usr/bin/env bats
# The unit tests of what runs on a GPU; without one they say so in 'make check-unit'.
bats_require_minimum_version 1.5.0
load helper

setup() {
    need_gpu
}

unit() { # LIB/NAME
    "$KG_BUILD/unit/$1" >tap
    cat tap
    [ "$(grep -c '^ok' tap)" -gt 1 ]
    run ! grep -qE '^not ok|# skip' tap
}

@test "the space of a GPU against the host's" {
    unit judge/space_cuda
}

@test "the worker on a GPU" {
    unit worker/cuda
}
