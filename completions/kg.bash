# bash completion for the kg programs; made by 'make completions' from their option tables
_kg() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=""
    case ${COMP_WORDS[0]##*/}:$prev in
    kg-advantage:--estimator) words="trloo grpo rloo reinforce erloo erloo-norm turn-grpo" ;;
    kg-advantage:--singleton) words="return zero others" ;;
    kg-advantage:--baseline) words="all kept" ;;
    kg-advantage:--unscorable) words="skip error" ;;
    kg-compile:--extract) words="fenced kernelgym" ;;
    kg-compile:--sandbox) words="auto require off" ;;
    kg-profile:--compat) words="none kernelgym" ;;
    kg-profile:--sandbox) words="auto require off" ;;
    kg-report:--average) words="task sample" ;;
    kg-reward:--missing) words="unscorable zero" ;;
    kg-reward:--hack-feedback) words="generic named" ;;
    kg-sample:--is) words="none token turn turn-geo sequence geometric" ;;
    kg-sample:--rs) words="none token turn turn-geo sequence geometric" ;;
    kg-sample:--prs) words="none turn geometric" ;;
    kg-sample:--context) words="none top window last" ;;
    kg-sample:--veto-unit) words="turn rollout" ;;
    kg-sample:--prs-key) words="time count replaced min" ;;
    kg-sample:--flat-on) words="last all" ;;
    kg-sample:--by) words="uniform efficiency" ;;
    kg-sample:--metric) words="reward speedup coverage coverage-reward" ;;
    kg-verify:--compat) words="none kernelgym" ;;
    kg-verify:--sandbox) words="auto require off" ;;
    esac
    if [[ -n $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
    fi
    if [[ $cur == -* ]]; then
        case ${COMP_WORDS[0]##*/} in
        kg-advantage) words="--policy --define --estimator --gamma --std --singleton --baseline --unscorable --void-mask --batch-std --grouped --group-size --uid-key --traj-key --turn-key --rejects --fail --quiet --verbose --help --version" ;;
        kg-compile) words="--tasks --device --target --timeout --extract --embed-task --redo --no-cache --cache-size --cuda-home --sandbox --env --jobs --unordered --rejects --fail --quiet --verbose --help --version" ;;
        kg-profile) words="--tasks --device --seed --redo --env --timeout --call-timeout --truth-timeout --compile-timeout --num-correct-trials --rtol --atol --compat --sandbox --no-cache --truth-size --precise --raw --min-runs --max-noise --min-time --max-time --warmup --jobs --unordered --rejects --fail --quiet --verbose --help --version" ;;
        kg-report) words="--json --summary --plot --average --by --strict --fast --pass --uid-key --traj-key --turn-key --rejects --fail --quiet --verbose --help --version" ;;
        kg-reward) words="--policy --define --ungated --missing --show-policy --feedback --feedback-dir --hack-feedback --rejects --fail --quiet --verbose --help --version" ;;
        kg-sample) words="--policy --define --seed --mark --drop --weights --replay --summary --is --rs --veto --prs --gates --gate-drift --gate-extreme --drop-flat --min-group --groups --per-group --context --is-upper --lower --upper --veto-unit --prs-key --threshold --ramp --prs-speedup --flat-on --by --window --metric --grouped --group-size --uid-key --traj-key --turn-key --rejects --fail --quiet --verbose --help --version" ;;
        kg-verify) words="--tasks --device --seed --redo --env --timeout --call-timeout --truth-timeout --compile-timeout --num-correct-trials --rtol --atol --compat --sandbox --no-cache --truth-size --jobs --unordered --rejects --fail --quiet --verbose --help --version" ;;
        esac
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
complete -o filenames -F _kg kg-advantage kg-compile kg-profile kg-report kg-reward kg-sample kg-verify
