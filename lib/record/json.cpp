/*
 * Each line is read once. simdjson's first stage checks UTF-8 and strings and lists the tokens, at
 * several GB/s; walk.c then checks the rest and finds the members. simdjson's own second stage
 * (DOM) is not used: it converts every number of a line, which costs more than all else together,
 * while a program reads few or none of the arrays; and it refuses big numbers. What the walk does
 * not accept is judged by grammar.c, which knows byte and reason. Nothing here throws.
 */
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

extern "C" {
#include "base/mem.h"
#include "record/digits.h"
#include "record/grammar.h"
#include "record/json.h"
#include "record/walk.h"
}

static_assert(KG_JSON_PADDING >= simdjson::SIMDJSON_PADDING, "lines need simdjson's padding");
static_assert(KG_JSON_PADDING >= KG_DIGITS_AHEAD, "lines need the padding of numbers");

namespace
{

constexpr size_t SLOTS = 8, FIRST_CAPACITY = 64 << 10;

struct numbers {
    double *v;
    size_t n, cap;
};

void reserve(struct numbers *s, size_t n)
{
    while (s->cap < n)
        s->v = static_cast<double *>(kg_mem_grow(s->v, s->cap, &s->cap, sizeof *s->v));
}

enum kg_value_type type_of(char c)
{
    switch (c) {
    case 'n':
        return KG_VALUE_NULL;
    case 't':
    case 'f':
        return KG_VALUE_BOOL;
    case '"':
        return KG_VALUE_STRING;
    case '[':
        return KG_VALUE_ARRAY;
    case '{':
        return KG_VALUE_OBJECT;
    default:
        return KG_VALUE_NUMBER;
    }
}

bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

[[gnu::noinline]] double read_slowly(const char *begin, const char *limit)
{
    double x = 0;
    if (std::from_chars(begin, limit, x).ec == std::errc::result_out_of_range)
        x = strtod(begin, nullptr);
    return x;
}

/* The number at begin, whose grammar is right and which ends before limit. Beyond the range of
 * double it is infinite or 0. */
inline double read_number(const char *begin, const char *limit)
{
    double x;
    return kg_digits_read(begin, limit, &x) ? x : read_slowly(begin, limit);
}

} // namespace

struct kg_json {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> stage;
    size_t capacity = 0; /* longest line that 'stage' has room for */
    const char *line = nullptr;
    size_t len = 0, close = 0, lone = 0;
    bool walked = false; /* members[i] is walk.member[i]; else the line was read by grammar.c */
    struct kg_walk walk = {};
    struct kg_json_member *members = nullptr;
    size_t n = 0, cap = 0;
    struct kg_arena keys = KG_ARENA_INIT;
    struct numbers slots[SLOTS] = {};
};

