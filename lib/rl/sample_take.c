#include "rl/sample_run.h"

#include "base/mem.h"
#include "rl/fields.h"
#include "rl/result.h"
#include "score/gates.h"
#include "score/prs.h"

enum { TRAIN, ROLLOUT, MASK, TOP, N_ARRAYS };

struct arrays {
    const double *v[N_ARRAYS]; /* NULL: not there */
    size_t n;
};

/* One array; all of a record have one length. */
static void read_array(struct kg_record *r, const char *key, int which, struct arrays *a)
{
    size_t n = 0;
    const double *v = NULL;
    if (a->v[which] || kg_record_numbers(r, key, which, &v, &n) != 1)
        return;
    bool first = true;
    for (int i = 0; i < N_ARRAYS; i++)
        first = first && !a->v[i];
    if (!first && n != a->n) {
        kg_record_fault(r,
                        "'%s' has %zu numbers, another array of log-probabilities or the mask "
                        "has %zu",
                        key, n, a->n);
        return;
    }
    a->v[which] = v;
    a->n = n;
}

/* log_ratio: {n, sum, min}, what decides without the tokens. */
static void read_log_ratio(struct kg_record *r, struct kg_ratio *ratio, uint32_t *flags)
{
    const struct kg_value *v = kg_record_get(r, "log_ratio");
    if (!v || v->type == KG_VALUE_NULL)
        return;
    int64_t n;
    if (!kg_value_int(kg_value_get(v, "n"), &n) || n < 0 || !kg_value_get(v, "sum") ||
        !kg_value_get(v, "min")) {
        kg_record_fault(r, "'log_ratio' must be {\"n\": tokens, \"sum\": ..., \"min\": ...}");
        return;
    }
    *ratio = (struct kg_ratio){.n = (uint64_t)n,
                               .sum = n ? kg_value_num(kg_value_get(v, "sum"), NAN) : 0,
                               .min = n ? kg_value_num(kg_value_get(v, "min"), INFINITY) : INFINITY,
                               .kept = (uint64_t)n};
    *flags |= KG_SAMPLE_RATIO | KG_SAMPLE_TOKENS;
}

static void stats_of(struct kg_sample_run *run, const struct arrays *a, struct kg_sample_stats *s)
{
    const double *t = a->v[TRAIN], *o = a->v[ROLLOUT], *m = a->v[MASK];
    kg_token_stats_of(t, o, m, a->n, &run->bounds, &s->token);
    if (run->policy.mismatch.is == KG_LEVEL_TOKEN)
        kg_weight_row_tokens(&run->summary.is, t, o, m, a->n, &s->is);
    if (run->policy.mismatch.rs == KG_LEVEL_TOKEN)
        kg_weight_row_tokens(&run->summary.rs, t, o, m, a->n, &s->rs);
}

static void read_tokens(struct kg_sample_run *run, struct kg_record *r, struct kg_sample_row *row,
                        struct kg_ratio *ratio, struct kg_sample_stats *stats)
{
    struct arrays a = {0};
    bool ratios = run->need_ratio || run->opts.summary;
    if (ratios) {
        read_array(r, "old_log_probs", TRAIN, &a);
        read_array(r, "log_probs", TRAIN, &a);
    }
    if (ratios || run->rules.extreme)
        read_array(r, "rollout_log_probs", ROLLOUT, &a);
    if (run->rules.extreme)
        read_array(r, "top_log_probs", TOP, &a);
    if (ratios || run->rules.extreme || run->need_tokens)
        read_array(r, "response_mask", MASK, &a);
    if (r->error.code)
        return;
    if (a.v[TRAIN] && a.v[ROLLOUT]) {
        if (run->policy.mismatch.rs == KG_LEVEL_TOKEN)
            kg_ratio_tokens(a.v[TRAIN], a.v[ROLLOUT], a.v[MASK], a.n, &run->bounds, ratio);
        else
            kg_ratio_of(a.v[TRAIN], a.v[ROLLOUT], a.v[MASK], a.n, ratio);
        row->flags |= KG_SAMPLE_RATIO | KG_SAMPLE_ARRAYS | KG_SAMPLE_TOKENS;
        row->length = (uint32_t)a.n;
        if (stats)
            stats_of(run, &a, stats);
        if (run->opts.weights)
            kg_token_spool_add(&run->spool, a.v[TRAIN], a.v[ROLLOUT], a.v[MASK], a.n, &row->spooled,
                               &run->spool_error);
    } else {
        read_log_ratio(r, ratio, &row->flags);
    }
    if (a.v[MASK] && !(row->flags & KG_SAMPLE_TOKENS)) {
        for (size_t i = 0; i < a.n; i++)
            ratio->n += a.v[MASK][i] != 0;
        ratio->kept = ratio->n;
        row->flags |= KG_SAMPLE_TOKENS;
    }
    if (a.v[TOP] && a.v[ROLLOUT]) {
        row->extreme = kg_gates_extreme(a.v[ROLLOUT], a.v[TOP], a.v[MASK], a.n);
        row->flags |= KG_SAMPLE_TOP;
    }
}

