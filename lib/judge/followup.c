#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "judge/inside.h"

/* ---- a write to a read-only input, or another illegal access? ----------------------------- */

static bool has_inputs(const struct kg_task *t)
{
    for (size_t i = 0; i < t->n_args; i++)
        if (kg_arg_goes_in(&t->args[i]))
            return true;
    return false;
}

/* The call again, in a new worker: with writable copies of the inputs, or as it was. 0, and
 * *answered tells whether it came to an answer; -1: the judge failed. */
static int in_new_worker(struct kg_session *s, struct kg_scene *sc, struct kg_call *c, bool copies,
                         bool *answered, struct kg_error *err)
{
    struct kg_findings found = {.n = 0};
    uint64_t scalars[KG_WIRE_ARGS];
    int set = c->plan.set;
    *answered = false;
    kg_session_hear(s);
    kg_runner_stop(&s->worker);
    if (kg_scene_load(s, sc, &found))
        return -1;
    if (found.n)
        return 0;
    if (kg_bed_publish(&sc->bed, &c->plan, true, err))
        return -1;
    if (copies &&
        kg_bed_lend_copies(&sc->bed, &s->worker, set, kg_session_left(s), &s->answer, err))
        return -1;
    if (kg_bed_poison(&sc->bed, KG_BED_CANDIDATE, set, c->key, err) ||
        s->thread->space->ops->settle(s->thread->space, err))
        return -1;
    kg_runner_scalars(&sc->bed.in, &c->plan.content, false, scalars);
    if (kg_runner_go(&s->worker, set, 0, kg_session_flags(s), scalars, kg_session_left(s),
                     &s->answer, err))
        return -1;
    s->used_s += s->answer.wall_s;
    kg_runner_launches(&s->worker, &s->answer);
    *answered = kg_answer_is_ok(&s->answer);
    return 0;
}

static int wrote_to_input(struct kg_session *s, struct kg_scene *sc, struct kg_call *c,
                          bool *mutated, struct kg_error *err)
{
    struct kg_space *space = s->thread->space;
    bool answered, equal;
    *mutated = false;
    if (in_new_worker(s, sc, c, true, &answered, err))
        return -1;
    for (size_t i = 0; i < s->task->n_args; i++) {
        const struct kg_mem *copy = &sc->bed.copy[i];
        if (!copy->total)
            continue;
        if (space->ops->equal(space, copy, &sc->bed.input[c->plan.set][i], copy->bytes, &equal,
                              err))
            return -1;
        if (!equal && !*mutated) {
            *mutated = true;
            c->facts.mutated_arg = i;
        }
    }
    return 0;
}

static int after_illegal_address(struct kg_session *s, struct kg_scene *sc, struct kg_call *c)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_answer kept = s->answer; /* what the findings say of the end is text already */
    bool mutated;
    s->answer = (struct kg_answer){0};
    int rc = wrote_to_input(s, sc, c, &mutated, &err);
    kg_answer_release(&s->answer);
    s->answer = kept;
    if (rc) {
        kg_session_fault(s, &err);
        return -1;
    }
    if (!mutated)
        return 0;
    /* its writes end in a read-only slot: one cause, one verdict */
    struct kg_findings was = c->findings;
    c->findings.n = 0;
    kg_findings_add(&c->findings, KG_INPUT_MUTATED, "input '%s' was written to",
                    s->task->args[c->facts.mutated_arg].name);
    for (size_t i = 1; i < was.n; i++)
        kg_findings_add(&c->findings, was.item[i].verdict, "%s", was.item[i].text);
    return 0;
}

/* ---- same inputs again
 * --------------------------------------------------------------------------- */

/* Once more in set 'set'; *differs when the answer differs from the one kept, beyond the tolerance,
 * or where the task has a check, is right this time. */
