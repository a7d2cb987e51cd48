#include "rl/sample_run.h"

#include <stdio.h>

#include "base/jsonout.h"
#include "base/msg.h"

/* The surviving mask and the importance weight of each token. */
static void write_tokens(struct kg_sample_run *run, const struct kg_sample_row *r,
                         struct kg_jsonout *j)
{
    struct kg_error err = KG_ERROR_INIT;
    const double *d;
    if (!run->opts.weights || !(r->flags & KG_SAMPLE_ARRAYS))
        return;
    if (kg_token_spool_get(&run->spool, r->spooled, r->length, &d, &err)) {
        kg_msg_from(&err);
        kg_loop_status(kg_error_exit(err.code));
        return;
    }
    const struct kg_mismatch_bounds *b = &run->bounds;
    bool token_is = run->policy.mismatch.is == KG_LEVEL_TOKEN;
    bool token_rs = run->active.rs && run->policy.mismatch.rs == KG_LEVEL_TOKEN;
    if (run->active.is) {
        kg_jsonout_key(j, "is_weights");
        kg_jsonout_array(j);
        double unit = token_is ? 0 : kg_mismatch_weight(b, r->is_log_w);
        for (size_t i = 0; i < r->length; i++) {
            bool masked = kg_token_spool_masked(d[i]);
            kg_jsonout_num(j, masked ? 0 : token_is ? kg_mismatch_weight(b, d[i]) : unit);
        }
        kg_jsonout_end(j);
    }
    bool kept = r->reason == KG_REASON_KEPT;
    kg_jsonout_key(j, "response_mask");
    kg_jsonout_array(j);
    for (size_t i = 0; i < r->length; i++) {
        bool on = kept && !kg_token_spool_masked(d[i]);
        kg_jsonout_int(j, on && (!token_rs || kg_mismatch_within(b, d[i])));
    }
    kg_jsonout_end(j);
}

static void write_figures(struct kg_sample_run *run, size_t row, struct kg_jsonout *j)
{
    const struct kg_sample_row *r = &run->rows[row];
    const struct kg_ratio *q = &run->ratios[row];
    if (r->reason == KG_REASON_MASKED)
        return;
    if (r->flags & KG_SAMPLE_TOKENS) {
        kg_jsonout_kv_int(j, "tokens", (int64_t)q->n);
        kg_jsonout_kv_int(j, "tokens_kept", (int64_t)kg_sample_tokens_left(run, row));
    }
    if (r->flags & KG_SAMPLE_RATIO) {
        kg_jsonout_kv_num(j, "log_ratio", r->log_w + 0.0);
        kg_jsonout_kv_num(j, "min_log_ratio", q->min);
    }
    if (run->active.is && run->policy.mismatch.is != KG_LEVEL_TOKEN && r->flags & KG_SAMPLE_RATIO)
        kg_jsonout_kv_num(j, "is_weight", kg_mismatch_weight(&run->bounds, r->is_log_w));
    if (run->active.extreme)
        kg_jsonout_kv_num(j, "extreme", r->extreme);
    write_tokens(run, r, j);
}

static void write_sampling(struct kg_sample_run *run, size_t row, struct kg_edits *e)
{
    const struct kg_sample_row *r = &run->rows[row];
    struct kg_jsonout j;
    kg_buf_reset(&run->text);
    kg_jsonout_init(&j, &run->text);
    kg_jsonout_object(&j);
    if (kg_sample_undecided(r->reason))
        kg_jsonout_kv_null(&j, "keep");
    else
        kg_jsonout_kv_bool(&j, "keep", r->reason == KG_REASON_KEPT);
    kg_jsonout_kv_num(&j, "p", r->p);
    kg_jsonout_kv_num(&j, "u", r->u);
    kg_jsonout_kv_str(&j, "reason", kg_sample_reason_name(run, r->reason));
    write_figures(run, row, &j);
    kg_jsonout_end(&j);
    kg_edits_json(e, "sampling", kg_buf_str(&run->text), run->text.len);
}

/* As the loop answers a record with a fault; this one was found when all had been read. */
static int answer_bad(const struct kg_sample_row *r, struct kg_edits *e)
{
    struct kg_verdict_fields f = kg_verdict_fields(KG_BAD_RECORD);
    kg_edits_str(e, "status", kg_verdict_name(KG_BAD_RECORD));
    kg_edits_str(e, "error_code", f.error_code);
    char text[256];
    snprintf(text, sizeof text, "no %s, which other records have and %s needs", r->needs, r->rule);
    kg_edits_str(e, "error_message", text);
    kg_edits_bool(e, "compiled", f.compiled);
    kg_edits_bool(e, "correctness", f.correctness);
    kg_edits_bool(e, "decoy_kernel", f.decoy);
    kg_edits_num(e, "speedup", NAN);
    kg_edits_num(e, "reward", NAN);
    if (r->flags & KG_SAMPLE_RETURN)
        kg_edits_num(e, "return", NAN);
    if (r->flags & KG_SAMPLE_ADVANTAGE)
        kg_edits_num(e, "advantage", NAN);
    return KG_LOOP_KEEP;
}

int kg_sample_emit(void *ctx, size_t row, struct kg_edits *e)
{
    struct kg_sample_run *run = ctx;
    const struct kg_sample_row *r = &run->rows[row];
    if (r->reason == KG_REASON_BAD)
        return answer_bad(r, e);
    if (r->reason != KG_REASON_KEPT && !run->opts.mark)
        return KG_LOOP_DROP;
    write_sampling(run, row, e);
    kg_stamps_emit(&run->stamps, r->stamp, e);
    return KG_LOOP_KEEP;
}
