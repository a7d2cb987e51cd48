#include "record/grammar.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

static const struct kg_value checked = {.type = KG_VALUE_NULL};

void kg_grammar_init(struct kg_grammar *g, const char *text, size_t len, struct kg_arena *a)
{
    memset(g, 0, sizeof *g);
    g->text = text;
    g->len = len;
    g->arena = a;
}

static int peek(const struct kg_grammar *g)
{
    return g->pos < g->len ? (unsigned char)g->text[g->pos] : -1;
}

static bool fail(struct kg_grammar *g, const char *why)
{
    if (!g->why)
        g->why = g->pos < g->len ? why : "the text ends here, in the middle of a value";
    return false;
}

void kg_grammar_space(struct kg_grammar *g)
{
    for (int c; (c = peek(g)) == ' ' || c == '\t' || c == '\n' || c == '\r';)
        g->pos++;
}

bool kg_grammar_char(struct kg_grammar *g, char c, const char *why)
{
    if (peek(g) != c)
        return fail(g, why);
    g->pos++;
    return true;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static int hex_value(int c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static unsigned hex4(const char *s)
{
    unsigned v = 0;
    for (int i = 0; i < 4; i++)
        v = v << 4 | (unsigned)hex_value((unsigned char)s[i]);
    return v;
}

/* s points at the 'u' of an escape, *used gets the bytes read from there on */
static unsigned code_point(const char *s, size_t n, size_t *used)
{
    unsigned c = hex4(s + 1);
    *used = 5;
    if (c < 0xD800 || c > 0xDFFF)
        return c;
    if (c <= 0xDBFF && n >= 11 && s[5] == '\\' && s[6] == 'u') {
        unsigned low = hex4(s + 7);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            *used = 11;
            return 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return 0xFFFD;
}

bool kg_grammar_lone(const char *s, size_t n, size_t *used)
{
    return code_point(s, n, used) == 0xFFFD && hex4(s + 1) != 0xFFFD;
}

void kg_grammar_mend(char *s, size_t n)
{
    size_t used;
    for (char *end = s + n; (s = memchr(s, '\\', (size_t)(end - s))); s += 1 + used) {
        used = 1;
        if (s[1] == 'u' && kg_grammar_lone(s + 1, (size_t)(end - s) - 1, &used))
            memcpy(s + 1, "ufffd", 5);
    }
}

static bool escape(struct kg_grammar *g)
{
    g->pos++;
    int c = peek(g);
    if (c < 0 || !strchr("\"\\/bfnrtu", c) || !c)
        return fail(g, "unknown escape in a string");
    g->pos++;
    if (c != 'u')
        return true;
    for (int i = 0; i < 4; i++, g->pos++)
        if (hex_value(peek(g)) < 0)
            return fail(g, "'\\u' needs four hexadecimal digits");
    size_t u = g->pos - 5, used;
    if (kg_grammar_lone(g->text + u, g->len - u, &used) && !g->lone)
        g->lone = u;
    g->pos = u + used;
    return true;
}

bool kg_grammar_string(struct kg_grammar *g)
{
    if (!kg_grammar_char(g, '"', "no string starts here"))
        return false;
    for (;;) {
        int c = peek(g);
        if (c == '"') {
            g->pos++;
            return true;
        }
        if (c == '\\') {
            if (!escape(g))
                return false;
        } else if (c < 0x20) {
            return fail(g, "a control character in a string");
        } else {
            size_t k = kg_utf8_len(g->text + g->pos, g->len - g->pos);
            if (!k)
                return fail(g, "invalid UTF-8");
            g->pos += k;
        }
    }
}

static bool digits(struct kg_grammar *g, const char *why)
{
    if (!is_digit(peek(g)))
        return fail(g, why);
    while (is_digit(peek(g)))
        g->pos++;
    return true;
}

static bool number(struct kg_grammar *g)
{
    if (peek(g) == '-')
        g->pos++;
    if (peek(g) == 'I')
        return fail(g, "Infinity is no JSON (Python's json writes it: use allow_nan=False)");
    if (peek(g) == '0') {
        g->pos++;
        if (is_digit(peek(g)))
            return fail(g, "a number with a leading zero");
    } else if (!digits(g, "a number needs a digit here")) {
        return false;
    }
    if (peek(g) == '.') {
        g->pos++;
        if (!digits(g, "a number needs a digit after its point"))
            return false;
    }
    if (peek(g) == 'e' || peek(g) == 'E') {
        g->pos++;
        if (peek(g) == '+' || peek(g) == '-')
            g->pos++;
        if (!digits(g, "a number needs a digit in its exponent"))
            return false;
    }
    return true;
}

static bool literal(struct kg_grammar *g, const char *word)
{
    size_t n = strlen(word);
    if (g->len - g->pos < n || memcmp(g->text + g->pos, word, n))
        return false;
    g->pos += n;
    return true;
}

static size_t put_utf8(unsigned c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    out[3] = (char)(0x80 | (c & 63));
    return 4;
}

size_t kg_grammar_unescape(const char *s, size_t n, char *out)
{
    size_t m = 0;
    for (size_t i = 0; i < n;) {
        const char *back = memchr(s + i, '\\', n - i);
        size_t plain = back ? (size_t)(back - s) - i : n - i;
        memcpy(out + m, s + i, plain);
        m += plain;
        i += plain;
        if (!back)
            break;
        char c = s[++i];
        if (c == 'u') {
            size_t used;
            m += put_utf8(code_point(s + i, n - i, &used), out + m);
            i += used;
            continue;
        }
        static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
        const char *at = strchr(from, c);
        out[m++] = at && c ? to[at - from] : c;
        i++;
    }
    return m;
}

static struct kg_value *make_string(struct kg_arena *a, const char *s, size_t n)
{
    struct kg_value *v = kg_value_new(a, KG_VALUE_STRING);
    char *text = kg_arena_alloc(a, n + 1);
    v->len = kg_grammar_unescape(s, n, text);
    text[v->len] = 0;
    v->text = text;
    return v;
}

static struct kg_value *make_number(struct kg_arena *a, const char *s, size_t n)
{
    struct kg_value *v = kg_value_new(a, KG_VALUE_NUMBER);
    v->text = kg_arena_strndup(a, s, n);
    v->len = n;
    v->number = strtod(v->text, NULL);
    return v;
}

/* Doubling arrays in the arena; duplicates of a key stay, the last one wins in kg_value_get. */
static void append(struct kg_arena *a, struct kg_value *v, size_t *cap, const char *key,
                   const struct kg_value *item)
{
    if (v->len == *cap) {
        size_t more = *cap ? *cap * 2 : 8;
        const struct kg_value **items = kg_arena_array(a, more, sizeof *items);
        if (v->len)
            memcpy(items, v->items, v->len * sizeof *items);
        v->items = items;
        if (v->type == KG_VALUE_OBJECT) {
            const char **keys = kg_arena_array(a, more, sizeof *keys);
            if (v->len)
                memcpy(keys, v->keys, v->len * sizeof *keys);
            v->keys = keys;
        }
        *cap = more;
    }
    if (key)
        v->keys[v->len] = key;
    v->items[v->len++] = item;
}

/* the key, its colon and the space around them; *key only with an arena */
static bool member_key(struct kg_grammar *g, const char **key)
{
    size_t begin = g->pos + 1;
    if (peek(g) != '"')
        return fail(g, "a key in double quotes is missing");
    if (!kg_grammar_string(g))
        return false;
    if (g->arena)
        *key = make_string(g->arena, g->text + begin, g->pos - 1 - begin)->text;
    kg_grammar_space(g);
    if (!kg_grammar_char(g, ':', "':' is missing"))
        return false;
    kg_grammar_space(g);
    return true;
}

bool kg_grammar_key(struct kg_grammar *g)
{
    const char *key = NULL;
    return member_key(g, &key);
}

static const struct kg_value *container(struct kg_grammar *g, bool object)
{
    char close = object ? '}' : ']';
    struct kg_value *v = NULL;
    size_t cap = 0;
    if (++g->depth > KG_GRAMMAR_DEPTH)
        return fail(g, "nested too deeply (more than 1024 levels)"), NULL;
    if (g->arena)
        v = kg_value_new(g->arena, object ? KG_VALUE_OBJECT : KG_VALUE_ARRAY);
    g->pos++;
    kg_grammar_space(g);
    for (bool first = true; peek(g) != close || !first; first = false) {
        const char *key = NULL;
        if (object && !member_key(g, &key))
            return NULL;
        const struct kg_value *item = kg_grammar_value(g);
        if (!item)
            return NULL;
        if (v)
            append(g->arena, v, &cap, key, item);
        kg_grammar_space(g);
        if (peek(g) == close)
            break;
        if (!kg_grammar_char(g, ',', object ? "',' or '}' is missing" : "',' or ']' is missing"))
            return NULL;
        kg_grammar_space(g);
    }
    g->pos++;
    g->depth--;
    return v ? v : &checked;
}

static const struct kg_value *boolean(struct kg_grammar *g, bool b)
{
    return g->arena ? kg_value_new_bool(g->arena, b) : &checked;
}

static const struct kg_value *scalar(struct kg_grammar *g)
{
    size_t begin = g->pos;
    int c = peek(g);
    if (c == '"') {
        if (!kg_grammar_string(g))
            return NULL;
        return g->arena ? make_string(g->arena, g->text + begin + 1, g->pos - begin - 2) : &checked;
    }
    if (c == '-' || is_digit(c)) {
        if (!number(g))
            return NULL;
        return g->arena ? make_number(g->arena, g->text + begin, g->pos - begin) : &checked;
    }
    if (literal(g, "null"))
        return g->arena ? kg_value_new(g->arena, KG_VALUE_NULL) : &checked;
    if (literal(g, "true"))
        return boolean(g, true);
    if (literal(g, "false"))
        return boolean(g, false);
    if (c == 'N' || c == 'I')
        fail(g, "NaN and Infinity are no JSON (Python's json writes them: use allow_nan=False)");
    else if (c == 0xEF && g->len - g->pos >= 3 && !memcmp(g->text + g->pos, "\xEF\xBB\xBF", 3))
        fail(g, "a byte order mark");
    fail(g, "no value starts here");
    return NULL;
}

const struct kg_value *kg_grammar_value(struct kg_grammar *g)
{
    int c = peek(g);
    return c == '{' || c == '[' ? container(g, c == '{') : scalar(g);
}
