#include "task/build.h"
#include "base/num.h"
#include "task/exports.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
    [KG_INIT_RANDN] = "randn",
    [KG_INIT_UNIFORM] = "uniform",
    [KG_INIT_RANDINT] = "randint",
    [KG_INIT_ZEROS] = "zeros",
    [KG_INIT_ONES] = "ones",
    [KG_INIT_ARANGE] = "arange",
    [KG_INIT_ONE_HOT] = "one_hot",
    [KG_INIT_PERMUTATION] = "permutation",
    [KG_INIT_SORTED] = "sorted",
    [KG_INIT_EQUAL_KEYS] = "equal_keys",
    [KG_INIT_HEAVY_TAIL] = "heavy_tail",
    [KG_INIT_LARGE] = "large",
    [KG_INIT_TINY] = "tiny",
    [KG_INIT_DENORMAL] = "denormal",
    NULL,
};

/* "uniform(0, 1)" taken apart; numbers stay text. */
struct spelled {
    char name[128];
    char arg[2][64];
    int n_args; /* -1: no parentheses */
};

static size_t trimmed(const char *from, size_t n, char *out, size_t size)
{
    while (n && isspace((unsigned char)*from))
        from++, n--;
    while (n && isspace((unsigned char)from[n - 1]))
        n--;
    if (n >= size)
        return 0;
    memcpy(out, from, n);
    out[n] = 0;
    return n;
}

static bool take_apart(const char *text, struct spelled *s)
{
    size_t n = strcspn(text, "(");
    s->n_args = -1;
    if (!trimmed(text, n, s->name, sizeof s->name))
        return false;
    if (!text[n])
        return true;
    const char *at = text + n + 1, *close = strchr(at, ')');
    if (!close || close[1 + strspn(close + 1, " \t")])
        return false;
    for (s->n_args = 0; at <= close; at++) {
        size_t len = strcspn(at, ",)");
        if (s->n_args == 2 || !trimmed(at, len, s->arg[s->n_args], sizeof s->arg[0]))
            return false;
        s->n_args++;
        at += len;
    }
    return true;
}

/* A name that is none of ours is a function of the reference file. */
static int custom(struct kg_task_build *b, const struct kg_value *v, const struct spelled *s,
                  struct kg_init *out)
{
    const char *name = s->name;
    char function[160];
    snprintf(function, sizeof function, "init_%s", name);
    enum kg_export how = kg_task_export(b->t->reference, function);
    if (how == KG_EXPORT_VOID) {
        if (s->n_args >= 0)
            return kg_task_fail(b, v, "initialiser '%s' takes no numbers", name);
        if (strlen(name) > KG_TASK_MAX_MAKER_NAME)
            return kg_task_fail(b, v, "the name of initialiser '%s' has over %d bytes", name,
                                KG_TASK_MAX_MAKER_NAME);
        out->kind = KG_INIT_CUSTOM;
        out->name = kg_arena_strdup(&b->t->arena, name);
        return 0;
    }
    if (how != KG_EXPORT_NONE)
        return kg_task_fail(b, v, "initialiser '%s': the reference has '%s', but it %s", name,
                            function,
                            how == KG_EXPORT_STATIC ? "is static" : "does not return void");
    const char *near = kg_task_nearest(name, names);
    if (near)
        return kg_task_fail(b, v, "unknown initialiser '%s' (did you mean '%s'?)", name, near);
    return kg_task_fail(b, v, "unknown initialiser '%s', and the reference has no 'init_%s'", name,
                        name);
}

static int check_value(struct kg_task_build *b, const struct kg_value *v, enum kg_dtype t, double x)
{
    if (x < kg_dtype_min(t) || x > kg_dtype_max(t))
        return kg_task_fail(b, v, "%.17g does not fit %s", x, kg_dtype_name(t));
    if (!kg_dtype_is_float(t) && fabs(x) > 0x1p53)
        return kg_task_fail(b, v, "%.17g is beyond 2^53, up to where numbers here are exact", x);
    if (!kg_dtype_is_float(t) && x != floor(x))
        return kg_task_fail(b, v, "%.17g is no whole number, as %s needs", x, kg_dtype_name(t));
    return 0;
}

