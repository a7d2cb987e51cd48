/* Workers of ours that outlive a session: they change programs, for a GPU is opened in half a
 * second. */
#include <string.h>

#include "judge/inside.h"

#define PROGRAMS_MAX 64 /* that one process has loaded: what they allocated stays until its end */

/* A process that can load p, or has; whatever went wrong before is not p's. */
static int have_process(struct kg_kept *k, const struct kg_judge_thread *t,
                        const struct kg_program *p, struct kg_error *err)
{
    bool sound = kg_runner_alive(&k->runner) && kg_answer_is_ok(&k->answer);
    if (sound && (k->program == p || (t->spec.cuda && k->loads < PROGRAMS_MAX)))
        return 0;
    kg_kept_stop(k);
    return kg_runner_start(&k->runner, &t->spec, err);
}

int kg_kept_load(struct kg_kept *k, const struct kg_judge_thread *t, const struct kg_program *p,
                 struct kg_bed *bed, enum kg_bed_for slots, struct kg_error *err)
{
    const char *const entries[] = {p->built.entry[0] ? p->built.entry : "kg_call", NULL};
    double limit = t->judge->opts.truth_timeout_s;
    if (have_process(k, t, p, err))
        return -1;
    if (k->program == p && k->bed == bed)
        return 0;
    struct kg_runner_load l = {.kind = t->spec.cuda ? KG_WORKER_CUDA : KG_WORKER_HOST,
                               .role = KG_WORKER_BASELINE,
                               .path = k->program == p ? NULL : p->built.path,
                               .in = &bed->in,
                               .entries = entries};
    k->loads += k->program != p;
    k->program = p;
    k->bed = bed;
    if (kg_runner_load(&k->runner, &l, limit, &k->answer, err) ||
        (kg_answer_is_ok(&k->answer) &&
         kg_bed_lend(bed, &k->runner, slots, limit, &k->answer, err))) {
        kg_kept_stop(k); /* nobody knows what it did */
        return -1;
    }
    return 0;
}

void kg_kept_forget(struct kg_kept *k, const struct kg_bed *bed)
{
    if (k->bed == bed)
        k->bed = NULL;
}

void kg_kept_stop(struct kg_kept *k)
{
    kg_runner_stop(&k->runner);
    kg_answer_release(&k->answer);
    memset(k, 0, sizeof *k);
}