static int again(struct kg_session *s, struct kg_scene *sc, struct kg_call *c, int set,
                 bool *differs, struct kg_error *err)
{
    struct kg_space *space = s->thread->space;
    struct kg_bed *b = &sc->bed;
    struct kg_plan_call p = c->plan;
    uint64_t scalars[KG_WIRE_ARGS], key = kg_secret_u64(&s->secret);
    p.set = set;
    if (kg_bed_publish(b, &p, true, err) || kg_bed_poison(b, KG_BED_CANDIDATE, set, key, err) ||
        space->ops->settle(space, err))
        return -1;
    kg_runner_scalars(&b->in, &p.content, false, scalars);
    if (kg_runner_go(&s->worker, set, 0, kg_session_flags(s), scalars, kg_session_left(s),
                     &s->answer, err) ||
        kg_bed_snapshot(b, set, b->late, err))
        return -1;
    s->used_s += s->answer.wall_s;
    s->calls++;
    kg_runner_launches(&s->worker, &s->answer);
    if (!kg_answer_is_ok(&s->answer)) {
        kg_session_note(s, "the same inputs again came to no answer");
        return 0;
    }
    if (s->task->checked) {
        int result;
        if (kg_checked_ready(s, sc, &p) || kg_checked_ask(s, sc, &p, b->late, &result))
            return -1;
        *differs = *differs || !result;
        return 0;
    }
    for (size_t k = 0; k < b->n_out; k++) {
        size_t i = b->out[k];
        struct kg_cmp_stats st;
        if (space->ops->compare(space, &b->in, i, &b->tol[i], &b->late[i], &b->first[i], false,
                                sc->truth->rms[i], key, c->facts.out[k].stats.count, &st, err))
            return -1;
        *differs = *differs || !kg_cmp_ok(&st);
    }
    return 0;
}

/* The failing output of the call, or NULL. */
static const struct kg_cmp_stats *failing(const struct kg_facts *f)
{
    for (size_t k = 0; k < f->n_out; k++)
        if (!kg_facts_output_right(f, &f->out[k]))
            return &f->out[k].stats;
    return NULL;
}

/* The other cases, once each: a lower format shows in all that fail. */
static int other_cases(struct kg_session *s, struct kg_scene *sc, struct kg_call *c)
{
    const struct kg_task *t = s->task;
    const struct kg_case *timed = s->judge->host ? &t->timed_host : &t->timed;
    struct kg_cmp_stats bad[KG_TASK_MAX_CASES + 1];
    size_t n = 0, others = 0, wrong = 0;
    const struct kg_cmp_stats *own = failing(&c->facts);
    if (!own)
        return 0;
    bad[n++] = *own;
    for (size_t i = 0; i <= t->n_cases; i++) {
        const struct kg_case *k = i < t->n_cases ? &t->cases[i] : timed;
        if (k == sc->bed.in.which)
            continue;
        int rc = kg_verify_probe(s, k, &bad[n]);
        if (rc < 0)
            return -1;
        others += rc <= 1;
        wrong += rc == 1;
        n += rc == 1;
    }
    kg_session_note(s, "%zu of %zu other cases are wrong too", wrong, others);
    c->facts.downgrade = kg_cmp_downgrade(bad, n) == KG_PRECISION_DOWNGRADE;
    return 0;
}

static int after_wrong_values(struct kg_session *s, struct kg_scene *sc, struct kg_call *c)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_findings was = c->findings;
    bool differs = false;
    if (kg_bed_keep(&sc->bed, &err)) {
        kg_session_fault(s, &err);
        return -1;
    }
    for (int i = 0; i < 2 && !differs && kg_runner_alive(&s->worker); i++)
        if (again(s, sc, c, c->plan.set ^ !i, &differs, &err)) {
            kg_session_fault(s, &err);
            return -1;
        }
    c->facts.nondeterministic = differs;
    if (!differs && other_cases(s, sc, c))
        return -1;
    /* the facts of the call itself have not changed, its answer was taken */
    struct kg_answer done = {.what = KG_ANSWER_DONE, .done = {.status = KG_DONE_OK}};
    c->facts.answer = &done;
    c->findings.n = 0;
    kg_facts_judge(&c->facts, &c->findings);
    c->facts.answer = &s->answer;
    if (!c->findings.n)
        c->findings = was;
    return 0;
}

