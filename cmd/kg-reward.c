/* kg-reward: verdicts and times in, rewards out. See kg-reward(1). */
#include "base/exit.h"
#include "base/msg.h"
#include "base/opt.h"
#include "record/loop.h"
#include "rl/output_text.h"
#include "rl/policy_load.h"
#include "rl/reward_record.h"

static int print_policy(const struct kg_policy *p)
{
    struct kg_buf text = KG_BUF_INIT;
    kg_buf_addf(&text, "# policy %s, %s\n", p->name, p->sha);
    kg_policy_print(p, &text);
    int status = kg_output_text(kg_buf_str(&text), text.len, "the policy");
    kg_buf_release(&text);
    return status;
}

/* Options that are short for a setting of the policy. */
static int apply_short(struct kg_policy *p, bool ungated, int missing, int hack,
                       struct kg_error *err)
{
    if (ungated)
        p->reward.gate = false;
    if (missing >= 0)
        p->reward.missing = missing;
    if (hack >= 0)
        p->feedback.hack = hack;
    return kg_policy_finish(p, err);
}

int main(int argc, char **argv)
{
    struct kg_loop_opts loop = {0};
    struct kg_policy_opts policy = {0};
    struct kg_reward_run run = {0};
    struct kg_error err = KG_ERROR_INIT;
    const char *dir = NULL;
    int missing = -1, hack = -1;
    bool ungated = false, show = false;
    const struct kg_opt table[] = {
        KG_POLICY_OPTIONS(policy),
        {0, "ungated", KG_OPT_FLAG, NULL, "pay the speedup of wrong results too, as released",
         &ungated},
        {0, "missing", KG_OPT_WORD, "RULE",
         "what a right result without a number is: unscorable or zero", &missing,
         .words = kg_policy_missings},
        {0, "show-policy", KG_OPT_FLAG, NULL, "print every setting of the policy and end", &show},
        {0, "feedback", KG_OPT_FLAG, NULL, "write 'feedback': text for the prompt of the next turn",
         &run.feedback},
        {0, "feedback-dir", KG_OPT_STR, "DIR", "templates of the feedback", &dir},
        {0, "hack-feedback", KG_OPT_WORD, "HOW", "how a cheat is told of: generic or named", &hack,
         .words = kg_policy_hacks},
        KG_LOOP_OPTIONS(loop),
        KG_OPT_END};
    const struct kg_opt_usage usage = {
        "[options] [file ...]",
        "writes the reward of each judged record, by a policy",
        NULL,
    };
    static const char *const own[] = {"reward", "reward_terms", "feedback", "kg", NULL};
    int status = kg_loop_args(&loop, table, &usage, argc, argv);
    if (status >= 0)
        return status;
    run.feedback |= dir || hack >= 0;
    if (kg_policy_load(&run.policy, &policy, &err) ||
        apply_short(&run.policy, ungated, missing, hack, &err) ||
        (run.feedback && kg_feedback_set_load(&run.templates, dir, &run.policy, &err))) {
        kg_msg_from(&err);
        return kg_error_exit(err.code);
    }
    if (show)
        return print_policy(&run.policy);
    loop.own = own;
    status = kg_loop_map(&loop, kg_reward_run_map, &run);
    kg_reward_run_end(&run);
    return status;
}
