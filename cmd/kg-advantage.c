/* kg-advantage: returns and advantages of multi-turn rollouts. See kg-advantage(1). */
#include <math.h>

#include "base/msg.h"
#include "base/opt.h"
#include "record/loop.h"
#include "rl/advantage_run.h"
#include "rl/policy_load.h"

int main(int argc, char **argv)
{
    struct kg_loop_opts loop = {0};
    struct kg_policy_opts policy = {0};
    struct kg_advantage_opts o = KG_ADVANTAGE_OPTS_INIT;
    struct kg_advantage_run run = {0};
    struct kg_error err = KG_ERROR_INIT;
    const struct kg_opt table[] = {
        KG_POLICY_OPTIONS(policy),
        {0, "estimator", KG_OPT_WORD, "NAME", "trloo by default", &o.estimator,
         .words = kg_policy_estimators},
        {0, "gamma", KG_OPT_NUM, "X", "discount of later turns (1)", &o.gamma, 0, 100},
        {0, "std", KG_OPT_FLAG, NULL, "grpo, turn-grpo: divide by the group's std", &o.std},
        {0, "singleton", KG_OPT_WORD, "RULE", "advantage of a group of one (return)", &o.singleton,
         .words = kg_policy_singletons},
        {0, "baseline", KG_OPT_WORD, "ROWS",
         "rows that give a baseline: all, or those that kg-sample --mark kept", &o.baseline,
         .words = kg_policy_baselines},
        {0, "unscorable", KG_OPT_WORD, "RULE", "records without a return: null, or an error (skip)",
         &o.unscorable, .words = kg_policy_unscorables},
        {0, "void-mask", KG_OPT_FLAG, NULL,
         "mask turns that fail after a success, and failed rollouts", &o.void_mask},
        {0, "batch-std", KG_OPT_FLAG, NULL, "standardise the advantages of the whole batch",
         &o.batch_std},
        KG_LOOP_GROUP_OPTIONS(loop),
        KG_OPT_END};
    const struct kg_opt_usage usage = {
        "[options] [file ...]",
        "writes return and advantage of each record, by group",
        "--grouped and --group-size stream, with memory for one group at a time.",
    };
    int status = kg_loop_args(&loop, table, &usage, argc, argv);
    if (status >= 0)
        return status;
    if (kg_policy_load(&run.policy, &policy, &err) || kg_advantage_run_init(&run, &o, &err)) {
        kg_msg_from(&err);
        return kg_error_exit(err.code);
    }
    run.named = kg_named_keys(&loop);
    struct kg_group_ops ops = kg_advantage_run_ops(&run);
    status = kg_loop_group(&loop, &ops, &run);
    kg_advantage_run_end(&run);
    return status;
}
