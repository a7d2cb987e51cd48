#include "task/build.h"
#include "base/near.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int kg_task_fail(struct kg_task_build *b, const struct kg_value *v, const char *fmt, ...)
{
    char text[KG_ERROR_TEXT];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return kg_error_at(b->err, KG_E_INPUT, b->source, v ? v->line : 0, v ? v->col : 0, "%s", text);
}

const char *kg_task_nearest(const char *name, const char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    const char *best = kg_near_name(name, words, n);
    return best && kg_near_distance(name, best) < strlen(name) / 2 + 2 ? best : NULL;
}

static int unknown(struct kg_task_build *b, const struct kg_value *v, const char *what,
                   const char *name, const char *const *words)
{
    const char *near = kg_task_nearest(name, words);
    if (near)
        return kg_task_fail(b, v, "unknown %s '%s' (did you mean '%s'?)", what, name, near);
    char list[512] = "";
    for (size_t n = 0; *words && n + 64 < sizeof list; words++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", *words);
    return kg_task_fail(b, v, "unknown %s '%s' (there is %s)", what, name, list);
}

int kg_task_keys(struct kg_task_build *b, const struct kg_value *v, const char *const *known,
                 const char *what)
{
    if (!kg_value_is(v, KG_VALUE_OBJECT))
        return kg_task_fail(b, v, "%s must be an object, not %s", what, kg_value_type_name(v));
    for (size_t i = 0; i < v->len; i++) {
        size_t k = 0;
        while (known[k] && strcmp(known[k], v->keys[i]))
            k++;
        if (!known[k]) {
            char name[96];
            snprintf(name, sizeof name, "key in %s", what);
            return unknown(b, v->items[i], name, v->keys[i], known);
        }
    }
    return 0;
}

const char *kg_task_string(struct kg_task_build *b, const struct kg_value *v, const char *what)
{
    if (!kg_value_is(v, KG_VALUE_STRING)) {
        kg_task_fail(b, v, "%s must be a string, not %s", what, kg_value_type_name(v));
        return NULL;
    }
    if (strlen(v->text) != v->len) {
        kg_task_fail(b, v, "%s holds a NUL", what);
        return NULL;
    }
    return v->text;
}

const char *kg_task_name(struct kg_task_build *b, const struct kg_value *v, const char *what)
{
    const char *s = kg_task_string(b, v, what);
    if (!s)
        return NULL;
    bool ok = isalpha((unsigned char)*s) || *s == '_';
    for (const char *p = s; *p && ok; p++)
        ok = isalnum((unsigned char)*p) || *p == '_';
    if (ok && strlen(s) < 128)
        return s;
    kg_task_fail(b, v, "%s must be a name of C, not '%.200s'", what, s);
    return NULL;
}

const struct kg_expr *kg_task_expr(struct kg_task_build *b, const struct kg_value *v,
                                   const char *what)
{
    int64_t n;
    char number[32];
    const char *text = number;
    if (kg_value_int(v, &n)) {
        snprintf(number, sizeof number, "%lld", (long long)n);
    } else if (kg_value_is(v, KG_VALUE_STRING)) {
        text = kg_task_string(b, v, what);
    } else {
        kg_task_fail(b, v, "%s must be a whole number or an expression over axes, not %s", what,
                     kg_value_is(v, KG_VALUE_NUMBER) ? v->text : kg_value_type_name(v));
        return NULL;
    }
    struct kg_error why = KG_ERROR_INIT;
    struct kg_expr *e =
        text ? kg_expr_parse(text, b->t->axis, b->t->n_axes, &b->t->arena, &why) : NULL;
    if (!e && why.code)
        kg_task_fail(b, v, "%s: %s", what, why.text);
    return e;
}

int kg_task_number(struct kg_task_build *b, const struct kg_value *v, const char *what, double min,
                   double max, double *out)
{
    if (!kg_value_is(v, KG_VALUE_NUMBER))
        return kg_task_fail(b, v, "%s must be a number, not %s", what, kg_value_type_name(v));
    if (!(v->number >= min && v->number <= max))
        return kg_task_fail(b, v, "%s must lie between %.17g and %.17g, not at %s", what, min, max,
                            v->text);
    *out = v->number;
    return 0;
}

int kg_task_word(struct kg_task_build *b, const struct kg_value *v, const char *const *words,
                 const char *what)
{
    const char *s = kg_task_string(b, v, what);
    for (int i = 0; s && words[i]; i++)
        if (!strcmp(words[i], s))
            return i;
    return s ? unknown(b, v, what, s, words) : -1;
}
