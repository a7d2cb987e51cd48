# shellcheck shell=bash
# What the GPU tests share.

device=cuda:0

# In setup_file: is there a GPU? Expensive preparation asks first.
have_gpu() {
    kg-verify -q -d "$device" </dev/null >/dev/null 2>"$BATS_FILE_TMPDIR/device.err"
}

# In setup: skips with the reason where there is none.
need_gpu() {
    cd "$BATS_FILE_TMPDIR" || return 1
    have_gpu || skip "no GPU: $(head -n 1 device.err)"
}

processes() { # ours, by name
    local name
    for name in kg-worker kg-init kg-verify kg-profile; do
        pgrep -x "$name" || true # a pattern for them all is too long for pgrep
    done | wc -l
}

memory_mib() { # in use on the device; empty where nobody says
    nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null | head -n 1
}

# No process of ours is left, and no more memory is in use than 'before' (MiB): the driver tears
# contexts down a little after their processes are gone.
nothing_left() { # before
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(processes)" != 0 ] || [ "$(memory_mib || true)" -gt "$(($1 + 16))" ] 2>/dev/null || return 0
        sleep 0.5
    done
    echo "left: $(processes) processes, $(memory_mib) MiB in use, before $1 MiB"
    return 1
}

# Nothing is in FILE but that somebody else had the device for a while.
quiet() { # FILE
    ! grep -v ": waiting for device $device " "$1"
}

# record TASK SOURCE [EXTRA]
record() {
    jq -cn --arg task "$1" --rawfile code "$2" "{task_id: \$task, kernel_code: \$code} + ${3:-{\}}"
}

good() {
    record vector_add "$KG_TOP/share/kg/tasks/vector_add.cu" "${1:-{\}}"
}

# unexpected FILE: records whose verdict is not the expected one; a test prints them and fails
unexpected() {
    jq -c '.status as $s | select(.expect | split("|") | index($s) | not)
        | [.id, .expect, .status, .error_message]' "$1"
}
