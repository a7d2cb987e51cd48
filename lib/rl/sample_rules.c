#include "rl/sample_run.h"

#include <stdlib.h>

#include "base/exit.h"
#include "base/msg.h"
#include "score/filter.h"

void kg_sample_opts_init(struct kg_sample_opts *o)
{
    *o = (struct kg_sample_opts){.is = -1,
                                 .rs = -1,
                                 .veto_unit = -1,
                                 .prs = -1,
                                 .prs_key = -1,
                                 .flat_on = -1,
                                 .by = -1,
                                 .context = -1,
                                 .metric = KG_METRIC_REWARD,
                                 .is_upper = NAN,
                                 .lower = NAN,
                                 .upper = NAN,
                                 .veto = NAN,
                                 .threshold = NAN,
                                 .ramp = NAN,
                                 .prs_speedup = NAN,
                                 .drift = NAN,
                                 .extreme = NAN,
                                 .drop_flat = NAN,
                                 .min_group = -1,
                                 .groups = -1,
                                 .per_group = -1,
                                 .window = 4};
}

/* Does an option name a rule? Then only the rules that are named run. */
static bool names_rule(const struct kg_sample_opts *o)
{
    return o->is >= 0 || o->rs >= 0 || o->prs >= 0 || o->context >= 0 || o->gates ||
           !isnan(o->veto) || !isnan(o->drift) || !isnan(o->extreme) || !isnan(o->drop_flat) ||
           o->min_group >= 0 || o->groups >= 0 || o->per_group >= 0;
}

static void no_rules(struct kg_policy *p)
{
    p->mismatch.is = p->mismatch.rs = KG_LEVEL_NONE;
    p->mismatch.veto = 0;
    p->prs.mode = KG_PRS_NONE;
    p->gates.on = false;
    p->group.drop_flat = 0;
    p->group.min_group = p->group.groups = p->group.per_group = 0;
}

static void set_word(int *setting, int option)
{
    if (option >= 0)
        *setting = option;
}

static void set_num(double *setting, double option)
{
    if (!isnan(option))
        *setting = option;
}

static void set_int(int64_t *setting, int64_t option)
{
    if (option >= 0)
        *setting = option;
}

static void apply(struct kg_policy *p, const struct kg_sample_opts *o)
{
    if (names_rule(o))
        no_rules(p);
    set_word(&p->mismatch.is, o->is);
    set_word(&p->mismatch.rs, o->rs);
    set_word(&p->mismatch.veto_unit, o->veto_unit);
    set_num(&p->mismatch.is_upper, o->is_upper);
    if (!isnan(o->upper) && isnan(o->lower)) /* the policy's lower bound belongs to its upper one */
        p->mismatch.lower = NAN;
    set_num(&p->mismatch.lower, o->lower);
    set_num(&p->mismatch.upper, o->upper);
    set_num(&p->mismatch.veto, o->veto);
    set_word(&p->prs.mode, o->prs);
    set_word(&p->prs.key, o->prs_key);
    set_num(&p->prs.threshold, o->threshold);
    set_num(&p->prs.ramp, o->ramp);
    set_num(&p->prs.speedup, o->prs_speedup);
    set_num(&p->gates.drift, o->drift);
    set_num(&p->gates.extreme, o->extreme);
    set_num(&p->group.drop_flat, o->drop_flat);
    set_word(&p->group.flat_on, o->flat_on);
    set_int(&p->group.min_group, o->min_group);
    set_int(&p->group.groups, o->groups);
    set_int(&p->group.per_group, o->per_group);
    set_word(&p->group.by, o->by);
}

static int check(const struct kg_sample_opts *o, struct kg_error *err)
{
    if (o->drop && (names_rule(o) || o->mark || o->weights || o->summary))
        return kg_error_set(err, KG_E_USAGE,
                            "--drop only drops what an earlier --mark did not keep: it goes with "
                            "no rule, --mark, --weights or --summary");
    return 0;
}