static void read_result(struct kg_sample_run *run, struct kg_record *r, struct kg_sample_row *row)
{
    struct kg_result res;
    const struct kg_policy *p = &run->policy;
    if (kg_result_read(r, &res))
        return;
    row->flags |= res.no_status ? 0 : KG_SAMPLE_RESULT;
    row->flags |= res.correct ? KG_SAMPLE_CORRECT : 0;
    row->speedup = res.in.speedup;
    double c = kg_coverage_value(&res.in.coverage, (enum kg_coverage_key)p->prs.key);
    if (isnan(c) && p->reward.missing == KG_MISSING_ZERO)
        c = 0;
    row->coverage = kg_coverage_round(c, p->prs.round);
}

static double given_u(struct kg_record *r)
{
    const struct kg_value *s = kg_record_get(r, "sampling");
    double u = kg_value_num(kg_value_get(s, "u"), NAN);
    return u >= 0 && u < 1 ? u : NAN; /* anything else is no draw */
}

static void read_record(struct kg_sample_run *run, struct kg_record *r, struct kg_sample_row *row,
                        struct kg_ratio *ratio, struct kg_sample_stats *stats)
{
    bool no_reward, no_advantage;
    bool mask = kg_field_mask(r);
    row->reward = kg_field_num(r, "reward", &no_reward);
    double advantage = kg_field_num(r, "advantage", &no_advantage);
    if (!mask)
        row->flags |= KG_SAMPLE_MASKED;
    if ((!no_reward && isnan(row->reward)) || (!no_advantage && isnan(advantage)))
        row->flags |= KG_SAMPLE_UNSCORABLE;
    row->flags |= no_reward ? 0 : KG_SAMPLE_REWARD;
    row->flags |= no_advantage ? 0 : KG_SAMPLE_ADVANTAGE;
    row->flags |= kg_record_member(r, "return") ? KG_SAMPLE_RETURN : 0;
    if (run->need_result)
        read_result(run, r, row);
    if (run->opts.replay)
        row->u = given_u(r);
    if (mask)
        read_tokens(run, r, row, ratio, stats);
}

void kg_sample_take(void *ctx, struct kg_record *r, const struct kg_row_key *key, size_t number)
{
    struct kg_sample_run *run = ctx;
    (void)number;
    kg_named_keys_note(&run->named, r);
    if (!run->open) {
        run->open = true;
        run->n = 0;
        kg_stamps_start(&run->stamps);
        kg_token_spool_reset(&run->spool);
    }
    struct kg_sample_row row = {.source = r->source,
                                .line = r->line_no,
                                .uid_len = (uint32_t)key->uid_len,
                                .traj_len = (uint32_t)key->traj_len,
                                .coverage = NAN,
                                .speedup = NAN,
                                .extreme = INFINITY,
                                .u = NAN,
                                .p = NAN,
                                .log_w = NAN,
                                .is_log_w = NAN};
    struct kg_ratio ratio = {.min = INFINITY};
    struct kg_sample_stats stats = {0};
    read_record(run, r, &row, &ratio, run->opts.summary ? &stats : NULL);
    if (r->error.code)
        return;
    row.stamp = kg_stamps_take(&run->stamps, r, &run->policy);
    run->seen |= row.flags & (KG_SAMPLE_MASKED | KG_SAMPLE_UNSCORABLE) ? 0 : row.flags;
    run->not_numbers += isnan(ratio.sum);
    size_t n = run->n++;
    run->keys = kg_mem_grow(run->keys, n, &run->cap_keys, sizeof *run->keys);
    run->rows = kg_mem_grow(run->rows, n, &run->cap_rows, sizeof *run->rows);
    run->ratios = kg_mem_grow(run->ratios, n, &run->cap_ratios, sizeof *run->ratios);
    run->keys[n] = (struct kg_key){(uintptr_t)key->uid, (uintptr_t)key->traj, key->turn};
    run->rows[n] = row;
    run->ratios[n] = ratio;
    if (run->opts.summary) {
        run->stats = kg_mem_grow(run->stats, n, &run->cap_stats, sizeof *run->stats);
        run->stats[n] = stats;
    }
}
