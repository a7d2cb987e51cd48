#include "rl/sample_run.h"

#include <stdlib.h>

#include "base/exit.h"
#include "base/mem.h"
#include "base/msg.h"
#include "score/draw.h"
#include "score/filter.h"
#include "score/gates.h"
#include "score/prs.h"

/* ---- input that is not there ---------------------------------------------------------------- */

/* A row that rules look at. */
static bool is_live(const struct kg_sample_row *r)
{
    return r->reason != KG_REASON_BAD && r->reason != KG_REASON_MASKED &&
           r->reason != KG_REASON_UNSCORABLE;
}

static bool is_wanted(const struct kg_sample_row *r)
{
    return !(r->flags & (KG_SAMPLE_MASKED | KG_SAMPLE_UNSCORABLE));
}

/*
 * What a rule needs of every row. true: leave the rule out, no record so far has it. Where some
 * have it, the others are bad records.
 */
static bool lacks(struct kg_sample_run *run, uint32_t flag, const char *rule, const char *needs)
{
    size_t wanted = 0;
    for (size_t i = 0; i < run->n; i++)
        wanted += is_wanted(&run->rows[i]);
    if (!wanted)
        return false;
    if (!(run->seen & flag)) {
        kg_msg_warn_once(rule, "%s is left out: no record has %s", rule, needs);
        return true;
    }
    for (size_t i = 0; i < run->n; i++) {
        struct kg_sample_row *r = &run->rows[i];
        if (!is_wanted(r) || r->flags & flag || r->reason == KG_REASON_BAD)
            continue;
        r->reason = KG_REASON_BAD;
        r->needs = needs;
        r->rule = rule;
        kg_msg_at(r->source, r->line, "no %s, which other records have and %s needs", needs, rule);
        kg_loop_status(KG_EXIT_INPUT);
    }
    return false;
}

static void check_arrays(struct kg_sample_run *run)
{
    struct kg_sample_rules *x = &run->active;
    const char *arrays = "'old_log_probs' and 'rollout_log_probs'";
    const char *ratio = "'old_log_probs' and 'rollout_log_probs', or 'log_ratio'";
    if (run->policy.mismatch.rs == KG_LEVEL_TOKEN && x->rs)
        x->rs = !lacks(run, KG_SAMPLE_ARRAYS, "--rs token", arrays);
    if (run->policy.mismatch.is == KG_LEVEL_TOKEN && x->is)
        x->is = !lacks(run, KG_SAMPLE_ARRAYS, "--is token", arrays);
    if (run->opts.weights)
        lacks(run, KG_SAMPLE_ARRAYS, "--weights", arrays);
    if (x->rs && run->policy.mismatch.rs != KG_LEVEL_TOKEN)
        x->rs = !lacks(run, KG_SAMPLE_RATIO, "--rs", ratio);
    if (x->is && run->policy.mismatch.is != KG_LEVEL_TOKEN)
        x->is = !lacks(run, KG_SAMPLE_RATIO, "--is", ratio);
    if (x->veto)
        x->veto = !lacks(run, KG_SAMPLE_RATIO, "--veto", ratio);
    if (x->drift)
        x->drift = !lacks(run, KG_SAMPLE_RATIO, "the drift gate", ratio);
    if (x->extreme)
        x->extreme = !lacks(run, KG_SAMPLE_TOP, "the gate of extreme tokens",
                            "'rollout_log_probs' and 'top_log_probs'");
}

static void check_results(struct kg_sample_run *run)
{
    struct kg_sample_rules *x = &run->active;
    if (x->prs)
        x->prs = !lacks(run, KG_SAMPLE_RESULT, "--prs", "'status'");
    if (x->context && run->need_result)
        x->context = !lacks(run, KG_SAMPLE_RESULT, "--context", "'status'");
    if (x->context && run->need_reward)
        x->context = !lacks(run, KG_SAMPLE_REWARD, "--context", "'reward'");
    if (x->filter && run->need_reward)
        x->filter = !lacks(run, KG_SAMPLE_REWARD, "the group filter", "'reward'");
    if (x->filter && run->policy.group.by == KG_THIN_EFFICIENCY && run->policy.group.per_group)
        x->filter = !lacks(run, KG_SAMPLE_TOKENS, "--by efficiency", "a number of tokens");
}

static void begin(struct kg_sample_run *run)
{
    run->active = run->rules;
    for (size_t i = 0; i < run->n; i++) {
        struct kg_sample_row *r = &run->rows[i];
        r->reason = KG_REASON_KEPT;
        if (r->flags & KG_SAMPLE_MASKED)
            r->reason = KG_REASON_MASKED;
        else if (r->flags & KG_SAMPLE_UNSCORABLE && !run->rules.context)
            r->reason = KG_REASON_UNSCORABLE;
    }
    check_arrays(run);
    check_results(run);
    for (size_t i = 0; i < run->n; i++) /* what takes no part has no token in its rollout */
        if (!is_live(&run->rows[i]) && run->rows[i].reason != KG_REASON_UNSCORABLE)
            run->ratios[i] = (struct kg_ratio){.min = INFINITY};
}

