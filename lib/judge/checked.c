#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/inside.h"

/* The reference, loaded for an instance, and with all of its time. */
static int ready(struct kg_session *s, const struct kg_instance *in, enum kg_verdict *v,
                 struct kg_error *err)
{
    kg_ref_restart(&s->ref);
    return kg_ref_ready(&s->ref, in, v, err);
}

static int fail(struct kg_session *s, enum kg_verdict v, const struct kg_error *err)
{
    if (v == KG_REFERENCE_ERROR)
        kg_session_fail(s, v, "%s", err->text);
    else
        kg_session_fault(s, err);
    return -1;
}

/* The verdict is said here, where it is known; whoever only sees err says nothing any more. */
static int make(void *ctx, const struct kg_instance *in, size_t arg, const struct kg_content *c,
                void *dst, struct kg_error *err)
{
    struct kg_session *s = ctx;
    enum kg_verdict v;
    if (ready(s, in, &v, err) || kg_ref_make(&s->ref, arg, c, &v, err))
        return fail(s, v, err);
    kg_ref_take(&s->ref, arg, dst);
    return 0;
}

struct kg_init_maker kg_checked_maker(struct kg_session *s)
{
    return (struct kg_init_maker){make, s};
}

/* The wanted answer of a call of the truth, or one that is made now. */
static int want(struct kg_session *s, struct kg_scene *sc, const struct kg_plan_call *c,
                enum kg_verdict *v, struct kg_error *err)
{
    struct kg_space *space = s->thread->space;
    struct kg_bed *b = &sc->bed;
    bool known = c->truth >= 0;
    if (!known && kg_ref_run(&s->ref, &c->content, v, err))
        return -1;
    *v = KG_JUDGE_FAULT;
    for (size_t k = 0; k < b->n_out; k++) {
        size_t i = b->out[k];
        if (known)
            kg_ref_put_out(&s->ref, i, kg_truth_want(sc->truth, c->truth, i));
        else if (space->ops->upload(space, &b->want[i], kg_ref_out(&s->ref, i),
                                    kg_ref_out_bytes(&b->in, i), err))
            return -1;
    }
    return known ? kg_scene_want(s, sc, c->truth, err) : 0;
}

int kg_checked_ready(struct kg_session *s, struct kg_scene *sc, const struct kg_plan_call *c)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_space *space = s->thread->space;
    enum kg_verdict v;
    if (ready(s, &sc->bed.in, &v, &err) || kg_ref_inputs(&s->ref, space, c, false, &v, &err) ||
        want(s, sc, c, &v, &err) || kg_ref_inputs(&s->ref, space, c, true, &v, &err))
        return fail(s, v, &err);
    return 0;
}

bool kg_checked_finite(const struct kg_session *s, size_t arg, size_t n)
{
    const double *want = kg_ref_out(&s->ref, arg);
    if (!kg_dtype_is_float(s->task->args[arg].dtype))
        return true;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(want[i]))
            return false;
    return true;
}

int kg_checked_ask(struct kg_session *s, struct kg_scene *sc, const struct kg_plan_call *c,
                   const struct kg_mem *got, int *result)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_space *space = s->thread->space;
    enum kg_verdict v = KG_JUDGE_FAULT;
    for (size_t k = 0; k < sc->bed.n_out; k++) {
        size_t i = sc->bed.out[k], bytes = sc->bed.in.args[i].bytes;
        void *native = kg_mem_alloc(bytes);
        int rc = space->ops->read(space, &got[i], 0, native, bytes, &err);
        if (!rc)
            kg_ref_put_got(&s->ref, i, native);
        free(native);
        if (rc)
            return fail(s, v, &err);
    }
    return kg_ref_check(&s->ref, &c->content, result, &v, &err) ? fail(s, v, &err) : 0;
}
