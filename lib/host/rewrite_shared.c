/*
 * __shared__ variables. In a function, 'static __shared__ T a[N], b;' becomes a local struct with
 * these members, storage of the block for it, and references of the same names; an extern array
 * becomes a reference to the block's dynamic shared memory. Outside of functions the type is kept
 * and every later use of the name is replaced by an expression.
 */
#include <string.h>

#include "base/mem.h"
#include "host/rewrite.h"

#define MAX_NAMES 64

struct declaration {
    size_t first, last; /* tokens; last is the ';' */
    bool is_extern, has_initializer, in_function;
    size_t names[MAX_NAMES], n;
};

static bool is_attribute(const struct kg_tokens *ts, size_t i)
{
    return kg_token_is(ts, i, "__align__") || kg_token_is(ts, i, "alignas") ||
           kg_token_is(ts, i, "__attribute__") || kg_token_is(ts, i, "__builtin_align__");
}

static size_t declaration_start(const struct kg_tokens *ts, size_t i)
{
    while (i > 1 && ts->t[i - 1].directive == ts->t[i].directive) {
        if (kg_token_is(ts, i - 1, ")")) {
            size_t open = ts->t[i - 1].mate;
            if (!open || !is_attribute(ts, open - 1))
                break;
            i = open - 1;
            continue;
        }
        if (kg_token_is(ts, i - 1, ";") || kg_token_is(ts, i - 1, "{") ||
            kg_token_is(ts, i - 1, "}") || kg_token_is(ts, i - 1, ":"))
            break;
        i--;
    }
    /* '#define NAME body' and '#define NAME(a) body': the declaration begins behind the name */
    unsigned d = ts->t[i].directive;
    if (d && kg_token_is(ts, i, "#") && kg_token_is(ts, i + 1, "define")) {
        i += 3;
        if (kg_token_is(ts, i, "(") && ts->t[i].mate &&
            ts->t[i].at == ts->t[i - 1].at + ts->t[i - 1].len)
            i = ts->t[i].mate + 1;
    }
    return i;
}

/* Skips <...> that begins at token i, in a declaration; gives the last token of it. */
static size_t skip_angles(const struct kg_tokens *ts, size_t i)
{
    int depth = 0;
    for (size_t j = i; j < ts->n; j++) {
        if (kg_token_is(ts, j, "<"))
            depth++;
        else if (kg_token_is(ts, j, ">"))
            depth--;
        else if (kg_token_is(ts, j, ">>"))
            depth -= 2;
        else if (kg_token_is(ts, j, ">>>"))
            depth -= 3;
        else if (kg_token_is(ts, j, ";"))
            return i;
        else if (ts->t[j].mate > j)
            j = ts->t[j].mate;
        if (depth <= 0)
            return j;
    }
    return i;
}

/* The name in '(*name)' or '(&name)'. */
static size_t name_in_parens(const struct kg_tokens *ts, size_t open)
{
    size_t found = 0;
    for (size_t j = open + 1; j < ts->t[open].mate; j++)
        if (ts->t[j].kind == KG_TOKEN_WORD)
            found = j;
    return found;
}

static void read_declarators(const struct kg_tokens *ts, struct declaration *d)
{
    size_t name = 0, i = d->first;
    for (; i < ts->n && ts->t[i].directive == ts->t[d->first].directive; i++) {
        if (is_attribute(ts, i) && kg_token_is(ts, i + 1, "(") && ts->t[i + 1].mate) {
            i = ts->t[i + 1].mate;
        } else if (kg_token_is(ts, i, "<") && name) {
            i = skip_angles(ts, i);
        } else if (kg_token_is(ts, i, "(") && ts->t[i].mate) {
            size_t inner = name_in_parens(ts, i);
            name = inner ? inner : name;
            i = ts->t[i].mate;
        } else if (kg_token_is(ts, i, ",") || kg_token_is(ts, i, ";") || kg_token_is(ts, i, "=")) {
            if (name && d->n < MAX_NAMES)
                d->names[d->n++] = name;
            name = 0;
            d->has_initializer |= kg_token_is(ts, i, "=");
            if (!kg_token_is(ts, i, ","))
                break;
        } else if (ts->t[i].mate > i) {
            i = ts->t[i].mate; /* [N], { members } */
        } else if (ts->t[i].kind == KG_TOKEN_WORD) {
            name = i;
        }
    }
    while (i < ts->n && !kg_token_is(ts, i, ";") && ts->t[i].directive == ts->t[d->first].directive)
        i++;
    d->last = i;
}

/* Is the brace at token i that of a namespace, extern "C" or class? */
static bool opens_scope(const struct kg_tokens *ts, size_t i)
{
    for (size_t j = i; j-- > 1;) {
        if (kg_token_is(ts, j, ";") || kg_token_is(ts, j, "{") || kg_token_is(ts, j, "}") ||
            kg_token_is(ts, j, ")"))
            return false;
        if (kg_token_is(ts, j, "namespace") || kg_token_is(ts, j, "extern"))
            return true;
    }
    return false;
}

