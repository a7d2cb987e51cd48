#include <stdio.h>
#include <string.h>

#include "judge/inside.h"

static const struct kg_case *case_at(const struct kg_session *s, size_t i)
{
    const struct kg_task *t = s->task;
    if (i < t->n_cases)
        return &t->cases[i];
    return s->judge->host ? &t->timed_host : &t->timed;
}

/* The finding of an order that was no call (load, slots) is a verdict like any other. */
static int loaded(struct kg_session *s, struct kg_scene *sc)
{
    struct kg_findings found = {.n = 0};
    if (kg_scene_load(s, sc, &found))
        return -1;
    if (!found.n)
        return 0;
    s->findings = found;
    snprintf(s->label, sizeof s->label, "%s", sc->bed.in.which->label);
    kg_session_fail(s, kg_findings_verdict(&found), "%s", found.item[0].text);
    return -1;
}

static void verify_case(struct kg_session *s, const struct kg_case *which)
{
    struct kg_scene sc;
    struct kg_plan plan;
    if (kg_scene_open(s, which, &sc))
        return;
    snprintf(s->label, sizeof s->label, "%s", which->label);
    s->tol = sc.bed.tol[sc.bed.out[0]];
    s->tol_arg = sc.bed.out[0];
    kg_plan_case(&sc.bed.in, sc.truth->call, sc.truth->n_calls, s->trials, &s->secret, &plan);
    if (!kg_audit_case(s, &sc) && !loaded(s, &sc))
        for (size_t i = 0; i < plan.n && kg_session_going(s); i++) {
            struct kg_call c = {.plan = plan.call[i]};
            if (!kg_call_run(s, &sc, &c) && c.findings.n)
                kg_followup(s, &sc, &c);
        }
    kg_scene_close(s, &sc);
}

void kg_session_verify(struct kg_session *s)
{
    size_t order[KG_TASK_MAX_CASES + 1], n = s->task->n_cases + 1;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    kg_secret_shuffle(&s->secret, order, n);
    for (size_t i = 0; i < n && kg_session_going(s); i++)
        verify_case(s, case_at(s, order[i]));
    if (kg_session_going(s)) /* first: such an answer needs no launch, and nobody is to blame */
        kg_audit_verdict(s);
    kg_session_ablate(s);
}

/* 1: wrong, *out says how; 0: right; 2: came to no answer; -1: the verdict says why. */
int kg_verify_probe(struct kg_session *s, const struct kg_case *which, struct kg_cmp_stats *out)
{
    struct kg_scene sc;
    struct kg_findings found = {.n = 0};
    int rc = 2;
    if (kg_session_left(s) <= 0)
        return 2;
    if (kg_scene_open(s, which, &sc)) {
        if (s->verdict != KG_UNSUPPORTED)
            return -1;
        s->verdict =
            KG_PASSED; /* no room beside the case that failed: nothing is known of this one */
        s->message[0] = 0;
        kg_error_clear(&s->fault);
        return 2;
    }
    struct kg_call c = {.plan = sc.truth->call[0]};
    if (kg_scene_load(s, &sc, &found) || (!found.n && kg_call_run(s, &sc, &c)))
        rc = -1;
    else if (!found.n && c.facts.n_out)
        rc = !kg_facts_right(&c.facts);
    for (size_t k = 0; rc == 1 && k < c.facts.n_out; k++)
        if (!kg_facts_output_right(&c.facts, &c.facts.out[k])) {
            *out = c.facts.out[k].stats;
            break;
        }
    kg_scene_close(s, &sc);
    return rc;
}
