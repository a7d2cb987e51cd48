#include "task/build.h"
#include "task/exports.h"

#include <string.h>

#include "base/mem.h"

int kg_task_maker(const struct kg_task *t, const struct kg_init *init)
{
    for (size_t i = 0; init && init->kind == KG_INIT_CUSTOM && i < t->n_makers; i++)
        if (!strcmp(t->makers[i].name, init->name))
            return (int)i;
    return -1;
}

static bool fills(const struct kg_task_maker *m, size_t arg)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->arg[i] == arg)
            return true;
    return false;
}

/* 'arg' names an initialiser at v. */
static int note(struct kg_task_build *b, const struct kg_value *v, size_t arg,
                const struct kg_init *init)
{
    struct kg_task *t = b->t;
    int at = kg_task_maker(t, init);
    if (!init || init->kind != KG_INIT_CUSTOM)
        return 0;
    if (t->args[arg].scalar)
        return kg_task_fail(b, v, "'%s' is a scalar, and init_%s makes arrays", t->args[arg].name,
                            init->name);
    if (at < 0) {
        if (t->n_makers == KG_TASK_MAX_MAKERS)
            return kg_task_fail(b, v, "over %d functions init_NAME", KG_TASK_MAX_MAKERS);
        at = (int)t->n_makers++;
        t->makers[at].name = init->name;
    }
    struct kg_task_maker *m = &t->makers[at];
    if (!fills(m, arg))
        m->arg[m->n++] = arg;
    return 0;
}

/* Arguments first, then cases; but the arrays of a maker stand in the order of the arguments. */
static int collect(struct kg_task_build *b, const struct kg_value *doc)
{
    struct kg_task *t = b->t;
    const struct kg_value *args = kg_value_get(doc, "args"), *cases = kg_value_get(doc, "cases");
    t->makers = kg_arena_array(&t->arena, KG_TASK_MAX_MAKERS, sizeof *t->makers);
    for (size_t i = 0; i < t->n_args; i++) {
        if (note(b, args->items[i], i, &t->args[i].init))
            return -1;
        for (size_t k = 0; k < t->n_cases; k++)
            if (note(b, cases->items[k], i, t->cases[k].inits[i]))
                return -1;
    }
    return 0;
}

static const struct kg_init *effective(const struct kg_task *t, const struct kg_case *c, size_t arg)
{
    return c->inits[arg] ? c->inits[arg] : &t->args[arg].init;
}

/* What one function makes belongs together: a row_ptr without its col_idx is no matrix. */
static int whole(struct kg_task_build *b, const struct kg_value *v, const struct kg_case *c)
{
    for (size_t i = 0; i < b->t->n_makers; i++) {
        const struct kg_task_maker *m = &b->t->makers[i];
        size_t n = 0, with = 0, without = 0;
        for (size_t k = 0; k < m->n; k++) {
            bool its = kg_task_maker(b->t, effective(b->t, c, m->arg[k])) == (int)i;
            n += its;
            *(its ? &with : &without) = m->arg[k];
        }
        if (n && n < m->n)
            return kg_task_fail(
                b, v, "init_%s makes '%s' and '%s' together: here only '%s' is initialised so",
                m->name, b->t->args[with].name, b->t->args[without].name, b->t->args[with].name);
    }
    return 0;
}

int kg_task_build_makers(struct kg_task_build *b, const struct kg_value *doc)
{
    struct kg_task *t = b->t;
    const struct kg_value *cases = kg_value_get(doc, "cases");
    enum kg_export check = kg_task_export(t->reference, "check");
    size_t n_out = 0;
    if (check == KG_EXPORT_VOID || check == KG_EXPORT_OTHER)
        return kg_task_fail(b, kg_value_get(doc, "reference"),
                            "'check' of the reference must return int (or be static)");
    t->checked = check == KG_EXPORT_INT;
    if (collect(b, doc) || whole(b, kg_value_get(doc, "args"), &t->timed))
        return -1;
    for (size_t i = 0; i < t->n_cases; i++)
        if (whole(b, cases->items[i], &t->cases[i]))
            return -1;
    for (size_t i = 0; i < t->n_args; i++)
        n_out += kg_arg_comes_out(&t->args[i]);
    t->ref_got = t->n_args;
    t->ref_axes = t->ref_got + (t->checked ? n_out : 0);
    t->ref_seed = t->ref_axes + 1;
    t->n_ref_args = t->ref_axes + (t->n_makers ? 2 : 0);
    if (t->n_ref_args > KG_TASK_MAX_ARGS)
        return kg_task_fail(b, kg_value_get(doc, "args"),
                            "%zu arguments, with those that init_NAME and check get beside them; "
                            "the limit is %d",
                            t->n_ref_args, KG_TASK_MAX_ARGS);
    return 0;
}