namespace
{

void add_member(struct kg_json *j, size_t key_begin, size_t key_end, size_t begin, size_t end)
{
    j->members = static_cast<struct kg_json_member *>(
        kg_mem_grow(j->members, j->n, &j->cap, sizeof *j->members));
    size_t raw = key_end - key_begin - 1;
    char *key = static_cast<char *>(kg_arena_alloc(&j->keys, raw + 1));
    struct kg_json_member *m = &j->members[j->n++];
    m->key_len = kg_grammar_unescape(j->line + key_begin + 1, raw, key);
    m->key = key;
    m->key_begin = key_begin;
    m->begin = begin;
    m->end = end;
    m->type = type_of(j->line[begin]);
}

/* offset behind the last byte before 'at' that is no space */
size_t behind(const char *line, size_t at)
{
    while (is_space(line[at - 1]))
        at--;
    return at;
}

bool members_from_walk(struct kg_json *j)
{
    struct kg_walk *w = &j->walk;
    w->line = j->line;
    w->len = j->len;
    w->at = j->stage->structural_indexes.get();
    w->n = j->stage->n_structural_indexes;
    if (!kg_walk_line(w))
        return false;
    for (size_t i = 0; i < w->n_members; i++) {
        const struct kg_walk_member *m = &w->member[i];
        add_member(j, w->at[m->key], kg_walk_quote(w, m->key), m->begin, m->end);
    }
    j->close = w->close;
    j->lone = w->lone;
    return true;
}

int refuse(const struct kg_grammar *g, struct kg_error *err)
{
    return kg_error_set(err, KG_E_INPUT, "not a JSON object: byte %zu: %s", g->pos + 1, g->why);
}

int members_from_text(struct kg_json *j, struct kg_error *err)
{
    struct kg_grammar g;
    kg_grammar_init(&g, j->line, j->len, nullptr);
    kg_grammar_space(&g);
    if (g.pos < g.len && g.text[g.pos] != '{' && kg_grammar_value(&g)) {
        g.pos = 0;
        kg_grammar_space(&g);
        g.why = "a value of another type stands here";
    }
    if (g.why || !kg_grammar_char(&g, '{', "no object starts here"))
        return refuse(&g, err);
    g.depth = 1;
    kg_grammar_space(&g);
    for (bool first = true; g.pos >= g.len || g.text[g.pos] != '}' || !first; first = false) {
        size_t key_begin = g.pos;
        if (!kg_grammar_key(&g))
            return refuse(&g, err);
        size_t key_end = behind(j->line, behind(j->line, g.pos) - 1) - 1, begin = g.pos;
        if (!kg_grammar_value(&g))
            return refuse(&g, err);
        add_member(j, key_begin, key_end, begin, g.pos);
        kg_grammar_space(&g);
        if (g.pos < g.len && g.text[g.pos] == '}')
            break;
        if (!kg_grammar_char(&g, ',', "',' or '}' is missing"))
            return refuse(&g, err);
        kg_grammar_space(&g);
    }
    j->close = g.pos++;
    kg_grammar_space(&g);
    if (g.pos < g.len) {
        g.why = "something follows the object";
        return refuse(&g, err);
    }
    j->lone = g.lone;
    return 0;
}

/* Room in the first stage: grows by doubling, so that a run allocates a few times only. */
bool make_room(struct kg_json *j, size_t len)
{
    if (len <= j->capacity)
        return true;
    size_t capacity = j->capacity ? j->capacity : FIRST_CAPACITY;
    while (capacity < len)
        capacity *= 2;
    j->capacity = 0;
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(
            capacity, simdjson::DEFAULT_MAX_DEPTH, j->stage))
        return false;
    j->capacity = capacity;
    return true;
}

} // namespace

extern "C" struct kg_json *kg_json_new(void)
{
    return new (kg_mem_alloc(sizeof(struct kg_json))) kg_json;
}

extern "C" void kg_json_free(struct kg_json *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        free(j->slots[i].v);
    free(j->members);
    free(j->walk.member);
    kg_arena_release(&j->keys);
    j->~kg_json();
    free(j);
}

extern "C" int kg_json_parse(struct kg_json *j, const char *line, size_t len,
                             const struct kg_json_member **members, size_t *n, struct kg_error *err)
{
    j->line = line;
    j->len = len;
    j->n = 0;
    kg_arena_reset(&j->keys);
    if (!make_room(j, len))
        return kg_error_set(err, KG_E_LIMIT, "no memory to parse a line of %zu bytes", len);
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(line);
    j->walked = len && !j->stage->stage1(bytes, len, simdjson::stage1_mode::regular) &&
                members_from_walk(j);
    if (!j->walked && members_from_text(j, err))
        return -1;
    *members = j->members;
    *n = j->n;
    return 0;
}

extern "C" size_t kg_json_close(const struct kg_json *j)
{
    return j->close;
}

extern "C" size_t kg_json_lone(const struct kg_json *j)
{
    return j->lone;
}

extern "C" const struct kg_value *kg_json_value(struct kg_json *j, const struct kg_json_member *m,
                                                struct kg_arena *a)
{
    struct kg_grammar g;
    kg_grammar_init(&g, j->line + m->begin, m->end - m->begin, a);
    return kg_grammar_value(&g);
}