int kg_sample_run_init(struct kg_sample_run *run, const struct kg_sample_opts *o,
                       struct kg_error *err)
{
    struct kg_policy *p = &run->policy;
    run->opts = *o;
    apply(p, o);
    if (check(o, err) || kg_policy_finish(p, err))
        return -1;
    bool gates = p->gates.on || o->gates;
    run->rules = (struct kg_sample_rules){
        .rs = p->mismatch.rs != KG_LEVEL_NONE,
        .is = p->mismatch.is != KG_LEVEL_NONE,
        .veto = p->mismatch.veto > 0,
        .drift = gates || !isnan(o->drift),
        .extreme = gates || !isnan(o->extreme),
        .prs = p->prs.mode != KG_PRS_NONE,
        .filter = kg_filter_wanted(p),
        .context = o->context > KG_CONTEXT_NONE,
    };
    const struct kg_sample_rules *x = &run->rules;
    kg_mismatch_bounds(p, &run->bounds);
    run->need_arrays =
        p->mismatch.rs == KG_LEVEL_TOKEN || p->mismatch.is == KG_LEVEL_TOKEN || o->weights;
    run->need_ratio = run->need_arrays || x->rs || x->is || x->veto || x->drift;
    run->need_tokens = p->prs.mode == KG_PRS_GEOMETRIC ||
                       (p->group.per_group > 0 && p->group.by == KG_THIN_EFFICIENCY);
    run->need_result = x->prs || (x->context && o->metric != KG_METRIC_REWARD);
    run->need_reward =
        p->group.drop_flat > 0 || (p->group.per_group > 0 && p->group.by == KG_THIN_EFFICIENCY) ||
        (x->context && (o->metric == KG_METRIC_REWARD || o->metric == KG_METRIC_COVERAGE_REWARD));
    kg_sample_summary_init(run);
    return 0;
}

struct kg_group_ops kg_sample_run_ops(const struct kg_sample_run *run)
{
    static const char *const own[] = {
        "sampling",    "kg",           "status",  "error_code", "error_message", "compiled",
        "correctness", "decoy_kernel", "speedup", "reward",     "return",        "advantage",
        NULL};
    return (struct kg_group_ops){.own = own,
                                 .take = kg_sample_take,
                                 .close = kg_sample_close,
                                 .emit = kg_sample_emit,
                                 .whole_batch = run->policy.group.groups > 0,
                                 .why = "--groups"};
}

int kg_sample_run_end(struct kg_sample_run *run, int status)
{
    struct kg_error err = KG_ERROR_INIT;
    if (run->not_numbers)
        kg_msg_warn("%llu records have log-probabilities that are no numbers: what looks at them "
                    "rejects",
                    (unsigned long long)run->not_numbers);
    kg_named_keys_tell(&run->named);
    if (run->opts.summary && kg_sample_summary_write(run, &err)) {
        kg_msg_from(&err);
        status = KG_EXIT_OUTPUT;
    }
    free(run->keys);
    free(run->rows);
    free(run->ratios);
    free(run->stats);
    kg_stamps_release(&run->stamps);
    kg_token_spool_release(&run->spool);
    kg_buf_release(&run->text);
    return status;
}

const char *kg_sample_reason_name(const struct kg_sample_run *run, enum kg_sample_reason reason)
{
    static const char *const names[] = {NULL,          "bad",       "masked",     "unscorable",
                                        NULL,          "veto",      "gate_drift", "gate_extreme",
                                        "no_coverage", "prs",       "flat",       "min_group",
                                        "groups",      "per_group", "context"};
    if (reason == KG_REASON_RS)
        return kg_policy_rs_levels[run->policy.mismatch.rs];
    return names[reason];
}

int kg_sample_drop(void *ctx, struct kg_record *r)
{
    (void)ctx;
    enum kg_verdict v;
    if (kg_record_verdict(r, &v) && v == KG_BAD_RECORD)
        return KG_LOOP_KEEP; /* whoever waits for it is answered */
    const struct kg_value *s = kg_record_get(r, "sampling");
    const struct kg_value *keep = kg_value_get(s, "keep");
    if (!keep) {
        kg_record_fault(r, "no 'sampling.keep': run kg-sample --mark before --drop");
        return KG_LOOP_KEEP;
    }
    return kg_value_bool(keep, false) ? KG_LOOP_KEEP : KG_LOOP_DROP;
}