static int check_range(struct kg_task_build *b, const struct kg_value *v, enum kg_dtype t,
                       const struct kg_init *init)
{
    if (!(init->a < init->b))
        return kg_task_fail(b, v, "initialiser '%s' needs its first number below its second",
                            names[init->kind]);
    if (init->kind == KG_INIT_RANDINT && (init->a != floor(init->a) || init->b != floor(init->b)))
        return kg_task_fail(b, v, "initialiser 'randint' needs whole numbers");
    double last = init->kind == KG_INIT_RANDINT ? init->b - 1 : init->b;
    double exact = kg_dtype_exact(t) + !kg_dtype_is_float(t); /* int8 goes down to -128 */
    if (init->a < kg_dtype_min(t) || last > kg_dtype_max(t) ||
        (init->kind == KG_INIT_RANDINT && fmax(fabs(init->a), fabs(last)) > exact))
        return kg_task_fail(b, v, "initialiser '%s': the numbers do not fit %s", names[init->kind],
                            kg_dtype_name(t));
    if (init->kind == KG_INIT_UNIFORM && !kg_dtype_is_float(t))
        return kg_task_fail(b, v, "initialiser 'uniform' needs a floating type; %s has 'randint'",
                            kg_dtype_name(t));
    return 0;
}

static int from_spelled(struct kg_task_build *b, const struct kg_value *v, const struct spelled *s,
                        enum kg_dtype t, struct kg_init *out)
{
    int kind = 0;
    while (names[kind] && strcmp(names[kind], s->name))
        kind++;
    if (!names[kind])
        return custom(b, v, s, out);
    out->kind = (enum kg_init_kind)kind;
    bool pair = kind == KG_INIT_UNIFORM || kind == KG_INIT_RANDINT;
    if (pair ? s->n_args != 2 : s->n_args > 0)
        return kg_task_fail(b, v, "initialiser '%s' %s", s->name,
                            pair ? "needs two numbers, as in 'uniform(0,1)'" : "takes no numbers");
    if (kind == KG_INIT_DENORMAL && !kg_dtype_is_float(t))
        return kg_task_fail(b, v, "initialiser 'denormal' needs a floating type, not %s",
                            kg_dtype_name(t));
    if (!pair)
        return 0;
    double *numbers[] = {&out->a, &out->b};
    for (int i = 0; i < 2; i++) {
        struct kg_error why = KG_ERROR_INIT;
        if (kg_num_double(s->arg[i], -1e300, 1e300, numbers[i], &why))
            return kg_task_fail(b, v, "initialiser '%s': %s", s->name, why.text);
    }
    return check_range(b, v, t, out);
}

int kg_task_build_init(struct kg_task_build *b, const struct kg_value *v, enum kg_dtype t,
                       struct kg_init *out)
{
    memset(out, 0, sizeof *out);
    if (kg_value_is(v, KG_VALUE_NUMBER) || kg_value_is(v, KG_VALUE_BOOL)) {
        out->kind = KG_INIT_VALUE;
        out->a = v->type == KG_VALUE_BOOL ? v->boolean : v->number;
        return check_value(b, v, t, out->a);
    }
    const char *text = kg_task_string(b, v, "an initialiser");
    struct spelled s;
    if (!text)
        return -1;
    if (!take_apart(text, &s))
        return kg_task_fail(b, v, "'%.200s' is no initialiser, as 'randn' or 'uniform(0,1)' are",
                            text);
    return from_spelled(b, v, &s, t, out);
}

void kg_task_init_text(const struct kg_init *init, struct kg_buf *out)
{
    if (init->kind == KG_INIT_CUSTOM) {
        kg_buf_adds(out, init->name);
    } else if (init->kind == KG_INIT_VALUE) {
        kg_num_add(out, init->a);
    } else {
        kg_buf_adds(out, names[init->kind]);
    }
    if (init->kind == KG_INIT_UNIFORM || init->kind == KG_INIT_RANDINT) {
        kg_buf_addc(out, '(');
        kg_num_add(out, init->a);
        kg_buf_addc(out, ',');
        kg_num_add(out, init->b);
        kg_buf_addc(out, ')');
    }
}
