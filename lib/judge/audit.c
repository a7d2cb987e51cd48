/*
 * Is the task worth its name? Answers that need no work (zeros, ones, the mean of the output, an
 * input, the answer of another call, NaN, inout arguments as they came) are held against the truth
 * in every case. One that passes all of them makes a right answer worthless.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/inside.h"

#define PREFIX                                                                                     \
    ((size_t)4096) /* elements that are looked at first: nearly every null ends there              \
                    */

enum null { ZEROS, ONES, MEAN, INPUT, OTHER, UNTOUCHED, NANS };

static const char *const names[KG_NULLS] = {"zeros",
                                            "ones",
                                            "the mean of the output",
                                            "an input",
                                            "the answer of another call",
                                            "inout arguments as they came",
                                            "NaN"};

/* The truth as the output's own type. */
static void want_as(const struct kg_scene *sc, int call, size_t arg, size_t n, void *out)
{
    enum kg_dtype t = sc->bed.in.task->args[arg].dtype;
    const void *want = kg_truth_want(sc->truth, call, arg);
    if (!kg_dtype_is_float(t))
        memcpy(out, want, n * kg_dtype_size(t));
    else
        for (size_t i = 0; i < n; i++)
            kg_dtype_set(t, out, i, ((const double *)want)[i]);
}

static double mean_of(const struct kg_scene *sc, size_t arg)
{
    enum kg_dtype t = sc->bed.in.task->args[arg].dtype;
    size_t n = sc->bed.in.args[arg].count, finite = 0;
    const void *want = kg_truth_want(sc->truth, 0, arg);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double x = kg_dtype_get(kg_dtype_is_float(t) ? KG_FLOAT64 : t, want, i);
        if (isfinite(x)) {
            sum += x;
            finite++;
        }
    }
    return finite ? sum / (double)finite : 0;
}

/* The first input of the output's type and size; NULL when there is none. */
static const struct kg_mem *like_input(const struct kg_scene *sc, size_t arg)
{
    const struct kg_task *t = sc->bed.in.task;
    for (size_t i = 0; i < t->n_args; i++)
        if (kg_arg_goes_in(&t->args[i]) && t->args[i].dtype == t->args[arg].dtype &&
            sc->bed.in.args[i].count == sc->bed.in.args[arg].count)
            return &sc->bed.input[0][i];
    return NULL;
}

/* The bytes that the null answers with, when they lie somewhere; NULL: nowhere. */
static const struct kg_mem *bytes_of(const struct kg_scene *sc, enum null k, size_t arg)
{
    if (k == INPUT)
        return like_input(sc, arg);
    return sc->bed.in.task->args[arg].role == KG_ROLE_INOUT ? &sc->bed.theirs[arg] : NULL;
}

/* The null's answer to the truth's call 0, n elements; 1: it has none. -1 with err. */
static int answer_of(struct kg_session *s, struct kg_scene *sc, enum null k, size_t arg, size_t n,
                     void *out, struct kg_error *err)
{
    enum kg_dtype t = s->task->args[arg].dtype;
    const struct kg_space_ops *op = s->thread->space->ops;
    double x = k == ONES ? 1 : k == MEAN ? mean_of(sc, arg) : k == NANS ? NAN : 0;
    if (k == INPUT || k == UNTOUCHED) {
        const struct kg_mem *m = bytes_of(sc, k, arg);
        return m ? op->read(s->thread->space, m, 0, out, n * kg_dtype_size(t), err) : 1;
    }
    /* where the wanted answer is finite, NaN is refused before check is asked */
    if (k == NANS && (!kg_dtype_is_float(t) || (s->task->checked && kg_checked_finite(s, arg, n))))
        return 1;
    if (k == OTHER)
        want_as(sc, 1, arg, n, out);
    else
        for (size_t i = 0; i < n; i++)
            kg_dtype_set(t, out, i, x);
    return 0;
}

