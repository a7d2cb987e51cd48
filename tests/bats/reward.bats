#!/usr/bin/env bats
# kg-reward: policies, feedback, manners. What it computes stands in cases/kg-reward and golden.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    passed='{"status":"PASSED","speedup":2,"profile":{"speedup":2,"coverage":{"time":0.5,"count":0.5,"replaced":0.25}}}'
}

reward() { # options: the reward of the record $passed
    printf '%s\n' "$passed" | kg-reward -q "$@" | jq -c .reward
}

@test "every installed policy loads, and is named in the manual" {
    for f in "$KG_TOP"/share/kg/policies/*.yaml; do
        name=$(basename "$f" .yaml)
        run -0 kg-reward -p "$name" --show-policy
        [[ "${lines[0]}" == "# policy $name, "* ]]
        grep -q "Cm $name\$" "$KG_TOP/man/kg-policy.5"
    done
}

@test "every setting stands in the manual" {
    kg-reward --show-policy | sed -n 's/^\([a-z]*\.[a-z_]*\):.*/\1/p' >settings
    [ "$(wc -l <settings)" -gt 40 ]
    while read -r s; do
        grep -q -- "$s" "$KG_TOP/man/kg-policy.5" || { echo "$s"; false; }
    done <settings
}

@test "no policy is drkernel, which is what the table of presets says" {
    kg-reward --show-policy >a
    kg-reward -p drkernel --show-policy >b
    echo '{}' >empty.yaml
    kg-reward -p ./empty.yaml --show-policy >c
    cmp a b
    diff <(tail -n +2 a) <(tail -n +2 c)
}

@test "what --show-policy prints is a policy again, with the same hash" {
    kg-reward -p drkernel-released -D reward.correct=0.3 --show-policy >all
    awk -F'[.:] *' 'NR > 1 { s = substr($0, 1, index($0, ".") - 1); r = substr($0, index($0, ".") + 1)
        if (s != last) print s ":"; last = s; print "  " r }' all >again.yaml
    kg-reward -p ./again.yaml --show-policy >back
    diff <(tail -n +2 all) <(tail -n +2 back)
    [ "$(sed -n '1s/.*, //p' all)" = "$(sed -n '1s/.*, //p' back)" ]
}

@test "the hash in the records is that of the settings, not of the file's words" {
    printf '# other words\nreward: {correct: 1.0}\n' >p.yaml
    a=$(printf '%s\n' "$passed" | kg-reward -q | jq -r .kg.policy_sha)
    b=$(printf '%s\n' "$passed" | kg-reward -q -p ./p.yaml | jq -r .kg.policy_sha)
    c=$(printf '%s\n' "$passed" | kg-reward -q -D reward.correct=2 | jq -r .kg.policy_sha)
    [ "$a" = "$b" ]
    [ "$a" != "$c" ]
}

@test "options and defines reach the reward" {
    [ "$(reward)" = 3.5 ]
    [ "$(reward -p kg)" = 3.25 ]
    [ "$(reward -D reward.coverage=0)" = 3 ]
    [ "$(reward -D reward.coverage=0 -D reward.coverage=2)" = 4 ]
    [ "$(reward -D coverage.key=replaced)" = 3.25 ]
    passed='{"status":"completed","correctness":false,"speedup":2}'
    [ "$(reward)" = 0 ]
    [ "$(reward --ungated)" = 2 ]
}

@test "an unknown policy, setting, section or value is an error with the nearest name" {
    run -2 kg-reward -p drkernl
    [[ "$output" == "kg-reward: no policy 'drkernl'; did you mean 'drkernel'?" ]]
    run -2 kg-reward -D reward.corect=1
    [[ "$output" == *"did you mean 'reward.correct'?" ]]
    printf 'reward:\n  gate: true\n  corect: 1\n' >p.yaml
    run -2 kg-reward -p ./p.yaml
    [[ "$output" == "kg-reward: ./p.yaml:3: unknown key 'corect' in 'reward'; did you mean 'reward.correct'?" ]]
    printf 'reward:\n  gate: 1\n' >p.yaml
    run -2 kg-reward -p ./p.yaml
    [[ "$output" == "kg-reward: ./p.yaml:2: reward.gate: '1' is neither true nor false" ]]
    printf 'rewards: {}\n' >p.yaml
    run -2 kg-reward -p p.yaml
    [[ "$output" == "kg-reward: p.yaml:1: unknown section 'rewards'; did you mean 'reward'?" ]]
    run -2 kg-reward -p ./missing.yaml
    [[ "$output" == *"missing.yaml"* ]]
    run -2 kg-reward -p kernelbench_tinkr
    [[ "$output" == *"'kernelbench-tinker'"* ]]
}

