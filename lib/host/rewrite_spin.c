/*
 * Loops that may wait for another thread or block by reading memory: those with an empty body, and
 * those that mention something volatile. Nothing in such a loop need reach the runtime, so a call
 * is put at the beginning of the body that lets others run every now and then.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/rewrite.h"

struct names {
    size_t *token; /* one token that spells each */
    size_t n, cap;
};

static bool same(const struct kg_tokens *ts, size_t a, size_t b)
{
    return ts->t[a].len == ts->t[b].len &&
           !memcmp(ts->src + ts->t[a].at, ts->src + ts->t[b].at, ts->t[a].len);
}

static bool known(const struct kg_tokens *ts, const struct names *names, size_t i)
{
    kg_tokens_spend(ts, names->n);
    for (size_t k = 0; k < names->n; k++)
        if (same(ts, names->token[k], i))
            return true;
    return false;
}

/* The name that the declaration around 'volatile' at token i declares; 0 for a cast. */
static size_t declared(const struct kg_tokens *ts, size_t i)
{
    for (size_t j = i + 1; j < ts->n && j < i + 10; j++) {
        if (kg_token_is(ts, j, ",") || kg_token_is(ts, j, ")") || kg_token_is(ts, j, "=") ||
            kg_token_is(ts, j, ";") || kg_token_is(ts, j, "[") || kg_token_is(ts, j, "{"))
            return j > i + 1 && ts->t[j - 1].kind == KG_TOKEN_WORD ? j - 1 : 0;
    }
    return 0;
}

static void collect(const struct kg_tokens *ts, struct names *names)
{
    for (size_t i = 1; i < ts->n && !kg_tokens_spent(ts); i++) {
        size_t name = kg_token_is(ts, i, "volatile") ? declared(ts, i) : 0;
        if (!name || known(ts, names, name))
            continue;
        names->token = kg_mem_grow(names->token, names->n, &names->cap, sizeof *names->token);
        names->token[names->n++] = name;
    }
}

static bool mentions(const struct kg_tokens *ts, const struct names *names, size_t from, size_t to)
{
    for (size_t i = from; i <= to && i < ts->n && !kg_tokens_spent(ts); i++)
        if (ts->t[i].kind == KG_TOKEN_WORD &&
            (kg_token_is(ts, i, "volatile") || kg_token_is(ts, i, "__ldcv") ||
             kg_token_is(ts, i, "__ldcg") || known(ts, names, i)))
            return true;
    return false;
}

/* Last token of the statement that begins at token i, as far as a loop's body needs it. */
static size_t statement_end(const struct kg_tokens *ts, size_t i)
{
    if (kg_token_is(ts, i, "{"))
        return ts->t[i].mate;
    while (i < ts->n && !kg_token_is(ts, i, ";")) {
        if (kg_token_is(ts, i, "{") && ts->t[i].mate)
            return ts->t[i].mate;
        i = ts->t[i].mate > i ? ts->t[i].mate + 1 : i + 1;
    }
    return i;
}

static void put_call(struct kg_rewrite *w, size_t body)
{
    const struct kg_tokens *ts = &w->ts;
    if (kg_token_is(ts, body, ";"))
        kg_rewrite_before(w, body, " ::kg_host_spin()");
    else if (kg_token_is(ts, body, "{"))
        kg_rewrite_behind(w, body, " ::kg_host_spin();");
    else
        kg_rewrite_before(w, body, " if (::kg_host_spin(), true) ");
}

static void loop(struct kg_rewrite *w, const struct names *names, size_t i)
{
    const struct kg_tokens *ts = &w->ts;
    size_t body, from = i, to;
    if (kg_token_is(ts, i, "do")) {
        body = i + 1;
        if (!kg_token_is(ts, body, "{") || !ts->t[body].mate)
            return;
        to = ts->t[body].mate;
        if (kg_token_is(ts, to + 1, "while") && ts->t[to + 2].mate > to)
            to = ts->t[to + 2].mate;
    } else {
        if (!kg_token_is(ts, i + 1, "(") || !ts->t[i + 1].mate)
            return;
        body = ts->t[i + 1].mate + 1;
        /* the 'while' of a do loop ends with ';' as an empty body does */
        if (kg_token_is(ts, i, "while") && kg_token_is(ts, i - 1, "}") && ts->t[i - 1].mate &&
            kg_token_is(ts, ts->t[i - 1].mate - 1, "do"))
            return;
        to = statement_end(ts, body);
    }
    bool empty =
        kg_token_is(ts, body, ";") || (kg_token_is(ts, body, "{") && ts->t[body].mate == body + 1);
    if (empty || mentions(ts, names, from, to))
        put_call(w, body);
}

/* name[...] = ..., *name += ...: as a statement of its own. Gives its ';', or 0. */
static size_t volatile_store(const struct kg_tokens *ts, size_t i)
{
    size_t first = kg_token_is(ts, i - 1, "*") ? i - 1 : i, j = i + 1;
    if (!kg_token_is(ts, first - 1, ";") && !kg_token_is(ts, first - 1, "{") &&
        !kg_token_is(ts, first - 1, "}") && !kg_token_is(ts, first - 1, ")") &&
        !kg_token_is(ts, first - 1, "else"))
        return 0;
    while (kg_token_is(ts, j, "[") && ts->t[j].mate)
        j = ts->t[j].mate + 1;
    bool assigns = ts->t[j].kind == KG_TOKEN_PUNCT &&
                   ts->src[ts->t[j].at + ts->t[j].len - 1] == '=' &&
                   (ts->t[j].len == 1 || !strchr("=<>!", ts->src[ts->t[j].at]));
    if (!assigns || (j == i + 1 && first == i))
        return 0;
    for (; j < ts->n; j++) {
        if (kg_token_is(ts, j, ";"))
            return j;
        if (kg_token_is(ts, j, ")") || kg_token_is(ts, j, "}"))
            return 0;
        if (ts->t[j].mate > j)
            j = ts->t[j].mate;
    }
    return 0;
}

static void keep_together(struct kg_rewrite *w, const struct names *names)
{
    const struct kg_tokens *ts = &w->ts;
    for (size_t i = 2; i < ts->n && !kg_tokens_spent(ts); i++) {
        if (ts->t[i].kind != KG_TOKEN_WORD || ts->t[i].directive || ts->t[i].dead ||
            !known(ts, names, i))
            continue;
        size_t end = volatile_store(ts, i);
        if (end)
            kg_rewrite_before(w, end, ", ::kg_host_together(__LINE__)");
    }
}

void kg_rewrite_spins(struct kg_rewrite *w)
{
    const struct kg_tokens *ts = &w->ts;
    struct names names = {NULL, 0, 0};
    collect(ts, &names);
    for (size_t i = 1; i + 2 < ts->n && !kg_tokens_spent(ts); i++)
        if (!ts->t[i].directive && !ts->t[i].dead &&
            (kg_token_is(ts, i, "while") || kg_token_is(ts, i, "for") || kg_token_is(ts, i, "do")))
            loop(w, &names, i);
    if (names.n)
        keep_together(w, &names);
    free(names.token);
}
