/* kg-verify: is the candidate right? See kg-verify(1). */
#include "base/msg.h"
#include "judge/judge.h"

int main(int argc, char **argv)
{
    struct kg_loop_opts loop = {0};
    struct kg_judge_opts o = KG_JUDGE_OPTS_INIT;
    const struct kg_opt table[] = {KG_JUDGE_OPTIONS(o), KG_LOOP_POOL_OPTIONS(loop), KG_OPT_END};
    const struct kg_opt_usage usage = {
        "[options] [file ...]",
        "judges whether candidates compute what their tasks say",
        NULL,
    };
    static const char *const own[] = {"compile", "verify", "kg", NULL};
    int status = kg_loop_args(&loop, table, &usage, argc, argv);
    if (status >= 0)
        return status;
    loop.own = own;
    return kg_judge_program(&o, &loop, false);
}
