#include "host/token.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The tokens are read once for each of the constructs that are not supported: some 250 steps. */
#define WORK_ALWAYS 100000000
#define WORK_TOKEN  300

struct lexer {
    struct kg_tokens *ts;
    const char *s;
    size_t at, len;
    unsigned line, directive, directives;
    bool line_start, after_include;
};

static bool is_word_start(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(unsigned char c)
{
    return is_word_start(c) || is_digit(c);
}

static char peek(const struct lexer *x, size_t ahead)
{
    return x->at + ahead < x->len ? x->s[x->at + ahead] : '\0';
}

/* Length of a backslash-newline at 'at', or 0. */
static size_t continuation(const struct lexer *x, size_t at)
{
    if (at + 1 < x->len && x->s[at] == '\\') {
        if (x->s[at + 1] == '\n')
            return 2;
        if (x->s[at + 1] == '\r' && at + 2 < x->len && x->s[at + 2] == '\n')
            return 3;
    }
    return 0;
}

static void advance(struct lexer *x, size_t to)
{
    for (; x->at < to && x->at < x->len; x->at++)
        x->line += x->s[x->at] == '\n';
}

static struct kg_token *add(struct lexer *x, enum kg_token_kind kind, size_t len)
{
    struct kg_tokens *ts = x->ts;
    ts->t = kg_mem_grow(ts->t, ts->n, &ts->cap, sizeof *ts->t);
    struct kg_token *t = &ts->t[ts->n++];
    memset(t, 0, sizeof *t);
    t->kind = kind;
    t->at = x->at;
    t->len = len;
    t->line = x->line;
    t->directive = x->directive;
    advance(x, x->at + len);
    x->line_start = false;
    return t;
}

/* ---- gaps -------------------------------------------------------------------------------- */

static void line_comment(struct lexer *x)
{
    size_t i = x->at;
    while (i < x->len && x->s[i] != '\n') {
        size_t c = continuation(x, i);
        i += c ? c : 1;
    }
    advance(x, i);
}

static void block_comment(struct lexer *x)
{
    size_t i = x->at + 2;
    while (i + 1 < x->len && !(x->s[i] == '*' && x->s[i + 1] == '/'))
        i++;
    advance(x, i + 2);
}

static void skip_gap(struct lexer *x)
{
    while (x->at < x->len) {
        char c = x->s[x->at];
        size_t cont = continuation(x, x->at);
        if (cont) {
            advance(x, x->at + cont);
        } else if (c == '\n') {
            x->directive = 0;
            x->after_include = false;
            advance(x, x->at + 1);
            x->line_start = true;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            advance(x, x->at + 1);
        } else if (c == '/' && peek(x, 1) == '/') {
            line_comment(x);
        } else if (c == '/' && peek(x, 1) == '*') {
            block_comment(x);
        } else {
            return;
        }
    }
}

/* ---- literals ---------------------------------------------------------------------------- */

/* Length of a quoted literal that begins at x->at + from; an unclosed one ends with its line. */
static size_t quoted(const struct lexer *x, size_t from)
{
    char q = peek(x, from);
    size_t i = x->at + from + 1;
    while (i < x->len && x->s[i] != q && x->s[i] != '\n')
        i += x->s[i] == '\\' && i + 1 < x->len ? (continuation(x, i) ? continuation(x, i) : 2) : 1;
    if (i < x->len && x->s[i] == q)
        i++;
    return (i < x->len ? i : x->len) - x->at;
}

/* R"tag( ... )tag" with the quote at x->at + from. 0: it is none. */
static size_t raw_string(const struct lexer *x, size_t from)
{
    size_t tag = x->at + from + 1, open = tag;
    while (open < x->len && open - tag <= 16 && x->s[open] != '(')
        open++;
    if (open >= x->len || x->s[open] != '(')
        return 0;
    size_t n = open - tag;
    for (size_t i = open + 1; i + n + 1 < x->len; i++)
        if (x->s[i] == ')' && x->s[i + 1 + n] == '"' && !memcmp(x->s + i + 1, x->s + tag, n))
            return i + n + 2 - x->at;
    return x->len - x->at;
}

static void word(struct lexer *x)
{
    size_t n = 1;
    while (is_word((unsigned char)peek(x, n)))
        n++;
    if (peek(x, n) == '"' && n <= 3) {
        size_t raw = x->s[x->at + n - 1] == 'R' ? raw_string(x, n) : 0;
        static const char *const prefixes[] = {"R", "u8R", "uR", "UR", "LR", "u8", "u", "U", "L"};
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
            if (strlen(prefixes[i]) == n && !memcmp(prefixes[i], x->s + x->at, n)) {
                add(x, KG_TOKEN_STRING, raw ? raw : quoted(x, n));
                return;
            }
        }
    }
    struct kg_token *t = add(x, KG_TOKEN_WORD, n);
    x->after_include = t->directive && t->len == 7 && !memcmp(x->s + t->at, "include", 7);
}