@test "answers come one by one, without waiting for the end of input" {
    mkfifo in
    kg-reward -q <in >out &
    exec 8>in
    printf '%s\n' "$passed" >&8
    for _ in $(seq 200); do
        [ -s out ] && break
        sleep 0.05
    done
    [ "$(jq -c .reward out)" = 3.5 ]
    exec 8>&-
    wait
}

@test "kg-reward: a full disk is exit status 5, a closed pipe is quiet" {
    printf '%s\n' "$passed" >in
    run -5 bash -c 'kg-reward -q in >/dev/full'
    for _ in $(seq 2000); do printf '%s\n' "$passed"; done >many
    run -0 bash -c 'kg-reward many 2>err | head -n 1 >/dev/null; cat err'
    [ -z "$output" ]
}

@test "--fail, and a missing file" {
    printf '%s\n' "$passed" >good
    echo '{"status":"TIMEOUT"}' >bad
    run -0 kg-reward -q --fail good
    run -1 kg-reward -q --fail good bad
    [ "${#lines[@]}" = 2 ]
    run -2 --separate-stderr kg-reward nowhere good
    [ "${#lines[@]}" = 1 ]
    [[ "$stderr" == *"nowhere"* ]]
}

@test "feedback never says what the whitelist has not" {
    cat >in <<'EOF'
{"status":"STALE_OUTPUT","error_message":"SEKRET","verify":{"calls":"SEKRET","tolerance":"SEKRET","checks":["SEKRET"],"worst":{"got":"SEKRET"}}}
{"status":"INCORRECT_NUMERICAL","error_message":"SEKRET","verify":{"calls":"SEKRET","max_abs_err":"SEKRET","tolerance":"SEKRET"},"seed":"SEKRET"}
{"status":"PASSED","error_message":"SEKRET","verify":{"calls":"SEKRET"},"profile":{"floor_us":"SEKRET","timer":"SEKRET"},"compile":{"log":"SEKRET"}}
{"status":"COMPILE_ERROR","error_message":"SEKRET","compile":{"log":"/SEKRET/dir/x.cu(1): error: in /SEKRET/y.h"}}
EOF
    kg-reward -q --feedback in | jq -r .feedback >text
    [ -s text ]
    run ! grep SEKRET text
    run ! grep -i 'STALE' text
}

@test "feedback is at most 4,000 characters of valid UTF-8" {
    kernels=$(for i in 1 2 3 4 5 6 7 8 9; do printf '{"name":"%s","class":"custom","device_us":%d},' "$(printf 'é%.0s' {1..900})" "$i"; done)
    printf '{"status":"PASSED","speedup":1,"profile":{"kernels":[%s{"name":"k"}]}}\n' "$kernels" >in
    printf '%s{kernels}{kernels}\n' "$(printf 'é%.0s' {1..3900})" >pass.txt
    cp "$KG_TOP"/share/kg/feedback/{no_code,wrong,crash,hack,suspect,task,ours}.txt .
    kg-reward -q --feedback-dir . in | jq -r .feedback >text
    iconv -f UTF-8 -t UTF-16 text >/dev/null
    [ "$(LC_ALL=C.UTF-8 wc -m <text)" -le 4001 ]
    grep -q 'cut' text
}

