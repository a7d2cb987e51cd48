/* kg-profile: how fast is the candidate? See kg-profile(1). */
#include "base/msg.h"
#include "judge/judge.h"

int main(int argc, char **argv)
{
    struct kg_loop_opts loop = {0};
    struct kg_judge_opts o = KG_JUDGE_OPTS_INIT;
    const struct kg_opt table[] = {KG_JUDGE_OPTIONS(o), KG_JUDGE_TIMING_OPTIONS(o),
                                   KG_LOOP_POOL_OPTIONS(loop), KG_OPT_END};
    const struct kg_opt_usage usage = {
        "[options] [file ...]",
        "times right candidates against the baselines of their tasks",
        NULL,
    };
    static const char *const own[] = {"compile", "verify", "profile", "kg", NULL};
    int status = kg_loop_args(&loop, table, &usage, argc, argv);
    if (status >= 0)
        return status;
    loop.own = own;
    return kg_judge_program(&o, &loop, true);
}