static void number(struct lexer *x)
{
    size_t n = 1;
    for (;; n++) {
        char c = peek(x, n), before = x->s[x->at + n - 1];
        bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
        bool separator = c == '\'' && is_word((unsigned char)peek(x, n + 1));
        if (!is_word((unsigned char)c) && c != '.' && !separator &&
            !((c == '+' || c == '-') && exponent))
            break;
    }
    add(x, KG_TOKEN_NUMBER, n);
}

static void punct(struct lexer *x)
{
    static const char *const ops[] = {"<<<", ">>>", "...", "<<=", ">>=", "->*", "::", "->", "<<",
                                      ">>",  "<=",  ">=",  "==",  "!=",  "&&",  "||", "++", "--",
                                      "+=",  "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", "##"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        size_t n = strlen(ops[i]);
        if (x->len - x->at >= n && !memcmp(x->s + x->at, ops[i], n)) {
            add(x, KG_TOKEN_PUNCT, n);
            return;
        }
    }
    add(x, KG_TOKEN_PUNCT, 1);
}

static void header(struct lexer *x)
{
    size_t n = 1;
    while (peek(x, n) && peek(x, n) != '>' && peek(x, n) != '\n')
        n++;
    x->after_include = false;
    add(x, KG_TOKEN_HEADER, peek(x, n) == '>' ? n + 1 : n);
}

static void token(struct lexer *x)
{
    unsigned char c = (unsigned char)x->s[x->at];
    if (c == '#' && x->line_start) {
        x->directive = ++x->directives;
        add(x, KG_TOKEN_PUNCT, 1);
    } else if (x->after_include && c == '<') {
        header(x);
    } else if (is_word_start(c)) {
        word(x);
    } else if (is_digit(c) || (c == '.' && is_digit((unsigned char)peek(x, 1)))) {
        number(x);
    } else if (c == '"' || c == '\'') {
        add(x, c == '"' ? KG_TOKEN_STRING : KG_TOKEN_CHAR, quoted(x, 0));
    } else {
        punct(x);
    }
}

/* ---- brackets ---------------------------------------------------------------------------- */

/*
 * Matches brackets and counts braces. Directives are matched by themselves. Both branches of an
 * #if may open the same brace, so the second begins with what was open before the first.
 */
struct matcher {
    struct kg_tokens *ts;
    size_t *open, n_open, cap_open;
    size_t *saved[64];
    size_t n_saved[64], depth;
};

static void restore(struct matcher *m, size_t level)
{
    m->n_open = kg_tokens_spent(m->ts) ? 0 : m->n_saved[level];
    kg_tokens_spend(m->ts, m->n_open);
    if (m->n_open)
        memcpy(m->open, m->saved[level], m->n_open * sizeof *m->open);
}