@test "a template with an unknown word is an error with its place" {
    cp "$KG_TOP"/share/kg/feedback/*.txt .
    printf 'fine\nthe seed was {seed}\n' >crash.txt
    run -2 kg-reward --feedback-dir .
    [[ "$output" == *"crash.txt:2: no such word 'seed' in a feedback template" ]]
    rm crash.txt
    run -2 kg-reward --feedback-dir .
    [[ "$output" == *"no feedback template for"* ]]
}

@test "a policy may name the hack" {
    echo '{"status":"STALE_OUTPUT"}' >in
    kg-reward -q --feedback -D feedback.hack=named in | jq -r .feedback | grep -q 'STALE_OUTPUT'
}

@test "kg-reward links nothing of CUDA, and no compiler or judge" {
    run -0 ldd "$KG_BIN/kg-reward"
    [[ "$output" != *cuda* && "$output" != *nvrtc* && "$output" != *seccomp* ]]
}

@test "converters: what others write goes in, what others read comes out" {
    jq="$KG_TOP/share/kg/jq"
    echo '{"1":{"0":{"compiled":true,"correctness":true,"runtime":2.0},"1":{"compiled":false,"correctness":false,"runtime":-1}}}' |
        jq -c -f "$jq/kernelbench.jq" --argjson baseline '{"1":3}' | kg-reward -q -D reward.coverage=0 >a
    [ "$(jq -c .reward a | tr '\n' ' ')" = "2.5 0 " ]
    echo '{"definition":"g","solution":"s","workload":{"uuid":"u"},"evaluation":{"status":"PASSED","performance":{"latency_ms":1,"reference_latency_ms":2,"speedup_factor":2}}}' |
        jq -c -f "$jq/flashinfer-bench.jq" | kg-reward -q -D reward.coverage=0 >b
    [ "$(jq -c .reward b)" = 3 ]
    # a kernel's record, told as KernelGYM's, earns the same
    r='{"id":1,"status":"PASSED","compiled":true,"correctness":true,"speedup":2,"profile":{"speedup":2,"coverage":{"time":0.25},"kernels":[{"class":"custom","device_us":5},{"class":"library","device_us":15}]}}'
    [ "$(echo "$r" | kg-reward -q | jq .reward)" = "$(echo "$r" | jq -c -f "$jq/kernelgym.jq" | kg-reward -q | jq .reward)" ]
    for f in verl trl openrlhf; do
        opt=-c
        [ "$f" = verl ] || opt=-cs
        echo '{"uid":1,"reward":1,"return":1,"advantage":0.5}' | jq $opt -f "$jq/$f.jq" >c
        [ -s c ]
    done
}

@test "verl trains on nothing that was not kept" {
    for s in '"sampling":{"keep":false}' '"sampling":{"keep":null}' '"sampling":{}' '"mask":0' '"mask":false'; do
        [ "$(echo '{"uid":1,"reward":1,"return":1,"advantage":0.5,'"$s}" | jq -c -f "$KG_TOP/share/kg/jq/verl.jq" | jq .loss_mask)" = 0 ]
    done
    for s in '"sampling":{"keep":true}' '"mask":1' '"sampling":null'; do
        [ "$(echo '{"uid":1,"reward":1,"return":1,"advantage":0.5,'"$s}" | jq -c -f "$KG_TOP/share/kg/jq/verl.jq" | jq .loss_mask)" = 1 ]
    done
}

@test "a folder without templates is a wrong option" {
    run -2 kg-reward --feedback-dir /no/such/folder /dev/null
    [[ "$output" == *"'/no/such/folder'"* ]]
}

@test "a policy that cannot be printed is told" {
    run -5 bash -c 'kg-reward --show-policy >/dev/full'
    [[ "$output" == *"cannot write the policy"* ]]
}

@test "numbers that cannot be are none" {
    for c in 5 -1 1.0001 1e400; do
        r='{"status":"PASSED","speedup":2,"profile":{"speedup":2,"coverage":{"time":'$c'}}}'
        [ "$(echo "$r" | kg-reward -q | jq -c '[.reward, .reward_terms.unscorable]')" = '[null,"no_coverage"]' ]
    done
    for s in 0 -3 1e400; do
        r='{"status":"PASSED","speedup":'$s',"profile":{"coverage":{"time":0.5}}}'
        [ "$(echo "$r" | kg-reward -q | jq -c '[.reward, .reward_terms.unscorable]')" = '[null,"no_speedup"]' ]
    done
}

@test "bounds that contradict each other are refused" {
    for d in speedup_lower speedup_offset; do
        run -2 kg-reward -D reward.$d=5 --show-policy
        [[ "$output" == *"reward.$d is above reward.speedup_upper"* ]]
        run -0 kg-reward -D reward.$d=3 --show-policy
    done
    run -2 kg-reward -D mismatch.lower=null -D mismatch.upper=0.9 --show-policy
}
