#include "task/build.h"

#include <math.h>
#include <string.h>

static const char *const arg_keys[] = {"name", "dtype", "shape", "role",
                                       "init", "value", "expr",  NULL};
static const char *const dtype_names[] = {"float64", "float32", "float16", "bfloat16", "int64",
                                          "int32",   "int8",    "uint8",   "bool",     NULL};
static const char *const roles[] = {"in", "out", "inout", NULL};

static int build_shape(struct kg_task_build *b, const struct kg_value *v, struct kg_arg *arg)
{
    if (!kg_value_is(v, KG_VALUE_ARRAY) || !v->len)
        return kg_task_fail(b, v,
                            "'shape' must be a list of one or more sizes (a scalar has none)");
    if (v->len > KG_TASK_MAX_RANK)
        return kg_task_fail(b, v, "'shape' has %zu sizes; the limit is %d", v->len,
                            KG_TASK_MAX_RANK);
    arg->rank = v->len;
    for (size_t i = 0; i < v->len; i++)
        if (!(arg->shape[i] = kg_task_expr(b, v->items[i], "a size in 'shape'")))
            return -1;
    return 0;
}

static int build_array(struct kg_task_build *b, const struct kg_value *v, struct kg_arg *arg)
{
    const struct kg_value *init = kg_value_get(v, "init"), *at;
    if ((at = kg_value_get(v, "value")) || (at = kg_value_get(v, "expr")))
        return kg_task_fail(b, at, "'value' and 'expr' are for scalars; '%s' has a shape",
                            arg->name);
    if (build_shape(b, kg_value_get(v, "shape"), arg))
        return -1;
    if (arg->role == KG_ROLE_OUT)
        return init ? kg_task_fail(b, init, "an output has no 'init'; role inout has one") : 0;
    if (init)
        return kg_task_build_init(b, init, arg->dtype, &arg->init);
    if (!kg_dtype_is_float(arg->dtype))
        return kg_task_fail(b, v, "'%s' needs an 'init': only floating types have a default, randn",
                            arg->name);
    return 0; /* randn is kind 0 */
}

static int build_value(struct kg_task_build *b, const struct kg_value *v, struct kg_arg *arg)
{
    struct kg_init fixed;
    if (!kg_value_is(v, KG_VALUE_NUMBER) && !kg_value_is(v, KG_VALUE_BOOL))
        return kg_task_fail(b, v, "'value' must be a number, not %s", kg_value_type_name(v));
    if (kg_task_build_init(b, v, arg->dtype, &fixed))
        return -1;
    arg->value = fixed.a;
    return 0;
}

static int build_scalar(struct kg_task_build *b, const struct kg_value *v, struct kg_arg *arg)
{
    const struct kg_value *value = kg_value_get(v, "value"), *init = kg_value_get(v, "init"),
                          *expr = kg_value_get(v, "expr");
    arg->scalar = true;
    if (arg->role != KG_ROLE_IN)
        return kg_task_fail(b, v, "'%s' has no shape: a scalar cannot be an output", arg->name);
    if (!!value + !!init + !!expr > 1)
        return kg_task_fail(b, v, "'%s' has more than one of 'value', 'init' and 'expr'",
                            arg->name);
    if (value)
        return build_value(b, value, arg);
    if (init) {
        arg->has_init = true;
        return kg_task_build_init(b, init, arg->dtype, &arg->init);
    }
    if (expr)
        return (arg->expr = kg_task_expr(b, expr, "'expr'")) ? 0 : -1;
    arg->expr = kg_expr_parse(arg->name, b->t->axis, b->t->n_axes, &b->t->arena, NULL);
    if (!arg->expr)
        return kg_task_fail(b, v, "'%s' is no axis: give it a 'shape', 'value', 'init' or 'expr'",
                            arg->name);
    return 0;
}

static int build_arg(struct kg_task_build *b, const struct kg_value *v, struct kg_arg *arg)
{
    if (kg_task_keys(b, v, arg_keys, "an argument"))
        return -1;
    const struct kg_value *name = kg_value_get(v, "name"), *role = kg_value_get(v, "role"),
                          *dtype = kg_value_get(v, "dtype");
    if (!name)
        return kg_task_fail(b, v, "an argument without 'name'");
    if (!(arg->name = kg_task_name(b, name, "'name'")))
        return -1;
    arg->name = kg_arena_strdup(&b->t->arena, arg->name);
    for (const struct kg_arg *other = b->t->args; other < arg; other++)
        if (!strcmp(other->name, arg->name))
            return kg_task_fail(b, name, "two arguments are called '%s'", arg->name);
    if (!dtype)
        return kg_task_fail(b, v, "argument '%s' has no 'dtype'", arg->name);
    int t = kg_task_word(b, dtype, dtype_names, "dtype");
    int r = role ? kg_task_word(b, role, roles, "role") : KG_ROLE_IN;
    if (t < 0 || r < 0 || !kg_dtype_parse(dtype_names[t], &arg->dtype))
        return -1;
    arg->role = (enum kg_role)r;
    if (kg_value_get(v, "shape"))
        return build_array(b, v, arg);
    return build_scalar(b, v, arg);
}

int kg_task_build_args(struct kg_task_build *b, const struct kg_value *args)
{
    struct kg_task *t = b->t;
    if (!kg_value_is(args, KG_VALUE_ARRAY) || !args->len)
        return kg_task_fail(b, args, "'args' must be a list of one or more arguments, not %s",
                            kg_value_is(args, KG_VALUE_ARRAY) ? "an empty one"
                                                              : kg_value_type_name(args));
    if (args->len > KG_TASK_MAX_ARGS)
        return kg_task_fail(b, args, "%zu arguments; the limit is %d", args->len, KG_TASK_MAX_ARGS);
    t->args = kg_arena_array(&t->arena, args->len, sizeof *t->args);
    bool output = false;
    for (size_t i = 0; i < args->len; i++) {
        if (build_arg(b, args->items[i], &t->args[i]))
            return -1;
        t->n_args++;
        t->n_arrays += !t->args[i].scalar;
        output |= t->args[i].role != KG_ROLE_IN;
    }
    return output ? 0 : kg_task_fail(b, args, "no argument has 'role: out' or 'role: inout'");
}
