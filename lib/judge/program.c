#include <stdio.h>

#include "base/exit.h"
#include "base/msg.h"
#include "judge/judge.h"

static void *begin(void *ctx, int index)
{
    return kg_judge_thread_new(ctx, index);
}

static void end(void *ctx, void *thread)
{
    kg_judge_thread_free(thread);
}

static int verify(void *ctx, void *thread, struct kg_record *r)
{
    return kg_judge_verify(ctx, thread, r);
}

static int profile(void *ctx, void *thread, struct kg_record *r)
{
    return kg_judge_profile(ctx, thread, r);
}

static int print_env(const struct kg_judge_opts *o)
{
    struct kg_buf text = KG_BUF_INIT;
    kg_judge_env(o, &text);
    return kg_opt_print(&text);
}

int kg_judge_program(const struct kg_judge_opts *o, struct kg_loop_opts *loop, bool timed)
{
    struct kg_error err = KG_ERROR_INIT;
    const struct kg_pool_ops ops = {timed ? profile : verify, begin, end};
    if (o->max_time_s > 0 && o->min_time_s > o->max_time_s) {
        kg_msg_error("--min-time %g is more than --max-time %g", o->min_time_s, o->max_time_s);
        return KG_EXIT_INPUT;
    }
    if (o->env)
        return print_env(o);
    struct kg_judge *judge = kg_judge_new(o, &err);
    if (!judge) {
        kg_msg_from(&err);
        return kg_error_exit(err.code);
    }
    if (!loop->jobs)
        loop->jobs = kg_judge_jobs(judge);
    int status = kg_loop_pool(loop, &ops, judge);
    kg_judge_free(judge);
    return status;
}
