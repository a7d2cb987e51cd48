/*
 * k<<<g, b, s, st>>>(a, ...) becomes a call of kg_kernel (share/kg/include/kg/launch.h). What
 * stands between '<<<' and '>>>', and the arguments, stay where they are: the compiler splits them.
 */
#include <string.h>

#include "host/rewrite.h"

static bool is_word(const struct kg_tokens *ts, size_t i)
{
    return ts->t[i].kind == KG_TOKEN_WORD;
}

/* Words that can stand before a launch but are no part of the kernel's name. */
static bool is_statement_word(const struct kg_tokens *ts, size_t i)
{
    static const char *const words[] = {"return", "else", "do", "case", "throw", "co_return"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (kg_token_is(ts, i, words[k]))
            return true;
    return false;
}

/* Index of the '<' that belongs to the '>' or '>>' at token i; 0: none in this statement. */
static size_t open_angle(const struct kg_tokens *ts, size_t i)
{
    int depth = 0;
    for (size_t j = i; j > 0 && ts->t[j].directive == ts->t[i].directive; j--) {
        if (kg_token_is(ts, j, ">"))
            depth++;
        else if (kg_token_is(ts, j, ">>"))
            depth += 2;
        else if (kg_token_is(ts, j, ">>>"))
            depth += 3;
        else if (kg_token_is(ts, j, "<") && --depth == 0)
            return j;
        else if (kg_token_is(ts, j, ")") || kg_token_is(ts, j, "]") || kg_token_is(ts, j, "}")) {
            if (!ts->t[j].mate)
                return 0;
            j = ts->t[j].mate;
        } else if (kg_token_is(ts, j, ";") || kg_token_is(ts, j, "{") || kg_token_is(ts, j, "("))
            return 0;
    }
    return 0;
}

/* First token of the postfix expression that ends at token i; 0: there is none. */
static size_t callee_start(const struct kg_tokens *ts, size_t i)
{
    for (size_t start = 0;;) {
        if (kg_token_is(ts, i, ">") || kg_token_is(ts, i, ">>") || kg_token_is(ts, i, ">>>")) {
            size_t open = open_angle(ts, i);
            if (open < 2 || !is_word(ts, open - 1))
                return start;
            i = open - 1;
        } else if ((kg_token_is(ts, i, ")") || kg_token_is(ts, i, "]")) && ts->t[i].mate) {
            i = start = ts->t[i].mate;
            if (i > 1 && ((is_word(ts, i - 1) && !is_statement_word(ts, i - 1)) ||
                          kg_token_is(ts, i - 1, ")") || kg_token_is(ts, i - 1, "]"))) {
                i--;
                continue;
            }
            return start;
        }
        if (!is_word(ts, i) || is_statement_word(ts, i))
            return start;
        start = i;
        if (kg_token_is(ts, i - 1, "template"))
            i--;
        if (kg_token_is(ts, i - 1, ".") || kg_token_is(ts, i - 1, "->")) {
            i -= 2;
        } else if (kg_token_is(ts, i - 1, "::")) {
            start = i - 1;
            if (!is_word(ts, i - 2) && !kg_token_is(ts, i - 2, ">") &&
                !kg_token_is(ts, i - 2, ">>"))
                return start;
            if (is_statement_word(ts, i - 2))
                return start;
            i -= 2;
        } else {
            return start;
        }
    }
}

/* The '>>>' that closes the launch: the first outside of brackets that arguments follow. */
static size_t closing(const struct kg_tokens *ts, size_t i)
{
    for (size_t j = i + 1; j < ts->n && ts->t[j].directive == ts->t[i].directive; j++) {
        if (kg_token_is(ts, j, ">>>") && kg_token_is(ts, j + 1, "("))
            return j;
        if (kg_token_is(ts, j, ";"))
            return 0;
        if (ts->t[j].mate > j)
            j = ts->t[j].mate;
    }
    return 0;
}

static const char *quoted(struct kg_rewrite *w, const char *s)
{
    struct kg_buf b = KG_BUF_INIT;
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            kg_buf_addc(&b, '\\');
        if ((unsigned char)*s >= ' ')
            kg_buf_addc(&b, *s);
    }
    const char *q = kg_arena_strdup(&w->arena, kg_buf_str(&b));
    kg_buf_release(&b);
    return q;
}

/* Is token i inside a function that runs on the device? Looks for the qualifiers of the function
 * whose body holds it. */
static bool in_device_code(const struct kg_tokens *ts, size_t i)
{
    unsigned depth = ts->t[i].depth;
    size_t j = i;
    while (j > 1 && depth > 0) {
        j--;
        if (!kg_token_is(ts, j, "{") || ts->t[j].directive || ts->t[j].depth >= depth)
            continue;
        depth = ts->t[j].depth;
        for (size_t k = j; k-- > 1 && !ts->t[k].directive;) {
            if (kg_token_is(ts, k, "__global__"))
                return true;
            if (kg_token_is(ts, k, ";") || kg_token_is(ts, k, "{") ||
                (kg_token_is(ts, k, "}") && ts->t[k].mate))
                break;
        }
    }
    return false;
}

int kg_rewrite_launch(struct kg_rewrite *w, size_t i, struct kg_error *err)
{
    struct kg_tokens *ts = &w->ts;
    size_t close = closing(ts, i), start = i > 1 ? callee_start(ts, i - 1) : 0;
    if (!close || !start || kg_token_is(ts, i - 1, "operator"))
        return 0; /* the compiler says what is wrong */
    if (in_device_code(ts, i))
        return kg_error_at(err, KG_E_UNSUPPORTED, w->name, ts->t[i].line, 0,
                           "a launch from a kernel (dynamic parallelism) is not supported on host");
    const char *callee = kg_rewrite_text(w, start, i - 1);
    kg_rewrite_before(
        w, start,
        kg_arena_printf(&w->arena,
                        " ::kg_kernel([=](auto &...kg_a) { %s(kg_a...); }, "
                        "[=](auto kg_t) -> decltype(::kg_address<decltype(kg_t)>(%s)) "
                        "{ return ::kg_address<decltype(kg_t)>(%s); }, \"%s\", %u)",
                        callee, callee, callee, quoted(w, callee), ts->t[i].line));
    for (size_t k = start; k < i; k++)
        kg_rewrite_remove(w, k);
    kg_rewrite_replace(w, i, "(");
    kg_rewrite_replace(w, close, ")");
    return 0;
}

void kg_rewrite_launch_call(struct kg_rewrite *w, size_t i)
{
    struct kg_tokens *ts = &w->ts;
    size_t a = i + 2;
    if (!kg_token_is(ts, i + 1, "(") || !ts->t[i + 1].mate)
        return;
    if (kg_token_is(ts, a, "(") && ts->t[a].mate) { /* (void *)k, (const void *)k */
        size_t end = ts->t[a].mate;
        if (kg_token_is(ts, end - 1, "*") && kg_token_is(ts, end - 2, "void"))
            for (size_t k = a; k <= end; k++)
                kg_rewrite_remove(w, k);
    } else if (kg_token_is(ts, a, "reinterpret_cast") && kg_token_is(ts, a + 1, "<")) {
        size_t end = a + 2;
        while (end < ts->n && !kg_token_is(ts, end, ">"))
            end++;
        for (size_t k = a; k <= end && end < ts->n; k++)
            kg_rewrite_remove(w, k);
    }
}
