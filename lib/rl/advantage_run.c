#include "rl/advantage_run.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/msg.h"
#include "rl/fields.h"

static const char *const own[] = {"return", "advantage", "group_size", "n_started",
                                  "mask",   "kg",        NULL};

int kg_advantage_run_init(struct kg_advantage_run *run, const struct kg_advantage_opts *o,
                          struct kg_error *err)
{
    struct kg_policy *p = &run->policy;
    if (o->estimator >= 0)
        p->advantage.estimator = o->estimator;
    if (o->singleton >= 0)
        p->advantage.singleton = o->singleton;
    if (o->baseline >= 0)
        p->advantage.baseline = o->baseline;
    if (o->unscorable >= 0)
        p->advantage.unscorable = o->unscorable;
    if (!isnan(o->gamma))
        p->advantage.gamma = o->gamma;
    p->advantage.std |= o->std;
    p->advantage.void_mask |= o->void_mask;
    p->advantage.batch_std |= o->batch_std;
    int est = p->advantage.estimator;
    if (o->std && est != KG_EST_GRPO && est != KG_EST_TURN_GRPO)
        return kg_error_set(err, KG_E_USAGE,
                            "--std goes with the estimators grpo and turn-grpo, not with %s",
                            kg_policy_estimators[est]);
    return kg_policy_finish(p, err);
}

/* ---- a record ------------------------------------------------------------------------------ */

/* A record that an earlier program could not handle; it said so. */
static bool was_bad(struct kg_record *r)
{
    enum kg_verdict v;
    return kg_record_verdict(r, &v) && v == KG_BAD_RECORD;
}

/* What an earlier kg-sample decided. */
static uint32_t sampled(const struct kg_policy *p, struct kg_record *r)
{
    const struct kg_value *s = kg_record_get(r, "sampling");
    bool kept = p->advantage.baseline == KG_BASELINE_KEPT;
    const struct kg_value *keep = kg_value_get(s, "keep");
    if (kept && !keep && !was_bad(r))
        kg_record_fault(r, "--baseline kept needs the field '%s': run kg-sample --mark before",
                        kg_value_is(s, KG_VALUE_OBJECT) ? "sampling.keep" : "sampling");
    if (!kg_value_is(s, KG_VALUE_OBJECT))
        return 0;
    /* what is undecided (null) is not trained on either */
    uint32_t flags = kg_value_bool(keep, false) ? 0 : KG_ADV_REJECTED;
    double u = kg_value_num(kg_value_get(s, "u"), NAN),
           pr = kg_value_num(kg_value_get(s, "p"), NAN);
    if (kept && u >= pr)
        flags |= KG_ADV_APART;
    return flags;
}

static void take(void *ctx, struct kg_record *r, const struct kg_row_key *key, size_t row)
{
    struct kg_advantage_run *run = ctx;
    bool missing;
    kg_named_keys_note(&run->named, r);
    if (!run->open) {
        run->open = true;
        run->n = run->n_places = 0;
        kg_stamps_start(&run->stamps);
    }
    double reward = kg_field_num(r, "reward", &missing);
    bool mask = kg_field_mask(r);
    if (missing && mask && !was_bad(r))
        kg_record_fault(r, "missing field 'reward'");
    uint32_t flags = sampled(&run->policy, r) | (mask ? 0 : KG_ADV_MASKED);
    if (run->policy.advantage.void_mask && kg_field_failed(r))
        flags |= KG_ADV_FAILED;
    /* a bad record is no row, but its turn was played: turns before it have no return */
    bool bad = r->error.code != KG_OK;
    size_t n = run->n++;
    run->keys = kg_mem_grow(run->keys, n, &run->cap_keys, sizeof *run->keys);
    run->rows = kg_mem_grow(run->rows, n, &run->cap_rows, sizeof *run->rows);
    run->keys[n] = (struct kg_key){(uintptr_t)key->uid, (uintptr_t)key->traj, key->turn};
    run->rows[n] = (struct kg_adv_row){.reward = bad ? NAN : reward, .flags = bad ? 0 : flags};
    if (bad)
        return;
    run->places = kg_mem_grow(run->places, run->n_places, &run->cap_places, sizeof *run->places);
    run->places[run->n_places++] = (struct kg_advantage_place){
        r->source, r->line_no, (uint32_t)n, kg_stamps_take(&run->stamps, r, &run->policy)};
}

/* ---- a batch ------------------------------------------------------------------------------- */

static bool is_unscorable(const struct kg_adv_row *r)
{
    return !(r->flags & KG_ADV_MASKED) && isnan(r->ret);
}

static int close_batch(void *ctx, size_t n_rows, struct kg_error *err)
{
    struct kg_advantage_run *run = ctx;
    run->open = false;
    if (!n_rows)
        return 0;
    if (kg_advantage(&run->policy, run->keys, run->rows, run->n, err))
        return -1;
    for (size_t i = 0; i < run->n_places; i++) {
        const struct kg_adv_row *r = &run->rows[run->places[i].at];
        run->masked += r->flags & KG_ADV_MASKED ? 1 : 0;
        if (!is_unscorable(r))
            continue;
        if (run->policy.advantage.unscorable == KG_UNSCORABLE_ERROR)
            return kg_error_at(err, KG_E_INPUT, run->places[i].source, run->places[i].line, 0,
                               "no return: %s (--unscorable error)",
                               isnan(r->reward) ? "its reward is null"
                                                : "a later turn's reward is null");
        run->unscorable++;
    }
    run->total += run->n_places;
    return 0;
}

static int emit(void *ctx, size_t row, struct kg_edits *e)
{
    struct kg_advantage_run *run = ctx;
    const struct kg_advantage_place *place = &run->places[row];
    const struct kg_adv_row *r = &run->rows[place->at];
    /* + 0.0: a zero's sign would mean nothing */
    kg_edits_num(e, "return", r->ret + 0.0);
    kg_edits_num(e, "advantage", r->advantage + 0.0);
    kg_edits_int(e, "group_size", r->group_size);
    kg_edits_int(e, "n_started", r->n_started);
    if (run->policy.advantage.void_mask)
        kg_edits_int(e, "mask", r->flags & KG_ADV_MASKED ? 0 : 1);
    kg_stamps_emit(&run->stamps, place->stamp, e);
    return KG_LOOP_KEEP;
}

struct kg_group_ops kg_advantage_run_ops(const struct kg_advantage_run *run)
{
    const char *why = kg_advantage_whole_batch(&run->policy);
    return (struct kg_group_ops){.own = own,
                                 .take = take,
                                 .close = close_batch,
                                 .emit = emit,
                                 .whole_batch = why != NULL,
                                 .why = why};
}

void kg_advantage_run_end(struct kg_advantage_run *run)
{
    kg_named_keys_tell(&run->named);
    if (run->unscorable)
        kg_msg_warn("%zu of %zu records have no return: their reward, or a later turn's, is null",
                    run->unscorable, run->total);
    if (run->masked)
        kg_msg_verbose("%zu of %zu records are masked", run->masked, run->total);
    free(run->keys);
    free(run->rows);
    free(run->places);
    kg_stamps_release(&run->stamps);
}
