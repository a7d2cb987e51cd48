#include "record/walk.h"
#include "base/mem.h"
#include "record/digits.h"
#include "record/grammar.h"

#include <string.h>

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* may stand behind a scalar */
static const bool ends_scalar[256] = {
    [' '] = true, ['\t'] = true, ['\n'] = true, ['\r'] = true, [','] = true,
    [':'] = true, ['{'] = true,  ['}'] = true,  ['['] = true,  [']'] = true};

/* The first byte from p on that is no digit, or one behind end; reads eight bytes beyond end. */
static const char *skip_digits(const char *p, const char *end)
{
    while (p < end) {
        size_t n = kg_digits_of_eight(p);
        p += n;
        if (n < 8)
            break;
    }
    return p;
}

/* The whole scalar must be a number. It ends before the line does: an object's brace follows. */
static bool check_number(const char *p, const char *end)
{
    p += *p == '-';
    const char *digits = p;
    if (*p == '0')
        p++;
    else if ((p = skip_digits(p, end)) == digits)
        return false;
    if (*p == '.') {
        digits = ++p;
        if ((p = skip_digits(p, end)) == digits)
            return false;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '+' || *p == '-';
        digits = p;
        if ((p = skip_digits(p, end)) == digits)
            return false;
    }
    return ends_scalar[(unsigned char)*p];
}

static bool check_word(const char *p, const char *word, size_t n)
{
    return !memcmp(p, word, n) && ends_scalar[(unsigned char)p[n]];
}

static bool is_hex(char c)
{
    return is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 6;
}

size_t kg_walk_quote(const struct kg_walk *w, size_t s)
{
    size_t behind = w->at[s + 1];
    while (is_space(w->line[behind - 1]))
        behind--;
    return behind - 1;
}

/* A surrogate's escape at p, its digits checked: the byte behind it, or behind its pair. */
static const char *skip_surrogate(struct kg_walk *w, const char *p, const char *quote)
{
    size_t used;
    if (kg_grammar_lone(p + 1, (size_t)(quote - p) - 1, &used) && !w->lone)
        w->lone = (size_t)(p - w->line) + 1;
    return p + 1 + used;
}

/* The escapes of the string at token s; everything else in it is right already. */
static bool check_string(struct kg_walk *w, size_t s)
{
    const char *p = w->line + w->at[s] + 1, *quote = w->line + kg_walk_quote(w, s);
    while (p < quote && (p = memchr(p, '\\', (size_t)(quote - p)))) {
        switch (p[1]) {
        case 'u':
            if (!is_hex(p[2]) || !is_hex(p[3]) || !is_hex(p[4]) || !is_hex(p[5]))
                return false;
            p = (p[2] | 0x20) == 'd' && p[3] >= '8' ? skip_surrogate(w, p, quote) : p + 6;
            break;
        case '"':
        case '\\':
        case '/':
        case 'b':
        case 'f':
        case 'n':
        case 'r':
        case 't':
            p += 2;
            break;
        default:
            return false;
        }
    }
    return true;
}

static bool check_scalar(struct kg_walk *w, size_t s)
{
    const char *p = w->line + w->at[s];
    switch (*p) {
    case '"':
        return check_string(w, s);
    case 't':
        return check_word(p, "true", 4);
    case 'f':
        return check_word(p, "false", 5);
    case 'n':
        return check_word(p, "null", 4);
    default:
        return check_number(p, w->line + w->len);
    }
}

static char token(const struct kg_walk *w, size_t s)
{
    return w->line[w->at[s]];
}

/* The item at p, before a comma: a number? The forms of most of them are looked at first. */
static bool check_item(const char *p, const char *comma, const char *end)
{
    uint64_t digits[KG_DIGITS_WORDS];
    if (comma - p == 1)
        return is_digit(*p);
    return kg_digits_decimal(p, comma, digits) ||
           ((is_digit(*p) || *p == '-') && check_number(p, end));
}

/* A run of numbers and commas in an array, where most tokens of a long line are: the first token
 * that is something else, or is a number before something else. */
static size_t skip_numbers(const struct kg_walk *w, size_t s)
{
    const char *end = w->line + w->len;
    while (s + 1 < w->n && token(w, s + 1) == ',' &&
           check_item(w->line + w->at[s], w->line + w->at[s + 1], end))
        s += 2;
    return s;
}

static void begin_member(struct kg_walk *w, size_t key)
{
    w->member = kg_mem_grow(w->member, w->n_members, &w->cap_members, sizeof *w->member);
    w->member[w->n_members++] = (struct kg_walk_member){.key = key, .begin = w->at[key + 2]};
}

/* the value that ends before token s, at depth 1 */
static void end_member(struct kg_walk *w, size_t s)
{
    size_t end = w->at[s];
    while (is_space(w->line[end - 1]))
        end--;
    w->member[w->n_members - 1].end = end;
    w->member[w->n_members - 1].behind = s;
}

bool kg_walk_line(struct kg_walk *w)
{
    enum { VALUE, KEY, BEHIND } state = VALUE;
    char close[KG_GRAMMAR_DEPTH + 1]; /* of the containers that are open */
    int depth = 0;
    w->n_members = w->lone = 0;
    if (!w->n || token(w, 0) != '{')
        return false;
    for (size_t s = 0; s < w->n;) {
        char c = token(w, s);
        if (state == KEY) {
            if (c != '"' || s + 2 >= w->n || token(w, s + 1) != ':' || !check_string(w, s))
                return false;
            if (depth == 1)
                begin_member(w, s);
            s += 2;
            state = VALUE;
        } else if (state == VALUE && (c == '{' || c == '[')) {
            if (depth == KG_GRAMMAR_DEPTH)
                return false;
            close[depth++] = c == '{' ? '}' : ']';
            s++;
            if (s < w->n && token(w, s) == close[depth - 1])
                state = BEHIND;
            else if (c == '{')
                state = KEY;
            else
                s = skip_numbers(w, s);
        } else if (state == VALUE) {
            if (!check_scalar(w, s))
                return false;
            s++;
            state = BEHIND;
        } else { /* BEHIND a value: what goes on, or ends */
            if (depth == 1 && w->n_members)
                end_member(w, s);
            if (c == close[depth - 1]) {
                if (--depth == 0) {
                    w->close = w->at[s];
                    return s + 1 == w->n;
                }
            } else if (c == ',') {
                state = close[depth - 1] == '}' ? KEY : VALUE;
            } else {
                return false;
            }
            s++;
        }
    }
    return false;
}
