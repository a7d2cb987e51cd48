#include "judge/inside.h"

/*
 * Ablation: one call in which the candidate's own launches do nothing. A right answer all the
 * same means that they do not matter: a library did the work, or the host. On a GPU only a
 * candidate that put something else than its own kernels on the device can pass that, so only such
 * a one is asked; on host, whose memory is everybody's, all are.
 */
void kg_session_ablate(struct kg_session *s)
{
    struct kg_scene sc;
    struct kg_findings found = {.n = 0};
    struct kg_call c = {.base = KG_BASE_NONE, .flags = KG_GO_ABLATE};
    bool host = s->judge->host;
    if (!kg_session_going(s) || (!host && !s->other_work) ||
        kg_scene_open(s, host ? &s->task->timed_host : &s->task->timed, &sc))
        return;
    kg_plan_fresh(&sc.bed.in, NULL, &s->secret, &c.plan);
    if (!kg_scene_load(s, &sc, &found) && !found.n && !kg_call_run(s, &sc, &c)) {
        unsigned long long inert = host ? s->answer.done.n_launches : s->answer.activity.ablated;
        bool right = kg_facts_right(&c.facts) && inert;
        if (right && !s->library_work)
            kg_session_fail(s, KG_HOST_COMPUTE,
                            "the answer is right without the candidate's %llu kernel launches, and "
                            "no library ran: the host did the work",
                            inert);
        else if (right)
            kg_session_fail(s, KG_INERT_KERNEL,
                            "the answer is right without the candidate's %llu kernel launches",
                            inert);
    }
    kg_scene_close(s, &sc);
}
