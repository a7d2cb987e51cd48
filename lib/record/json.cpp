/*
 * One DOM parse a line says whether it is strict JSON; the byte ranges of the top-level members
 * come from the positions of structural characters that the same parse has left in the parser, read
 * in step with its tape (cheaper than a second pass with On-Demand, which would index the line
 * again). What the DOM refuses is decided by grammar.c: big numbers are right, everything else gets
 * its byte and reason. Nothing here throws: simdjson is used by its error codes.
 */
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
#include "base/mem.h"
#include "record/grammar.h"
#include "record/json.h"
}

static_assert(KG_JSON_PADDING >= simdjson::SIMDJSON_PADDING, "lines need simdjson's padding");

namespace
{

constexpr size_t SLOTS = 8, FIRST_CAPACITY = 64 << 10;

struct numbers {
    double *v;
    size_t n, cap;
};

void add_number(struct numbers *s, double x)
{
    s->v = static_cast<double *>(kg_mem_grow(s->v, s->n, &s->cap, sizeof *s->v));
    s->v[s->n++] = x;
}

char tape_type(uint64_t word)
{
    return static_cast<char>(word >> 56);
}

bool is_number(uint64_t word)
{
    char c = tape_type(word);
    return (c == 'd') | (c == 'l') | (c == 'u');
}

double tape_number(const uint64_t *at)
{
    double x;
    switch (tape_type(*at)) {
    case 'd':
        memcpy(&x, at + 1, sizeof x);
        return x;
    case 'l':
        return static_cast<double>(static_cast<int64_t>(at[1]));
    default:
        return static_cast<double>(at[1]);
    }
}

/* index of the tape word behind a value */
size_t tape_next(const uint64_t *tape, size_t at)
{
    char c = tape_type(tape[at]);
    if (c == '{' || c == '[')
        return static_cast<uint32_t>(tape[at]);
    return at + (is_number(tape[at]) ? 2 : 1);
}

/* Number of items when the array at 'at' holds nothing but numbers, else -1. */
long flat_numbers(const uint64_t *tape, size_t at)
{
    size_t words = tape_next(tape, at) - at - 2;
    const uint64_t *item = tape + at + 1;
    if (words % 2 || (words && !is_number(*item)))
        return -1;
    size_t other = 0;
    for (size_t i = 0; i < words; i += 2)
        other += !is_number(item[i]);
    return other ? -1 : static_cast<long>(words / 2);
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

/* A number whose grammar is right; beyond the range of double it is infinite or 0. */
double read_number(const char *begin, const char *end)
{
    double x = 0;
    if (std::from_chars(begin, end, x).ec == std::errc::result_out_of_range)
        x = strtod(begin, nullptr);
    return x;
}

} // namespace

struct kg_json {
    simdjson::dom::parser parser;
    const char *line = nullptr;
    size_t len = 0, close = 0, capacity = 0;
    bool on_tape = false; /* the parse of the line left a tape; else it was read by grammar.c */
    struct kg_json_member *members = nullptr;
    size_t *tape_at = nullptr; /* of each member's value */
    size_t n = 0, cap_members = 0, cap_tape = 0;
    struct kg_arena keys = KG_ARENA_INIT;
    struct numbers slots[SLOTS] = {};
};

namespace
{

void add_member(struct kg_json *j, size_t key_begin, size_t key_end, size_t begin, size_t end,
                size_t tape_at)
{
    j->members = static_cast<struct kg_json_member *>(
        kg_mem_grow(j->members, j->n, &j->cap_members, sizeof *j->members));
    j->tape_at =
        static_cast<size_t *>(kg_mem_grow(j->tape_at, j->n, &j->cap_tape, sizeof *j->tape_at));
    size_t raw = key_end - key_begin - 1;
    char *key = static_cast<char *>(kg_arena_alloc(&j->keys, raw + 1));
    struct kg_json_member *m = &j->members[j->n];
    m->key_len = kg_grammar_unescape(j->line + key_begin + 1, raw, key);
    m->key = key;
    m->key_begin = key_begin;
    m->begin = begin;
    m->end = end;
    m->type = type_of(j->line[begin]);
    j->tape_at[j->n++] = tape_at;
}

/* offset behind the last byte before 'at' that is no space */
size_t behind(const char *line, size_t at)
{
    while (is_space(line[at - 1]))
        at--;
    return at;
}

/* The structural index of the end of the container whose start is structural index s. */
size_t container_end(const struct kg_json *j, const uint32_t *at, size_t s, const uint64_t *tape,
                     size_t t)
{
    if (tape_type(tape[t]) == '[') {
        long n = flat_numbers(tape, t);
        if (n >= 0)
            return s + (n ? 2 * static_cast<size_t>(n) : 1);
    }
    for (size_t depth = 1; depth;) {
        char c = j->line[at[++s]];
        depth += (c == '{') | (c == '[');
        depth -= (c == '}') | (c == ']');
    }
    return s;
}

void members_from_tape(struct kg_json *j)
{
    const uint64_t *tape = j->parser.doc.tape.get();
    const uint32_t *at = j->parser.implementation->structural_indexes.get();
    const char *line = j->line;
    size_t s = 1, t = 2; /* tape: 0 is the root, 1 the object, then key and value in turn */
    for (; tape_type(tape[t]) != '}'; t = tape_next(tape, t + 1), s++) {
        size_t key_begin = at[s], key_end = behind(line, at[s + 1]) - 1, begin = at[s + 2], end;
        char c = line[begin];
        s += 2;
        if (c == '{' || c == '[') {
            s = container_end(j, at, s, tape, t + 1);
            end = at[s++] + 1;
        } else {
            s++;
            end = behind(line, at[s]);
        }
        add_member(j, key_begin, key_end, begin, end, t + 1);
        if (line[at[s]] == '}')
            break;
    }
    j->close = at[s];
    j->on_tape = true;
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
        add_member(j, key_begin, key_end, begin, g.pos, 0);
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
    return 0;
}

/* Room in the parser for a line: grows by doubling, so that a run allocates a few times only. */
bool make_room(struct kg_json *j, size_t len)
{
    if (len <= j->capacity)
        return true;
    size_t capacity = j->capacity ? j->capacity : FIRST_CAPACITY;
    while (capacity < len)
        capacity *= 2;
    if (j->parser.allocate(capacity, KG_GRAMMAR_DEPTH) || j->parser.doc.allocate(capacity))
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
    free(j->tape_at);
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
    j->on_tape = false;
    kg_arena_reset(&j->keys);
    if (!make_room(j, len))
        return kg_error_set(err, KG_E_LIMIT, "no memory to parse a line of %zu bytes", len);
    bool object = false;
    if (len && !j->parser.parse(line, len, false).error())
        object = tape_type(j->parser.doc.tape[1]) == '{';
    if (object)
        members_from_tape(j);
    else if (members_from_text(j, err))
        return -1;
    *members = j->members;
    *n = j->n;
    return 0;
}

extern "C" size_t kg_json_close(const struct kg_json *j)
{
    return j->close;
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

int numbers_from_tape(const uint64_t *tape, size_t t, const struct kg_json_member *m,
                      struct numbers *s, struct kg_error *err)
{
    long flat = flat_numbers(tape, t);
    size_t end = tape_next(tape, t) - 1;
    if (flat > 0 && static_cast<size_t>(flat) > s->cap) {
        s->cap = static_cast<size_t>(flat) + static_cast<size_t>(flat) / 2;
        s->v = static_cast<double *>(kg_mem_realloc(s->v, s->cap * sizeof *s->v));
    }
    if (flat >= 0) {
        for (const uint64_t *at = tape + t + 1; s->n < static_cast<size_t>(flat); at += 2)
            s->v[s->n++] = tape_number(at);
        return 0;
    }
    for (t++; t < end; t = tape_next(tape, t)) {
        if (!is_number(tape[t]) && tape_type(tape[t]) != 'n')
            return no_number(m, s->n, tape_type(tape[t]), err);
        add_number(s, is_number(tape[t]) ? tape_number(tape + t) : std::nan(""));
    }
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
        add_number(s, c == 'n' ? std::nan("") : read_number(j->line + begin, j->line + g.pos));
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
    int rc = j->on_tape ? numbers_from_tape(j->parser.doc.tape.get(), j->tape_at[m - j->members], m,
                                            s, err)
                        : numbers_from_text(j, m, s, err);
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