namespace
{

int no_number(const struct kg_json_member *m, size_t item, char c, struct kg_error *err)
{
    struct kg_value v = {};
    v.type = type_of(c);
    return kg_error_set(err, KG_E_INPUT, "field '%s' must be an array of numbers: item %zu is %s",
                        m->key, item + 1, kg_value_type_name(&v));
}

/* Along the tokens of the array, which were checked when the line was parsed. Every second one is
 * an item, up to the first that is neither a number nor null. */
int numbers_from_walk(const struct kg_json *j, const struct kg_json_member *m, struct numbers *s,
                      struct kg_error *err)
{
    const struct kg_walk *w = &j->walk;
    const struct kg_walk_member *tokens = &w->member[m - j->members];
    size_t first = tokens->key + 3, end = tokens->behind - 1;
    reserve(s, (end - first + 1) / 2);
    double *v = s->v;
    for (size_t t = first; t < end; t += 2) {
        const char *p = j->line + w->at[t];
        if (*p != 'n' && type_of(*p) != KG_VALUE_NUMBER)
            return no_number(m, (t - first) / 2, *p, err);
        *v++ = *p == 'n' ? std::nan("") : read_number(p, j->line + w->at[t + 1]);
    }
    s->n = (end - first + 1) / 2;
    return 0;
}

/* The array was checked when the line was parsed. */
int numbers_from_text(const struct kg_json *j, const struct kg_json_member *m, struct numbers *s,
                      struct kg_error *err)
{
    struct kg_grammar g;
    kg_grammar_init(&g, j->line, m->end - 1, nullptr);
    for (g.pos = m->begin + 1;; g.pos++) {
        kg_grammar_space(&g);
        if (g.pos >= g.len)
            return 0;
        char c = j->line[g.pos];
        size_t begin = g.pos;
        if (c != 'n' && type_of(c) != KG_VALUE_NUMBER)
            return no_number(m, s->n, c, err);
        kg_grammar_value(&g);
        reserve(s, s->n + 1);
        s->v[s->n++] = c == 'n' ? std::nan("") : read_number(j->line + begin, j->line + g.pos);
        kg_grammar_space(&g);
    }
}

} // namespace

extern "C" int kg_json_numbers(struct kg_json *j, const struct kg_json_member *m, int slot,
                               const double **v, size_t *n, struct kg_error *err)
{
    if (slot < 0 || slot >= static_cast<int>(SLOTS))
        return kg_error_set(err, KG_E_INTERNAL, "kg_json_numbers: slot %d", slot);
    if (m->type != KG_VALUE_ARRAY) {
        struct kg_value what = {};
        what.type = m->type;
        return kg_error_set(err, KG_E_INPUT, "field '%s' must be an array of numbers, not %s",
                            m->key, kg_value_type_name(&what));
    }
    static const double none = 0;
    struct numbers *s = &j->slots[slot];
    s->n = 0;
    int rc = j->walked ? numbers_from_walk(j, m, s, err) : numbers_from_text(j, m, s, err);
    *v = s->v ? s->v : &none;
    *n = s->n;
    return rc;
}

extern "C" const struct kg_value *kg_json_text(const char *text, size_t len, const char *source,
                                               struct kg_arena *a, struct kg_error *err)
{
    struct kg_grammar g;
    kg_grammar_init(&g, text, len, a);
    kg_grammar_space(&g);
    const struct kg_value *v = kg_grammar_value(&g);
    kg_grammar_space(&g);
    if (v && g.pos >= len)
        return v;
    size_t line = 1, start = 0;
    for (size_t i = 0; i < g.pos; i++)
        if (text[i] == '\n') {
            line++;
            start = i + 1;
        }
    kg_error_at(err, KG_E_INPUT, source, line, g.pos - start + 1, "not JSON: column %zu: %s",
                g.pos - start + 1, g.why ? g.why : "something follows the value");
    return nullptr;
}
