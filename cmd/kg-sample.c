/* kg-sample: which records are trained on. See kg-sample(1). */
#include "base/exit.h"
#include "base/msg.h"
#include "base/opt.h"
#include "record/loop.h"
#include "rl/policy_load.h"
#include "rl/sample_run.h"

int main(int argc, char **argv)
{
    struct kg_loop_opts loop = {0};
    struct kg_policy_opts policy = {0};
    struct kg_sample_opts o;
    static struct kg_sample_run run;
    struct kg_error err = KG_ERROR_INIT;
    kg_sample_opts_init(&o);
    const struct kg_opt table[] = {
        KG_POLICY_OPTIONS(policy),
        {'s', "seed", KG_OPT_INT, "N", "seed of all draws (0)", &o.seed, 0, 9007199254740992.0},
        {0, "mark", KG_OPT_FLAG, NULL, "keep every record, marked", &o.mark},
        {0, "drop", KG_OPT_FLAG, NULL, "only drop what an earlier --mark did not keep", &o.drop},
        {0, "weights", KG_OPT_FLAG, NULL, "write the surviving mask and weights of tokens",
         &o.weights},
        {0, "replay", KG_OPT_FLAG, NULL, "take 'sampling.u' where a record has it", &o.replay},
        {0, "summary", KG_OPT_STR, "FILE", "write the batch metrics as one JSON object",
         &o.summary},
        {.type = KG_OPT_GROUP, .help = "rules (naming one switches the policy's off)"},
        {0, "is", KG_OPT_WORD, "LEVEL", "importance weights", &o.is, .words = kg_policy_is_levels},
        {0, "rs", KG_OPT_WORD, "LEVEL", "reject by the mismatch ratio", &o.rs,
         .words = kg_policy_rs_levels},
        {0, "veto", KG_OPT_NUM, "RATIO", "reject when a token's ratio is below", &o.veto, 0, 1e300},
        {0, "prs", KG_OPT_WORD, "MODE", "reject by coverage", &o.prs, .words = kg_policy_prs_modes},
        {0, "gates", KG_OPT_FLAG, NULL, "both gates", &o.gates},
        {0, "gate-drift", KG_OPT_NUM, "X", "reject when |mean log ratio| is not below", &o.drift, 0,
         1e300},
        {0, "gate-extreme", KG_OPT_NUM, "X", "reject when a token lies this far under the top one",
         &o.extreme, -1e300, 1e300},
        {0, "drop-flat", KG_OPT_NUM, "STD", "reject groups whose rewards vary less", &o.drop_flat,
         0, 1e300},
        {0, "min-group", KG_OPT_INT, "N", "reject groups with fewer trajectories left",
         &o.min_group, 0, 1e9},
        {0, "groups", KG_OPT_INT, "N", "keep at most N groups", &o.groups, 0, 1e9},
        {0, "per-group", KG_OPT_INT, "N", "keep at most N trajectories a group", &o.per_group, 0,
         1e9},
        {0, "context", KG_OPT_WORD, "MODE", "keep the turns that go into the next prompt",
         &o.context, .words = kg_context_modes},
        {.type = KG_OPT_GROUP, .help = "their settings"},
        {0, "is-upper", KG_OPT_NUM, "W", "truncate importance weights", &o.is_upper, 0, 1e300},
        {0, "lower", KG_OPT_NUM, "W", "lower bound of the ratio (1/upper)", &o.lower, 0, 1e300},
        {0, "upper", KG_OPT_NUM, "W", "upper bound of the ratio", &o.upper, 0, 1e300},
        {0, "veto-unit", KG_OPT_WORD, "UNIT", "what a veto rejects", &o.veto_unit,
         .words = kg_policy_units},
        {0, "prs-key", KG_OPT_WORD, "KEY", "coverage that PRS looks at", &o.prs_key,
         .words = kg_policy_coverage_keys},
        {0, "threshold", KG_OPT_NUM, "C", "coverage from which p is above 0", &o.threshold, -1e300,
         1e300},
        {0, "ramp", KG_OPT_NUM, "C", "width in which p rises to 1", &o.ramp, 0, 1e300},
        {0, "prs-speedup", KG_OPT_NUM, "X", "a speedup from which a turn stays anyway",
         &o.prs_speedup, -1e300, 1e300},
        {0, "flat-on", KG_OPT_WORD, "TURNS", "rewards that --drop-flat looks at", &o.flat_on,
         .words = kg_policy_flat_ons},
        {0, "by", KG_OPT_WORD, "HOW", "which trajectories --per-group keeps", &o.by,
         .words = kg_policy_thins},
        {'w', "window", KG_OPT_INT, "N", "turns that --context keeps (4)", &o.window, 1, 1e9},
        {0, "metric", KG_OPT_WORD, "NAME", "what --context compares", &o.metric,
         .words = kg_context_metrics},
        {.type = KG_OPT_GROUP, .help = "records"},
        KG_LOOP_GROUP_OPTIONS(loop),
        KG_OPT_END};
    const struct kg_opt_usage usage = {
        "[options] [file ...]",
        "decides which records are trained on, and drops the others",
        "Without a rule among the options the policy's rules run.",
    };
    int status = kg_loop_args(&loop, table, &usage, argc, argv);
    if (status >= 0)
        return status;
    if (kg_policy_load(&run.policy, &policy, &err) || kg_sample_run_init(&run, &o, &err)) {
        kg_msg_from(&err);
        return kg_error_exit(err.code);
    }
    if (o.summary && kg_loop_refuse_output(&loop, "--summary", o.summary))
        return KG_EXIT_INPUT;
    run.named = kg_named_keys(&loop);
    if (o.drop)
        return kg_loop_map(&loop, kg_sample_drop, &run);
    struct kg_group_ops ops = kg_sample_run_ops(&run);
    status = kg_loop_group(&loop, &ops, &run);
    return kg_sample_run_end(&run, status);
}