/* ---- rules of mismatch ---------------------------------------------------------------------- */

static void reject(struct kg_sample_row *r, enum kg_sample_reason why)
{
    if (r->reason == KG_REASON_KEPT)
        r->reason = why;
}

static void by_ratio(struct kg_sample_run *run, const uint32_t *order, double *rs_w, bool *vetoed)
{
    const struct kg_policy *p = &run->policy;
    enum kg_level rs = (enum kg_level)p->mismatch.rs, is = (enum kg_level)p->mismatch.is;
    size_t n = run->n;
    double *is_w = kg_mem_array(n, sizeof *is_w);
    bool rs_units = run->active.rs && rs != KG_LEVEL_TOKEN;
    bool is_units = run->active.is && is != KG_LEVEL_TOKEN;
    kg_mismatch_units(rs_units ? rs : KG_LEVEL_TURN_GEO, run->keys, run->ratios, order, n, rs_w);
    if (is_units)
        kg_mismatch_units(is, run->keys, run->ratios, order, n, is_w);
    if (run->active.veto)
        kg_mismatch_veto(&run->bounds, (enum kg_unit)p->mismatch.veto_unit, run->keys, run->ratios,
                         order, n, vetoed);
    for (size_t i = 0; i < n; i++) {
        struct kg_sample_row *r = &run->rows[i];
        const struct kg_ratio *q = &run->ratios[i];
        if (r->flags & KG_SAMPLE_RATIO)
            r->log_w = rs_w[i];
        if (is_units)
            r->is_log_w = is_w[i];
        if (rs_units && q->n && !kg_mismatch_within(&run->bounds, rs_w[i]))
            reject(r, KG_REASON_RS);
        if (run->active.rs && rs == KG_LEVEL_TOKEN && q->n && !q->kept)
            reject(r, KG_REASON_RS);
        if (vetoed[i])
            reject(r, KG_REASON_VETO);
        if (run->active.drift && !(kg_gates_drift(q) < p->gates.drift))
            reject(r, KG_REASON_DRIFT);
        if (run->active.extreme && !(r->extreme > p->gates.extreme))
            reject(r, KG_REASON_EXTREME);
    }
    free(is_w);
}

/* ---- PRS ------------------------------------------------------------------------------------ */

static double draw(struct kg_sample_run *run, const char *kind, size_t row, bool group,
                   int64_t turn)
{
    const struct kg_sample_row *r = &run->rows[row];
    struct kg_draw_id uid = {(const char *)(uintptr_t)run->keys[row].uid, r->uid_len};
    struct kg_draw_id traj = {(const char *)(uintptr_t)run->keys[row].traj, r->traj_len};
    return kg_draw((uint64_t)run->opts.seed, kind, uid, group ? NULL : &traj, turn);
}

/* The coverage of a trajectory, written to each of its rows. */
static void share_coverage(struct kg_sample_run *run, const uint32_t *order)
{
    double *c = kg_mem_array(run->n, sizeof *c);
    for (size_t at = 0; at < run->n;) {
        size_t end = kg_order_traj_end(run->keys, order, run->n, at), n = 0;
        for (size_t i = at; i < end; i++) {
            const struct kg_sample_row *r = &run->rows[order[i]];
            bool tokens = !(r->flags & KG_SAMPLE_TOKENS) || run->ratios[order[i]].kept;
            bool correct = r->flags & KG_SAMPLE_CORRECT;
            if (r->reason == KG_REASON_KEPT && tokens && (correct || run->policy.prs.count_failed))
                c[n++] = !correct && isnan(r->coverage) ? 0 : r->coverage;
        }
        double all = kg_prs_geometric(c, n);
        for (; at < end; at++)
            run->rows[order[at]].coverage = all;
    }
    free(c);
}

/* No correct row of the batch (and none before) has a coverage: the rule has no input. */
static bool no_coverage(struct kg_sample_run *run)
{
    static const uint32_t coverage = 1u << 31; /* a flag of run->seen only */
    size_t correct = 0;
    for (size_t i = 0; i < run->n; i++) {
        const struct kg_sample_row *r = &run->rows[i];
        if (!is_live(r) || !(r->flags & KG_SAMPLE_CORRECT))
            continue;
        correct++;
        if (!isnan(r->coverage))
            run->seen |= coverage;
    }
    bool speed = run->policy.prs.speedup >= 0;
    if (!correct || run->seen & coverage || speed)
        return false;
    kg_msg_warn_once("coverage", "--prs is left out: no correct record has a coverage (%s)",
                     kg_policy_coverage_keys[run->policy.prs.key]);
    return true;
}

