/*
 * Which branches of #if are never compiled on the host device. Values are known, or not:
 * __CUDA_ARCH__ is not defined there, __CUDACC__ is, and literals are what they are. A name that
 * the source defines itself is not known.
 */
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "host/token.h"

struct known {
    bool known;
    int64_t value;
};

#define MAX_NESTED 100 /* parentheses and negations: deeper is not known */

struct reader {
    const struct kg_tokens *ts;
    size_t at, end;
    int nested;
};

static const struct known unknown = {false, 0};

static bool at(const struct reader *r, const char *text)
{
    return r->at < r->end && kg_token_is(r->ts, r->at, text);
}

static bool take(struct reader *r, const char *text)
{
    if (!at(r, text))
        return false;
    r->at++;
    return true;
}

static struct known know(int64_t v)
{
    struct known k = {true, v};
    return k;
}

/* -1: not known */
static int is_defined(const struct kg_tokens *ts, size_t i)
{
    static const char *const no[] = {
        "__CUDA_ARCH__", "__CUDA_ARCH_FEAT_SM90_ALL", "_WIN32",        "_MSC_VER",
        "__HIPCC__",     "__HIP_PLATFORM_AMD__",      "__CUDACC_RTC__"};
    static const char *const yes[] = {"__CUDACC__", "__cplusplus", "KG_HOST_DEVICE"};
    for (size_t k = 0; k < sizeof no / sizeof *no; k++)
        if (kg_token_is(ts, i, no[k]))
            return 0;
    for (size_t k = 0; k < sizeof yes / sizeof *yes; k++)
        if (kg_token_is(ts, i, yes[k]))
            return 1;
    return -1;
}

static struct known expression(struct reader *r, int level);
static struct known primary(struct reader *r);

static struct known number(const struct kg_tokens *ts, size_t i)
{
    const struct kg_token *t = &ts->t[i];
    char text[24];
    size_t n = t->len;
    while (n && strchr("uUlL", ts->src[t->at + n - 1]))
        n--;
    if (n >= sizeof text)
        return unknown;
    memcpy(text, ts->src + t->at, n);
    text[n] = '\0';
    int64_t v;
    if ((n > 1 && text[0] == '0') || kg_num_int(text, 0, INT64_MAX, &v, NULL) != 0)
        return unknown;
    return know(v);
}

static struct known nested(struct reader *r)
{
    struct known k = unknown;
    if (r->nested == MAX_NESTED) {
        r->at = r->end + 1; /* nothing more is read, and condition() sees that it is not the end */
        return k;
    }
    r->nested++;
    if (take(r, "!")) {
        k = primary(r);
        k = k.known ? know(!k.value) : unknown;
    } else if (take(r, "(")) {
        k = expression(r, 0);
        take(r, ")");
    }
    r->nested--;
    return k;
}

static struct known primary(struct reader *r)
{
    if (at(r, "!") || at(r, "("))
        return nested(r);
    if (r->at >= r->end)
        return unknown;
    if (take(r, "defined")) {
        bool paren = take(r, "(");
        int d = r->at < r->end ? is_defined(r->ts, r->at++) : -1;
        if (paren)
            take(r, ")");
        return d < 0 ? unknown : know(d);
    }
    size_t i = r->at++;
    if (r->ts->t[i].kind == KG_TOKEN_NUMBER)
        return number(r->ts, i);
    return is_defined(r->ts, i) == 0 ? know(0) : unknown;
}

static struct known apply(const char *op, struct known a, struct known b)
{
    if (!strcmp(op, "&&")) {
        if ((a.known && !a.value) || (b.known && !b.value))
            return know(0);
        return a.known && b.known ? know(1) : unknown;
    }
    if (!strcmp(op, "||")) {
        if ((a.known && a.value) || (b.known && b.value))
            return know(1);
        return a.known && b.known ? know(0) : unknown;
    }
    if (!a.known || !b.known)
        return unknown;
    switch (op[0]) {
    case '=':
        return know(a.value == b.value);
    case '!':
        return know(a.value != b.value);
    case '<':
        return know(op[1] ? a.value <= b.value : a.value < b.value);
    default:
        return know(op[1] ? a.value >= b.value : a.value > b.value);
    }
}

/* Levels: 0 ||, 1 &&, 2 comparisons. Anything else leaves the rest of the line: not known. */
static struct known expression(struct reader *r, int level)
{
    static const char *const ops[3][7] = {{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}};
    if (level == 3)
        return primary(r);
    struct known k = expression(r, level + 1);
    for (bool more = true; more;) {
        more = false;
        for (const char *const *op = ops[level]; *op && !more; op++) {
            if (take(r, *op)) {
                struct known b = expression(r, level + 1);
                k = apply(*op, k, b);
                more = true;
            }
        }
    }
    return k;
}

/* The value of the #if, #ifdef, #ifndef or #elif whose name is token i. */
static struct known condition(const struct kg_tokens *ts, size_t i)
{
    struct reader r = {ts, i + 1, i + 1, 0};
    while (r.end < ts->n && ts->t[r.end].directive == ts->t[i].directive)
        r.end++;
    if (kg_token_is(ts, i, "ifdef") || kg_token_is(ts, i, "ifndef")) {
        int d = r.at < r.end ? is_defined(ts, r.at) : -1;
        if (d < 0)
            return unknown;
        return know(kg_token_is(ts, i, "ifdef") ? d : !d);
    }
    struct known k = expression(&r, 0);
    return r.at == r.end ? k : unknown;
}

void kg_tokens_conditions(struct kg_tokens *ts)
{
    struct {
        bool outer, taken, dead; /* outer: dead around it; taken: a branch is known to be the one */
    } stack[64];
    size_t depth = 0, too_deep = 0;
    bool dead = false;
    unsigned seen = 0;
    for (size_t i = 1; i < ts->n; i++) {
        struct kg_token *t = &ts->t[i];
        if (!t->directive || t->directive == seen || i + 1 >= ts->n) {
            t->dead |= dead && !t->directive;
            continue;
        }
        seen = t->directive;
        size_t d = i + 1;
        if (kg_token_is(ts, d, "if") || kg_token_is(ts, d, "ifdef") ||
            kg_token_is(ts, d, "ifndef")) {
            if (depth == 64) {
                too_deep++;
                continue;
            }
            struct known k = condition(ts, d);
            stack[depth].outer = dead;
            stack[depth].taken = k.known && k.value;
            stack[depth].dead = k.known && !k.value;
            dead = dead || stack[depth++].dead;
        } else if (depth && !too_deep && kg_token_is(ts, d, "elif")) {
            struct known k = condition(ts, d);
            dead = stack[depth - 1].outer || stack[depth - 1].taken || (k.known && !k.value);
            stack[depth - 1].taken |= k.known && k.value;
        } else if (depth && !too_deep && kg_token_is(ts, d, "else")) {
            dead = stack[depth - 1].outer || stack[depth - 1].taken;
        } else if (kg_token_is(ts, d, "endif")) {
            if (too_deep)
                too_deep--;
            else if (depth)
                dead = stack[--depth].outer;
        } else if (dead) {
            for (size_t k = i; k < ts->n && ts->t[k].directive == seen; k++)
                ts->t[k].dead = true;
        }
    }
}
