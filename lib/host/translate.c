#include "host/host.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/rewrite.h"

/* What is kept is dear: memory is to end later than the budget. */
#define EDIT_STEPS 100
#define BYTE_STEPS 16

/* ---- edits --------------------------------------------------------------------------------- */

static void edit(struct kg_rewrite *w, size_t at, size_t remove, const char *text)
{
    kg_tokens_spend(&w->ts, EDIT_STEPS);
    w->edits = kg_mem_grow(w->edits, w->n, &w->cap, sizeof *w->edits);
    w->edits[w->n] = (struct kg_edit){at, remove, w->n, text};
    w->n++;
}

void kg_rewrite_before(struct kg_rewrite *w, size_t token, const char *text)
{
    edit(w, w->ts.t[token].at, 0, text);
}

void kg_rewrite_behind(struct kg_rewrite *w, size_t token, const char *text)
{
    edit(w, w->ts.t[token].at + w->ts.t[token].len, 0, text);
}

void kg_rewrite_replace(struct kg_rewrite *w, size_t token, const char *text)
{
    edit(w, w->ts.t[token].at, w->ts.t[token].len, text);
}

void kg_rewrite_remove(struct kg_rewrite *w, size_t token)
{
    kg_rewrite_replace(w, token, "");
}

static int by_place(const void *a, const void *b)
{
    const struct kg_edit *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (!x->remove != !y->remove)
        return x->remove ? 1 : -1; /* an insertion before a token stands before what replaces it */
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Removed text may hold newlines (a literal, a continuation): they are put back. */
static void put_newlines(struct kg_buf *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] == '\n')
            kg_buf_addc(out, '\n');
}

static void apply(struct kg_rewrite *w, struct kg_buf *out)
{
    if (w->n)
        qsort(w->edits, w->n, sizeof *w->edits, by_place);
    size_t at = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct kg_edit *e = &w->edits[i];
        if (e->at > at) {
            kg_buf_add(out, w->ts.src + at, e->at - at);
            at = e->at;
        }
        kg_buf_adds(out, e->text);
        if (e->remove && at == e->at) {
            put_newlines(out, w->ts.src + at, e->remove);
            at += e->remove;
        }
    }
    kg_buf_add(out, w->ts.src + at, w->ts.len - at);
}

const char *kg_rewrite_text(struct kg_rewrite *w, size_t first, size_t last)
{
    struct kg_buf b = KG_BUF_INIT;
    for (size_t i = first; i <= last; i++) {
        const struct kg_token *t = &w->ts.t[i];
        if (i > first && t->at > t[-1].at + t[-1].len)
            kg_buf_addc(&b, ' ');
        kg_buf_add(&b, w->ts.src + t->at, t->len);
    }
    const char *s = kg_arena_strdup(&w->arena, kg_buf_str(&b));
    kg_tokens_spend(&w->ts, BYTE_STEPS * b.len);
    kg_buf_release(&b);
    return s;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* A '#line' with a name that a string literal can hold. */
static void put_head(struct kg_buf *out, const char *name)
{
    kg_buf_adds(out, "#include <cuda_runtime.h>\n#line 1 \"");
    for (const char *s = name; *s; s++) {
        if (*s == '"' || *s == '\\')
            kg_buf_addc(out, '\\');
        kg_buf_addc(out, (unsigned char)*s < ' ' ? '?' : *s);
    }
    kg_buf_adds(out, "\"\n");
}

static int rewrite_all(struct kg_rewrite *w, struct kg_error *err)
{
    if (kg_rewrite_check(w, err) != 0)
        return -1;
    for (size_t i = 1; i < w->ts.n && !kg_tokens_spent(&w->ts); i++) {
        if (w->ts.t[i].dead)
            continue;
        if (kg_token_is(&w->ts, i, "<<<")) {
            if (kg_rewrite_launch(w, i, err) != 0)
                return -1;
        } else if (kg_token_is(&w->ts, i, "__shared__")) {
            i = kg_rewrite_shared(w, i);
        } else if (kg_token_is(&w->ts, i, "cudaLaunchKernel") ||
                   kg_token_is(&w->ts, i, "cudaLaunchCooperativeKernel")) {
            kg_rewrite_launch_call(w, i);
        } else if (kg_token_is(&w->ts, i, "__noinline__") && !kg_token_is(&w->ts, i - 1, "(")) {
            kg_rewrite_replace(w, i, "__attribute__((noinline))");
        }
    }
    kg_rewrite_spins(w);
    if (kg_tokens_spent(&w->ts))
        return kg_error_set(err, KG_E_LIMIT, "%s: too intricate to be translated for host",
                            w->name);
    return 0;
}

int kg_host_translate(const char *src, size_t len, const char *name, struct kg_buf *out,
                      struct kg_error *err)
{
    struct kg_rewrite w = {.name = name ? name : "kernel.cu"};
    if (len >= 3 && !memcmp(src, "\xEF\xBB\xBF", 3)) /* a byte order mark is no token */
        src += 3, len -= 3;
    kg_tokens_read(&w.ts, src, len);
    int r = rewrite_all(&w, err);
    if (r == 0) {
        put_head(out, w.name);
        apply(&w, out);
        kg_buf_addc(out, '\n');
    }
    kg_tokens_release(&w.ts);
    kg_arena_release(&w.arena);
    free(w.edits);
    return r;
}

/* ---- names of kernels ------------------------------------------------------------------------ */

/* The name behind '__global__' at token i: the word before the '(' of the parameters. Attributes
 * with parentheses of their own are passed over. 0: there is none. */
static size_t kernel_name(const struct kg_tokens *ts, size_t i)
{
    for (i++; i + 1 < ts->n; i++) {
        const struct kg_token *t = &ts->t[i];
        if (kg_token_is(ts, i, ";") || kg_token_is(ts, i, "{"))
            return 0;
        if (kg_token_is(ts, i + 1, "(")) {
            bool attribute =
                kg_token_is(ts, i, "__launch_bounds__") || kg_token_is(ts, i, "__attribute__") ||
                kg_token_is(ts, i, "__maxnreg__") || kg_token_is(ts, i, "__cluster_dims__") ||
                kg_token_is(ts, i, "__align__") || kg_token_is(ts, i, "alignas");
            if (!attribute)
                return t->kind == KG_TOKEN_WORD ? i : 0;
            if (!ts->t[i + 1].mate)
                return 0;
            i = ts->t[i + 1].mate;
        }
    }
    return 0;
}

void kg_host_kernels(const char *src, size_t len, struct kg_buf *out)
{
    struct kg_tokens ts;
    kg_tokens_read(&ts, src, len);
    for (size_t i = 1; i < ts.n && !kg_tokens_spent(&ts); i++) {
        if (!kg_token_is(&ts, i, "__global__") || ts.t[i].directive || ts.t[i].dead)
            continue;
        size_t n = kernel_name(&ts, i);
        if (!n || !ts.t[n + 1].mate || !kg_token_is(&ts, ts.t[n + 1].mate + 1, "{"))
            continue; /* a declaration */
        kg_buf_add(out, src + ts.t[n].at, ts.t[n].len);
        kg_buf_addc(out, '\0');
    }
    kg_tokens_release(&ts);
}