/* ---- an earlier answer, or a coincidence?
 * -------------------------------------------------------- */

/* A few bytes of integers can be an earlier answer's by chance. If a worker without a past is right
 * on these inputs, the past made the difference. */
static int after_tiny_stale(struct kg_session *s, struct kg_scene *sc, struct kg_call *c)
{
    struct kg_error err = KG_ERROR_INIT;
    bool answered, right = true, equal;
    if (kg_bed_keep(&sc->bed, &err) || in_new_worker(s, sc, c, false, &answered, &err) ||
        kg_bed_snapshot(&sc->bed, c->plan.set, sc->bed.late, &err)) {
        kg_session_fault(s, &err);
        return -1;
    }
    for (size_t k = 0; answered && k < sc->bed.n_out; k++) {
        size_t i = sc->bed.out[k];
        if (s->thread->space->ops->equal(s->thread->space, &sc->bed.first[i], &sc->bed.late[i],
                                         sc->bed.in.args[i].bytes, &equal, &err)) {
            kg_session_fault(s, &err);
            return -1;
        }
        right = right && !equal;
    }
    if (answered && right)
        return 0;
    for (size_t k = 0; k < c->facts.n_out; k++)
        c->facts.out[k].stale = false;
    struct kg_answer done = {.what = KG_ANSWER_DONE, .done = {.status = KG_DONE_OK}};
    c->facts.answer = &done;
    c->findings.n = 0;
    kg_facts_judge(&c->facts, &c->findings);
    c->facts.answer = &s->answer;
    return 0;
}

static bool tiny(const struct kg_session *s, const struct kg_call *c)
{
    for (size_t k = 0; k < c->facts.n_out; k++) {
        const struct kg_output_facts *o = &c->facts.out[k];
        enum kg_dtype t = s->task->args[o->arg].dtype;
        if (o->stale && !kg_facts_output_right(&c->facts, o) &&
            (kg_dtype_is_float(t) || o->stats.count * kg_dtype_size(t) >= 16))
            return false;
    }
    return true;
}

/* ---- the verdict
 * ------------------------------------------------------------------------------------ */

static void decide(struct kg_session *s, struct kg_scene *sc, struct kg_call *c)
{
    enum kg_verdict v = kg_findings_verdict(&c->findings);
    s->findings = c->findings;
    snprintf(s->label, sizeof s->label, "%s", sc->bed.in.which->label);
    s->pattern = c->plan.pattern;
    for (size_t k = c->facts.n_out; k-- > 0;)
        if (!kg_facts_output_right(&c->facts, &c->facts.out[k])) {
            s->tol_arg = c->facts.out[k].arg;
            s->tol = sc->bed.tol[s->tol_arg];
        }
    kg_session_fail(s, v, "case %s: %s", s->label, c->findings.item[0].text);
}

void kg_followup(struct kg_session *s, struct kg_scene *sc, struct kg_call *c)
{
    int rc = 0;
    switch (kg_findings_verdict(&c->findings)) {
    case KG_PASSED:
        return;
    case KG_ILLEGAL_ADDRESS:
        rc = has_inputs(s->task) ? after_illegal_address(s, sc, c) : 0;
        break;
    case KG_NONFINITE:
    case KG_INCORRECT_NUMERICAL:
        rc = after_wrong_values(s, sc, c);
        break;
    case KG_STALE_OUTPUT:
        rc = tiny(s, c) ? after_tiny_stale(s, sc, c) : 0;
        break;
    default:
        break;
    }
    if (!rc)
        decide(s, sc, c);
}