static bool in_function(const struct kg_tokens *ts, size_t i)
{
    unsigned depth = ts->t[i].depth;
    if (ts->t[i].directive)
        return true; /* a macro: used in functions */
    for (size_t j = i; j-- > 1 && depth > 0;) {
        if (!kg_token_is(ts, j, "{") || ts->t[j].directive || ts->t[j].depth >= depth)
            continue;
        depth = ts->t[j].depth;
        if (!opens_scope(ts, j))
            return true;
    }
    return false;
}

static const char *token_text(struct kg_rewrite *w, size_t i)
{
    return kg_rewrite_text(w, i, i);
}

/* ---- in functions ------------------------------------------------------------------------- */

static void rewrite_local(struct kg_rewrite *w, const struct declaration *d, unsigned id)
{
    struct kg_buf b = KG_BUF_INIT;
    if (d->is_extern) {
        const char *name = token_text(w, d->names[0]);
        kg_rewrite_before(w, d->first, "typedef ");
        kg_rewrite_replace(w, d->names[0], kg_arena_printf(&w->arena, "kg_d%u", id));
        kg_buf_addf(&b, " auto &%s = *(kg_d%u *)::kg_host_dynamic_shared();", name, id);
    } else {
        kg_rewrite_before(w, d->first, kg_arena_printf(&w->arena, "struct kg_s%u { ", id));
        kg_buf_addf(&b, " }; kg_s%u &kg_r%u = ::kg_static_shared<kg_s%u>();", id, id, id);
        for (size_t k = 0; k < d->n; k++) {
            const char *name = token_text(w, d->names[k]);
            kg_buf_addf(&b, " auto &%s = kg_r%u.%s; (void)%s;", name, id, name, name);
        }
    }
    if (d->has_initializer)
        kg_buf_adds(&b, " static_assert(sizeof(int) == 0, \"a __shared__ variable cannot have an "
                        "initializer\");");
    kg_rewrite_behind(w, d->last, kg_arena_strdup(&w->arena, kg_buf_str(&b)));
    kg_buf_release(&b);
}

/* ---- outside of functions -------------------------------------------------------------------- */

static void replace_uses(struct kg_rewrite *w, size_t from, const char *name, const char *use)
{
    struct kg_tokens *ts = &w->ts;
    for (size_t i = from; i < ts->n; i++) {
        if (!kg_token_is(ts, i, name) || kg_token_is(ts, i - 1, ".") ||
            kg_token_is(ts, i - 1, "->") || kg_token_is(ts, i - 1, "::"))
            continue;
        /* 'float name[...' and 'float *name' declare another variable */
        if (ts->t[i - 1].kind == KG_TOKEN_WORD && !kg_token_is(ts, i - 1, "return"))
            continue;
        kg_rewrite_replace(w, i, use);
    }
}

static void rewrite_global(struct kg_rewrite *w, const struct declaration *d, unsigned id)
{
    if (d->is_extern) {
        const char *name = token_text(w, d->names[0]);
        kg_rewrite_before(w, d->first, "typedef ");
        kg_rewrite_replace(w, d->names[0], kg_arena_printf(&w->arena, "kg_d%u", id));
        replace_uses(w, d->last + 1, name,
                     kg_arena_printf(&w->arena, "(*(kg_d%u *)::kg_host_dynamic_shared())", id));
        return;
    }
    kg_rewrite_before(w, d->first, kg_arena_printf(&w->arena, "struct kg_s%u { ", id));
    kg_rewrite_behind(w, d->last, " };");
    for (size_t k = 0; k < d->n; k++) {
        const char *name = token_text(w, d->names[k]);
        replace_uses(w, d->last + 1, name,
                     kg_arena_printf(&w->arena, "(::kg_static_shared<kg_s%u>().%s)", id, name));
    }
}

size_t kg_rewrite_shared(struct kg_rewrite *w, size_t i)
{
    struct kg_tokens *ts = &w->ts;
    struct declaration d = {.first = declaration_start(ts, i)};
    read_declarators(ts, &d);
    size_t defined = d.first;
    if (d.n == 0 || kg_token_is(ts, i - 1, "define") || d.first > i ||
        (ts->t[i].directive && i >= 2 && kg_token_is(ts, i - 2, "define")))
        return i; /* not a declaration: '#define SHARED __shared__' */
    for (size_t k = defined; k < d.last; k++)
        d.is_extern |= kg_token_is(ts, k, "extern") && ts->t[k].depth == ts->t[i].depth;
    d.in_function = in_function(ts, i);
    for (size_t k = d.first; k < d.last; k++)
        if (kg_token_is(ts, k, "__shared__") || kg_token_is(ts, k, "extern") ||
            (kg_token_is(ts, k, "static") && ts->t[k].depth == ts->t[i].depth))
            kg_rewrite_remove(w, k);
    unsigned id = ++w->counter;
    if (d.in_function)
        rewrite_local(w, &d, id);
    else
        rewrite_global(w, &d, id);
    return d.last;
}
