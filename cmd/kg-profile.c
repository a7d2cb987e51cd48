/* kg-profile: how fast is the candidate? See kg-profile(1). */
#include "base/exit.h"
#include "base/msg.h"
#include "judge/judge.h"
#include "record/loop.h"

#include <stdio.h>

static int work(void *ctx, void *thread, struct kg_record *r)
{
    return kg_judge_profile(ctx, thread, r);
}

static void *begin(void *ctx, int index)
{
    return kg_judge_thread_new(ctx, index);
}

static void end(void *ctx, void *thread)
{
    kg_judge_thread_free(thread);
}

static int print_env(const struct kg_judge_opts *o)
{
    struct kg_buf text = KG_BUF_INIT;
    kg_judge_env(o, &text);
    fwrite(text.data, 1, text.len, stdout);
    kg_buf_release(&text);
    return fflush(stdout) || ferror(stdout) ? KG_EXIT_OUTPUT : KG_EXIT_OK;
}

int main(int argc, char **argv)
{
    struct kg_loop_opts loop = {0};
    struct kg_judge_opts o = KG_JUDGE_OPTS_INIT;
    struct kg_error err = KG_ERROR_INIT;
    bool env = false;
    const struct kg_opt table[] = {
        KG_JUDGE_OPTIONS(o),
        KG_JUDGE_TIMING_OPTIONS(o),
        {0, "env", KG_OPT_FLAG, NULL, "print what was found and from where, and end", &env},
        KG_LOOP_POOL_OPTIONS(loop),
        KG_OPT_END};
    const struct kg_opt_usage usage = {
        "[options] [file ...]",
        "times right candidates against the baselines of their tasks",
        NULL,
    };
    static const char *const own[] = {"compile", "verify", "profile", "kg", NULL};
    int first;
    kg_msg_init(argv[0]);
    int status = kg_opt_parse(table, &usage, argc, argv, &first);
    if (status >= 0)
        return status;
    kg_msg_set_level(loop.common.quiet ? -1 : loop.common.verbose);
    if (env)
        return print_env(&o);
    struct kg_judge *judge = kg_judge_new(&o, &err);
    if (!judge) {
        kg_msg_from(&err);
        return kg_error_exit(err.code);
    }
    const struct kg_pool_ops ops = {work, begin, end};
    loop.own = own;
    if (!loop.jobs)
        loop.jobs = kg_judge_jobs(judge);
    loop.files = argv + first;
    loop.n_files = argc - first;
    status = kg_loop_pool(&loop, &ops, judge);
    kg_judge_free(judge);
    return status;
}