static void by_coverage(struct kg_sample_run *run, const uint32_t *order)
{
    const struct kg_policy *p = &run->policy;
    if (no_coverage(run)) {
        run->active.prs = false;
        return;
    }
    if (p->prs.mode == KG_PRS_GEOMETRIC)
        share_coverage(run, order);
    for (size_t i = 0; i < run->n; i++) {
        struct kg_sample_row *r = &run->rows[i];
        if (r->reason == KG_REASON_BAD || r->reason == KG_REASON_MASKED)
            continue;
        r->p = kg_prs_probability(p, r->coverage, r->flags & KG_SAMPLE_CORRECT, r->speedup);
        if (isnan(r->u))
            r->u = draw(run, "prs", i, false, run->keys[i].turn);
        if (isnan(r->p))
            reject(r, KG_REASON_NO_COVERAGE);
        else if (r->u >= r->p)
            reject(r, KG_REASON_PRS);
    }
}

/* ---- groups and context --------------------------------------------------------------------- */

static double filter_draw(void *ctx, size_t row, bool group)
{
    return group ? draw(ctx, "group", row, true, 0) : draw(ctx, "row", row, false, 0);
}

static void by_group(struct kg_sample_run *run, const uint32_t *order)
{
    static const enum kg_sample_reason why[] = {KG_REASON_KEPT, KG_REASON_FLAT, KG_REASON_MIN_GROUP,
                                                KG_REASON_GROUPS, KG_REASON_PER_GROUP};
    struct kg_filter_row *f = kg_mem_array(run->n, sizeof *f);
    for (size_t i = 0; i < run->n; i++) {
        const struct kg_sample_row *r = &run->rows[i];
        bool mask = r->reason != KG_REASON_BAD && r->reason != KG_REASON_MASKED;
        f[i] = (struct kg_filter_row){.reward = r->reward,
                                      .tokens = run->ratios[i].kept,
                                      .mask = mask,
                                      .keep = r->reason == KG_REASON_KEPT};
    }
    kg_filter(&run->policy, run->keys, f, order, run->n, filter_draw, run);
    for (size_t i = 0; i < run->n; i++)
        reject(&run->rows[i], why[f[i].out]);
    free(f);
}

static struct kg_metric metric_of(const struct kg_sample_run *run, const struct kg_sample_row *r)
{
    switch (run->opts.metric) {
    case KG_METRIC_SPEEDUP:
        return (struct kg_metric){{r->speedup, 0}};
    case KG_METRIC_COVERAGE:
        return (struct kg_metric){{r->coverage, 0}};
    case KG_METRIC_COVERAGE_REWARD:
        return (struct kg_metric){{r->coverage, r->reward}};
    default:
        return (struct kg_metric){{r->reward, 0}};
    }
}

static void by_context(struct kg_sample_run *run, const uint32_t *order)
{
    struct kg_metric *m = kg_mem_array(run->n, sizeof *m);
    bool *selected = kg_mem_array(run->n, sizeof *selected);
    uint32_t *at_row = kg_mem_array(run->n, sizeof *at_row);
    for (size_t at = 0; at < run->n;) {
        size_t end = kg_order_traj_end(run->keys, order, run->n, at), n = 0;
        for (; at < end; at++) {
            const struct kg_sample_row *r = &run->rows[order[at]];
            if (r->reason != KG_REASON_KEPT)
                continue;
            at_row[n] = order[at];
            m[n++] = metric_of(run, r);
        }
        kg_context_select((enum kg_context)run->opts.context, (size_t)run->opts.window, m, n,
                          selected);
        for (size_t i = 0; i < n; i++)
            if (!selected[i])
                reject(&run->rows[at_row[i]], KG_REASON_CONTEXT);
    }
    free(m);
    free(selected);
    free(at_row);
}

/* ---- the batch ------------------------------------------------------------------------------ */

uint64_t kg_sample_tokens_left(const struct kg_sample_run *run, size_t row)
{
    if (run->rows[row].reason != KG_REASON_KEPT)
        return 0;
    bool token = run->active.rs && run->policy.mismatch.rs == KG_LEVEL_TOKEN;
    return token ? run->ratios[row].kept : run->ratios[row].n;
}

int kg_sample_close(void *ctx, size_t n_rows, struct kg_error *err)
{
    struct kg_sample_run *run = ctx;
    run->open = false;
    if (run->spool_error.code) {
        *err = run->spool_error;
        return -1;
    }
    if (!n_rows)
        return 0;
    uint32_t *order = kg_mem_array(run->n, sizeof *order);
    double *rs_w = kg_mem_array(run->n, sizeof *rs_w);
    bool *vetoed = kg_mem_array(run->n, sizeof *vetoed);
    kg_order_rows(run->keys, run->n, KG_ORDER_TRAJ, order);
    begin(run);
    by_ratio(run, order, rs_w, vetoed);
    if (run->active.prs)
        by_coverage(run, order);
    if (run->active.filter)
        by_group(run, order);
    if (run->active.context)
        by_context(run, order);
    kg_sample_summary_add(run, rs_w, vetoed);
    free(order);
    free(rs_w);
    free(vetoed);
    return 0;
}
