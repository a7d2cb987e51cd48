#include "task/build.h"
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

static int axis_index(const struct kg_task *t, const char *name)
{
    for (size_t i = 0; i < t->n_axes; i++)
        if (!strcmp(t->axis[i], name))
            return (int)i;
    return -1;
}

static int arg_index(const struct kg_task *t, const char *name)
{
    for (size_t i = 0; i < t->n_args; i++)
        if (!strcmp(t->args[i].name, name))
            return (int)i;
    return -1;
}

static int axis_value(struct kg_task_build *b, const struct kg_value *v, const char *name,
                      int64_t *out)
{
    if (kg_value_int(v, out) && *out >= 1)
        return 0;
    return kg_task_fail(b, v, "axis '%s' must be a whole number of at least 1", name);
}

int kg_task_build_axes(struct kg_task_build *b, const struct kg_value *doc)
{
    struct kg_task *t = b->t;
    const struct kg_value *axes = kg_value_get(doc, "axes"), *host = kg_value_get(doc, "host_axes");
    if (!kg_value_is(axes, KG_VALUE_OBJECT) || !axes->len)
        return kg_task_fail(b, axes ? axes : doc,
                            "'axes' must be an object of one or more sizes, "
                            "not %s",
                            kg_value_type_name(axes));
    if (axes->len > KG_TASK_MAX_AXES)
        return kg_task_fail(b, axes, "%zu axes; the limit is %d", axes->len, KG_TASK_MAX_AXES);
    const char *known[KG_TASK_MAX_AXES + 1] = {0};
    for (size_t i = 0; i < axes->len; i++) {
        struct kg_value key = {.type = KG_VALUE_STRING,
                               .line = axes->items[i]->line,
                               .col = axes->items[i]->col,
                               .text = axes->keys[i],
                               .len = strlen(axes->keys[i])};
        if (!kg_task_name(b, &key, "an axis") ||
            axis_value(b, axes->items[i], axes->keys[i], &t->timed.axes[i]))
            return -1;
        known[i] = t->axis[i] = kg_arena_strdup(&t->arena, axes->keys[i]);
        t->n_axes++;
    }
    t->timed.label = t->timed_host.label = "timed";
    memcpy(t->timed_host.axes, t->timed.axes, sizeof t->timed.axes);
    if (!host)
        return 0;
    if (kg_task_keys(b, host, known, "host_axes"))
        return -1;
    for (size_t i = 0; i < host->len; i++)
        if (axis_value(b, host->items[i], host->keys[i],
                       &t->timed_host.axes[axis_index(t, host->keys[i])]))
            return -1;
    return 0;
}

static int case_init(struct kg_task_build *b, const struct kg_value *v, size_t arg,
                     struct kg_case *c)
{
    const struct kg_arg *a = &b->t->args[arg];
    if (a->role == KG_ROLE_OUT)
        return kg_task_fail(b, v, "'%s' is an output: it has no initialiser", a->name);
    struct kg_init *init = kg_arena_alloc(&b->t->arena, sizeof *init);
    c->inits[arg] = init;
    return kg_task_build_init(b, v, a->dtype, init);
}

/* "rows=7 cols=33 x=heavy_tail": the axes of all, then what the case initialises in its own way. */
static const char *label_of(struct kg_task *t, const struct kg_case *c)
{
    struct kg_buf text = KG_BUF_INIT;
    for (size_t i = 0; i < t->n_axes; i++)
        kg_buf_addf(&text, "%s%s=%lld", i ? " " : "", t->axis[i], (long long)c->axes[i]);
    for (size_t i = 0; i < t->n_args; i++)
        if (c->inits[i]) {
            kg_buf_addf(&text, " %s=", t->args[i].name);
            kg_task_init_text(c->inits[i], &text);
        }
    const char *label = kg_arena_strdup(&t->arena, kg_buf_str(&text));
    kg_buf_release(&text);
    return label;
}

static int build_case(struct kg_task_build *b, const struct kg_value *v, struct kg_case *c)
{
    struct kg_task *t = b->t;
    const char *known[KG_TASK_MAX_AXES + KG_TASK_MAX_ARGS + 1] = {0};
    size_t n = 0;
    for (size_t i = 0; i < t->n_axes; i++)
        known[n++] = t->axis[i];
    for (size_t i = 0; i < t->n_args; i++)
        known[n++] = t->args[i].name;
    if (kg_task_keys(b, v, known, "a case"))
        return -1;
    /* what a case leaves open is as in the small timed size: the truth is slow */
    memcpy(c->axes, t->timed_host.axes, sizeof c->axes);
    for (size_t i = 0; i < v->len; i++) {
        int axis = axis_index(t, v->keys[i]), arg = arg_index(t, v->keys[i]);
        if (axis >= 0 ? axis_value(b, v->items[i], v->keys[i], &c->axes[axis])
                      : case_init(b, v->items[i], (size_t)arg, c))
            return -1;
    }
    c->label = label_of(t, c);
    return 0;
}

int kg_task_build_cases(struct kg_task_build *b, const struct kg_value *cases)
{
    struct kg_task *t = b->t;
    if (!cases)
        return 0;
    if (!kg_value_is(cases, KG_VALUE_ARRAY))
        return kg_task_fail(b, cases, "'cases' must be a list, not %s", kg_value_type_name(cases));
    if (cases->len > KG_TASK_MAX_CASES)
        return kg_task_fail(b, cases, "%zu cases; the limit is %d", cases->len, KG_TASK_MAX_CASES);
    t->cases = kg_arena_array(&t->arena, cases->len ? cases->len : 1, sizeof *t->cases);
    for (size_t i = 0; i < cases->len; i++, t->n_cases++)
        if (build_case(b, cases->items[i], &t->cases[i]))
            return -1;
    return 0;
}