static void branch(struct matcher *m, size_t i)
{
    const struct kg_tokens *ts = m->ts;
    bool opens =
        kg_token_is(ts, i, "if") || kg_token_is(ts, i, "ifdef") || kg_token_is(ts, i, "ifndef");
    if (opens && m->depth < 64) {
        size_t *copy = kg_mem_array(m->n_open + 1, sizeof *copy);
        if (m->n_open)
            memcpy(copy, m->open, m->n_open * sizeof *copy);
        m->saved[m->depth] = copy;
        m->n_saved[m->depth++] = m->n_open;
    } else if (m->depth && (kg_token_is(ts, i, "else") || kg_token_is(ts, i, "elif"))) {
        restore(m, m->depth - 1);
    } else if (m->depth && kg_token_is(ts, i, "endif")) {
        free(m->saved[--m->depth]);
    }
}

static void bracket(struct matcher *m, size_t i, size_t floor)
{
    struct kg_token *t = &m->ts->t[i];
    char c = m->ts->src[t->at];
    if (c == '(' || c == '[' || c == '{') {
        m->open = kg_mem_grow(m->open, m->n_open, &m->cap_open, sizeof *m->open);
        m->open[m->n_open++] = i;
    } else if (c == ')' || c == ']' || c == '}') {
        char want = c == ')' ? '(' : c == ']' ? '[' : '{';
        if (m->n_open > floor && m->ts->src[m->ts->t[m->open[m->n_open - 1]].at] == want) {
            size_t o = m->open[--m->n_open];
            t->mate = o;
            m->ts->t[o].mate = i;
        }
    }
}

static void match_brackets(struct kg_tokens *ts)
{
    struct matcher m = {.ts = ts};
    size_t floor = 0;
    unsigned in = 0, depth = 0;
    for (size_t i = 1; i < ts->n; i++) {
        struct kg_token *t = &ts->t[i];
        if (t->directive != in) {
            m.n_open = in ? floor : m.n_open; /* what a directive left open ends with it */
            in = t->directive;
            if (in && i + 1 < ts->n)
                branch(&m, i + 1);
            floor = in ? m.n_open : 0;
        }
        if (t->kind == KG_TOKEN_PUNCT && t->len == 1)
            bracket(&m, i, floor);
    }
    for (size_t i = 1; i < ts->n; i++) {
        struct kg_token *t = &ts->t[i];
        bool brace = t->kind == KG_TOKEN_PUNCT && t->len == 1 && t->mate && !t->directive;
        depth -= brace && ts->src[t->at] == '}' && depth;
        t->depth = depth;
        depth += brace && ts->src[t->at] == '{';
    }
    while (m.depth)
        free(m.saved[--m.depth]);
    free(m.open);
}

/* ------------------------------------------------------------------------------------------- */

void kg_tokens_read(struct kg_tokens *ts, const char *src, size_t len)
{
    memset(ts, 0, sizeof *ts);
    ts->src = src;
    ts->len = len;
    struct lexer x = {.ts = ts, .s = src, .len = len, .line = 1, .line_start = true};
    add(&x, KG_TOKEN_END, 0);
    x.line_start = true;
    for (skip_gap(&x); x.at < x.len; skip_gap(&x))
        token(&x);
    x.directive = 0;
    add(&x, KG_TOKEN_END, 0);
    ts->n--;
    ts->work = kg_mem_zalloc(sizeof *ts->work);
    ts->work->budget = WORK_ALWAYS + WORK_TOKEN * (uint64_t)ts->n;
    match_brackets(ts);
    kg_tokens_conditions(ts);
}

void kg_tokens_release(struct kg_tokens *ts)
{
    free(ts->t);
    free(ts->work);
    memset(ts, 0, sizeof *ts);
}

void kg_tokens_spend(const struct kg_tokens *ts, uint64_t steps)
{
    ts->work->spent += steps;
}

bool kg_tokens_spent(const struct kg_tokens *ts)
{
    return ts->work->spent > ts->work->budget;
}

bool kg_token_is(const struct kg_tokens *ts, size_t i, const char *text)
{
    ts->work->spent++;
    const struct kg_token *t = &ts->t[i];
    return t->len == strlen(text) && t->kind != KG_TOKEN_END &&
           !memcmp(ts->src + t->at, text, t->len);
}