/* 1: right; 0: wrong; -1 with err. */
static int passes(struct kg_session *s, struct kg_scene *sc, enum null k, size_t arg, size_t most,
                  struct kg_error *err)
{
    struct kg_space *space = s->thread->space;
    struct kg_bed *b = &sc->bed;
    size_t n = b->in.args[arg].count < most ? b->in.args[arg].count : most;
    struct kg_cmp_stats st;
    void *out = kg_mem_alloc(n * kg_dtype_size(s->task->args[arg].dtype));
    int rc = answer_of(s, sc, k, arg, n, out, err);
    if (!rc)
        rc = space->ops->upload(space, &b->late[arg], out,
                                n * kg_dtype_size(s->task->args[arg].dtype), err) ||
                     space->ops->compare(space, &b->in, arg, &b->tol[arg], &b->late[arg],
                                         &b->want[arg], kg_dtype_is_float(s->task->args[arg].dtype),
                                         sc->truth->rms[arg], 0, n, &st, err)
                 ? -1
                 : 0;
    free(out);
    return rc < 0 ? -1 : rc == 0 && kg_cmp_ok(&st);
}

/* The same where check says what is right: it is asked about all outputs at once. */
static int passes_check(struct kg_session *s, struct kg_scene *sc, enum null k,
                        const struct kg_plan_call *c, struct kg_error *err)
{
    struct kg_space *space = s->thread->space;
    struct kg_bed *b = &sc->bed;
    int result, rc = 0;
    for (size_t o = 0; !rc && o < b->n_out; o++) {
        size_t i = b->out[o], n = b->in.args[i].count, bytes = b->in.args[i].bytes;
        void *out = kg_mem_alloc(bytes);
        rc = answer_of(s, sc, k, i, n, out, err);
        if (!rc)
            rc = space->ops->upload(space, &b->late[i], out, bytes, err);
        free(out);
    }
    if (rc)
        return rc < 0 ? -1 : 0;
    return kg_checked_ask(s, sc, c, b->late, &result) ? -1 : !result;
}

static int audit_check(struct kg_session *s, struct kg_scene *sc, const struct kg_plan_call *c,
                       unsigned *right, struct kg_error *err)
{
    if (kg_checked_ready(s, sc, c))
        return -1;
    for (int k = 0; k < KG_NULLS; k++) {
        int passed = (*right & 1u << k) ? passes_check(s, sc, (enum null)k, c, err) : 0;
        if (passed < 0)
            return -1;
        if (!passed)
            *right &= ~(1u << k);
    }
    return 0;
}

/* Of the nulls 'asked', those that are right in this case. */
static int audit(struct kg_session *s, struct kg_scene *sc, unsigned asked, unsigned *right,
                 struct kg_error *err)
{
    struct kg_plan_call c = sc->truth->call[0];
    *right = asked;
    if (kg_bed_publish(&sc->bed, &c, true, err))
        return -1;
    if (s->task->checked)
        return audit_check(s, sc, &c, right, err);
    if (kg_scene_want(s, sc, 0, err))
        return -1;
    for (int k = 0; k < KG_NULLS; k++)
        for (size_t o = 0; o < sc->bed.n_out && (*right & 1u << k); o++) {
            int passed = passes(s, sc, (enum null)k, sc->bed.out[o], PREFIX, err);
            if (passed == 1)
                passed = passes(s, sc, (enum null)k, sc->bed.out[o], SIZE_MAX, err);
            if (passed < 0)
                return -1;
            if (!passed)
                *right &= ~(1u << k);
        }
    return 0;
}

/* What is known of a truth is remembered with it: its inputs and answers are always the same. */
int kg_audit_case(struct kg_session *s, struct kg_scene *sc)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_truth *t = sc->truth;
    unsigned right, asked = s->nulls & ~atomic_load(&t->nulls_known);
    if (asked) {
        if (audit(s, sc, asked, &right, &err)) {
            kg_session_fault(s, &err);
            return -1;
        }
        atomic_fetch_or(&t->nulls_right, right);
        atomic_fetch_or(&t->nulls_known, asked);
    }
    s->nulls &= atomic_load(&t->nulls_right);
    return 0;
}

void kg_audit_verdict(struct kg_session *s)
{
    for (int k = 0; k < KG_NULLS; k++)
        if (s->nulls & 1u << k)
            kg_session_fail(
                s, KG_DEGENERATE_TASK,
                "task '%s': %s would pass in every case, so a right answer says nothing",
                s->task->task_id, names[k]);
}
