#include "rl/sample_run.h"

#include "base/fs.h"

void kg_sample_summary_init(struct kg_sample_run *run)
{
    struct kg_sample_summary *s = &run->summary;
    const struct kg_policy *p = &run->policy;
    double upper = p->mismatch.upper,
           lower = isnan(p->mismatch.lower) ? 1 / upper : p->mismatch.lower;
    kg_mismatch_stats_init(&s->mismatch);
    kg_weight_stats_init(&s->is, (enum kg_level)p->mismatch.is, 1 / p->mismatch.is_upper,
                         p->mismatch.is_upper);
    kg_weight_stats_init(&s->rs, (enum kg_level)p->mismatch.rs, lower, upper);
    kg_exactsum_init(&s->p);
    kg_exactsum_init(&s->coverage);
    s->coverage_max = -INFINITY;
    s->coverage_min = INFINITY;
}

static void add_weights(struct kg_sample_run *run, size_t i, double rs_log_w)
{
    struct kg_sample_summary *s = &run->summary;
    const struct kg_sample_row *r = &run->rows[i];
    const struct kg_ratio *q = &run->ratios[i];
    struct kg_weight_row is = run->stats[i].is, rs = run->stats[i].rs;
    bool count_empty = run->policy.mismatch.count_empty;
    if (run->active.is) {
        if (s->is.level != KG_LEVEL_TOKEN)
            kg_weight_row_unit(&s->is, r->is_log_w, q->n, &is);
        kg_weight_stats_add(&s->is, &is, r->is_log_w, false, 0, count_empty);
    }
    if (run->active.rs) {
        uint64_t rejected = q->n - q->kept;
        bool out = rejected > 0;
        if (s->rs.level != KG_LEVEL_TOKEN) {
            kg_weight_row_unit(&s->rs, rs_log_w, q->n, &rs);
            out = !kg_mismatch_within(&run->bounds, rs_log_w);
            rejected = out ? q->n : 0;
        }
        kg_weight_stats_add(&s->rs, &rs, rs_log_w, out, rejected, count_empty);
    }
}

static void add_row(struct kg_sample_run *run, size_t i, double rs_log_w, bool vetoed)
{
    struct kg_sample_summary *s = &run->summary;
    const struct kg_sample_row *r = &run->rows[i];
    s->reason[r->reason]++;
    if (r->reason == KG_REASON_BAD || r->reason == KG_REASON_MASKED)
        return;
    s->tokens += run->ratios[i].n;
    s->tokens_kept += kg_sample_tokens_left(run, i);
    if (!isnan(r->p)) {
        s->n_p++;
        kg_exactsum_add(&s->p, r->p);
    }
    if (!isnan(r->coverage)) {
        s->n_coverage++;
        kg_exactsum_add(&s->coverage, r->coverage);
        s->coverage_max = fmax(s->coverage_max, r->coverage);
        s->coverage_min = fmin(s->coverage_min, r->coverage);
    }
    if (!(r->flags & KG_SAMPLE_RATIO))
        return;
    s->mismatch_rows += run->ratios[i].n || run->policy.mismatch.count_empty;
    s->vetoed += vetoed;
    if (r->flags & KG_SAMPLE_ARRAYS)
        kg_mismatch_stats_add(&s->mismatch, &run->stats[i].token, run->policy.mismatch.count_empty);
    add_weights(run, i, rs_log_w);
}

void kg_sample_summary_add(struct kg_sample_run *run, const double *rs_log_w, const bool *vetoed)
{
    if (!run->opts.summary)
        return;
    for (size_t i = 0; i < run->n; i++)
        add_row(run, i, rs_log_w[i], vetoed[i]);
    run->summary.rows += run->n;
}

static void write_counts(struct kg_sample_run *run, struct kg_jsonout *j)
{
    struct kg_sample_summary *s = &run->summary;
    kg_jsonout_kv_int(j, "records", (int64_t)s->rows);
    kg_jsonout_kv_int(j, "kept", (int64_t)s->reason[KG_REASON_KEPT]);
    for (int undecided = 0; undecided < 2; undecided++) {
        kg_jsonout_key(j, undecided ? "undecided" : "rejected");
        kg_jsonout_object(j);
        for (int i = KG_REASON_KEPT + 1; i < KG_REASON_COUNT; i++) {
            enum kg_sample_reason why = (enum kg_sample_reason)i;
            if (s->reason[i] && kg_sample_undecided(why) == undecided)
                kg_jsonout_kv_int(j, kg_sample_reason_name(run, why), (int64_t)s->reason[i]);
        }
        kg_jsonout_end(j);
    }
    kg_jsonout_kv_int(j, "tokens", (int64_t)s->tokens);
    kg_jsonout_kv_int(j, "tokens_kept", (int64_t)s->tokens_kept);
}

static void write_weights(struct kg_jsonout *j, const char *key, struct kg_weight_stats *w)
{
    if (!w->all_rows)
        return;
    kg_jsonout_key(j, key);
    kg_jsonout_object(j);
    kg_jsonout_kv_str(j, "level", kg_policy_rs_levels[w->level]);
    kg_jsonout_kv_num(j, "lower", w->lower);
    kg_jsonout_kv_num(j, "upper", w->upper);
    kg_weight_stats_json(w, j);
    kg_jsonout_end(j);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

static void write_rules(struct kg_sample_run *run, struct kg_jsonout *j)
{
    struct kg_sample_summary *s = &run->summary;
    if (s->mismatch.rows) {
        kg_jsonout_key(j, "mismatch");
        kg_jsonout_object(j);
        kg_mismatch_stats_json(&s->mismatch, j);
        kg_jsonout_end(j);
    }
    write_weights(j, "is", &s->is);
    write_weights(j, "rs", &s->rs);
    if (run->rules.veto && s->mismatch_rows) {
        kg_jsonout_key(j, "veto");
        kg_jsonout_object(j);
        kg_jsonout_kv_num(j, "row_fraction", share(s->vetoed, s->mismatch_rows));
        kg_jsonout_kv_num(j, "token_fraction", share(s->mismatch.catastrophic, s->mismatch.tokens));
        kg_jsonout_end(j);
    }
    if (s->n_p) {
        kg_jsonout_key(j, "prs");
        kg_jsonout_object(j);
        kg_jsonout_kv_num(j, "mean_p", kg_exactsum_round(&s->p) / (double)s->n_p);
        kg_jsonout_kv_num(j, "mean_coverage",
                          kg_exactsum_round(&s->coverage) / (double)s->n_coverage);
        kg_jsonout_kv_num(j, "min_coverage", s->coverage_min);
        kg_jsonout_kv_num(j, "max_coverage", s->coverage_max);
        kg_jsonout_end(j);
    }
}

int kg_sample_summary_write(struct kg_sample_run *run, struct kg_error *err)
{
    struct kg_buf text = KG_BUF_INIT;
    struct kg_jsonout j;
    kg_jsonout_init(&j, &text);
    kg_jsonout_object(&j);
    write_counts(run, &j);
    write_rules(run, &j);
    kg_jsonout_kv_str(&j, "version", KG_VERSION);
    kg_jsonout_kv_str(&j, "policy", run->policy.name);
    kg_jsonout_kv_str(&j, "policy_sha", run->policy.sha);
    kg_jsonout_end(&j);
    kg_buf_addc(&text, '\n');
    int rc = kg_fs_write(run->opts.summary, kg_buf_str(&text), text.len, 0644, err);
    kg_buf_release(&text);
    return rc;
}
