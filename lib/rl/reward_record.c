#include "rl/reward_record.h"

#include "base/jsonout.h"
#include "base/msg.h"
#include "record/loop.h"
#include "rl/kg_object.h"

#include <math.h>

/* The terms sum to the reward; what was paid instead of them, or why nothing was, is named. */
static void write_terms(struct kg_buf *out, const struct kg_reward *w)
{
    struct kg_jsonout j;
    kg_jsonout_init(&j, out);
    kg_jsonout_object(&j);
    if (w->why) {
        kg_jsonout_kv_str(&j, "unscorable", kg_unscored_name(w->why));
    } else if (!isnan(w->failure)) {
        kg_jsonout_kv_num(&j, "failure", w->failure);
    } else {
        kg_jsonout_kv_num(&j, "correctness", w->correctness);
        kg_jsonout_kv_num(&j, "speedup", w->speedup);
        kg_jsonout_kv_num(&j, "coverage", w->coverage);
    }
    kg_jsonout_end(&j);
}

static void stamp(struct kg_reward_run *run, struct kg_record *r)
{
    if (kg_record_has(r, "kg")) {
        kg_object_stamp(r, &run->policy);
        return;
    }
    if (!run->stamp.len)
        kg_object_json(NULL, &run->policy, &run->stamp);
    kg_record_set_json(r, "kg", kg_buf_str(&run->stamp), run->stamp.len);
}

int kg_reward_run_map(void *ctx, struct kg_record *r)
{
    struct kg_reward_run *run = ctx;
    struct kg_result res;
    run->n++;
    if (kg_result_read(r, &res)) {
        kg_record_set_null(r, "reward");
        return KG_LOOP_KEEP;
    }
    if (res.no_status) {
        if (run->policy.reward.missing != KG_MISSING_ZERO) {
            kg_record_set_null(r, "reward");
            kg_record_fault(r, "missing field 'status'");
            return KG_LOOP_KEEP;
        }
        res.in.outcome = KG_OUTCOME_FAILED; // as released: what did not complete has failed
    }
    struct kg_reward w = kg_reward_compute(&run->policy, &res.in);
    run->unscored[w.why]++;
    kg_record_set_num(r, "reward", w.reward);
    kg_buf_reset(&run->text);
    write_terms(&run->text, &w);
    kg_record_set_json(r, "reward_terms", kg_buf_str(&run->text), run->text.len);
    if (run->feedback && res.in.outcome == KG_OUTCOME_NOT_JUDGED) {
        kg_record_set_null(r, "feedback");
    } else if (run->feedback) {
        kg_buf_reset(&run->text);
        kg_feedback_record(&run->templates, r, &res, &run->text);
        kg_buf_addc(&run->text, '\0');
        kg_record_set_str(r, "feedback", run->text.data);
    }
    stamp(run, r);
    return KG_LOOP_KEEP;
}

void kg_reward_run_end(struct kg_reward_run *run)
{
    struct kg_buf why = KG_BUF_INIT;
    size_t missing = 0;
    for (int i = KG_UNSCORED_NOT_JUDGED; i < KG_UNSCORED_COUNT; i++) {
        if (!run->unscored[i])
            continue;
        kg_buf_addf(&why, "%s%zu %s", missing ? ", " : "", run->unscored[i],
                    kg_unscored_name((enum kg_unscored)i));
        missing += run->unscored[i];
    }
    if (missing)
        kg_msg_warn("%zu of %zu records have no reward: %s", missing, run->n, kg_buf_str(&why));
    if (run->unscored[KG_UNSCORED_EXCLUDED])
        kg_msg_note("%zu of %zu records have no reward: the judge or the task is at fault",
                    run->unscored[KG_UNSCORED_EXCLUDED], run->n);
    kg_buf_release(&why);
    kg_buf_release(&run->text);
    kg_buf_release(&run->stamp);
    if (run->feedback)
        kg_feedback_set_release(&run->templates);
}
