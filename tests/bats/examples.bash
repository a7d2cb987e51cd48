# For tests that run what the documents tell a reader to type: the folder such a reader stands in.

# scratch DIR: rollouts, judged and rewarded records, a task with its sources, a kernel, a policy
scratch() {
    local share=$KG_TOP/share/kg
    mkdir -p "$1"
    cd "$1" || return 1
    cp "$share"/tasks/row_softmax.{yaml,c,cu} .
    sed 's/^task_id: .*/task_id: softmax/' row_softmax.yaml >softmax.yaml
    cp "$share/examples/row_softmax/fused_warp.cu" mine.cu
    # two trajectories of two turns each
    jq -c 'select(.id | IN("row_softmax/0/2", "row_softmax/1/2", "row_softmax/1/1", "row_softmax/2/2"))
        | if .traj == 0 then .turn = 1 else . end' "$share/examples/rollouts.jsonl" >rollouts.jsonl
    [ "$(wc -l <rollouts.jsonl)" = 4 ]
    kg-compile -q rollouts.jsonl | kg-verify -q | kg-profile -q >judged.jsonl
    kg-reward -q -p demo judged.jsonl >rewards.jsonl
    cp "$KG_TESTS/cases/kg-reward/kernelgym/in.jsonl" results.jsonl
    awk '/^\.Sh / { on = $2 == "EXAMPLES" } on && /^\.Bd/ { block = 1; next } /^\.Ed/ { block = 0 }
        on && block' "$KG_TOP/man/kg-policy.5" >mine.yaml
}

# run_example COMMAND: as a shell would that stops at errors; a program that reads its terminal gets
# rollouts that were judged. It must end well and say something.
run_example() {
    local rc=0
    rm -f batch.jsonl scored.jsonl.out
    bash -eo pipefail -c "$1" <judged.jsonl >out 2>err || rc=$?
    if [ "$rc" != 0 ]; then
        echo "$1: status $rc"
        cat err
        return 1
    fi
    if [[ $1 == *'> batch.jsonl' ]]; then cp batch.jsonl out; fi
    [ -s out ] || { echo "$1: no output"; cat err; return 1; }
}
