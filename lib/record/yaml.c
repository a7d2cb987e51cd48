#include "record/yaml.h"
#include "base/fs.h"
#include "record/grammar.h"

#include <string.h>
#include <yaml.h>

#define YAML_MAX   ((size_t)16 << 20)
#define YAML_DEPTH 100

struct reader {
    yaml_parser_t parser;
    const char *source;
    struct kg_arena *arena;
    struct kg_error *err;
    int depth;
};

static int fail(struct reader *y, const yaml_mark_t *at, const char *what)
{
    return kg_error_at(y->err, KG_E_INPUT, y->source, at->line + 1, at->column + 1,
                       "column %zu: %s", at->column + 1, what);
}

static int next(struct reader *y, yaml_event_t *e)
{
    if (yaml_parser_parse(&y->parser, e))
        return 0;
    const yaml_mark_t *at = &y->parser.problem_mark;
    const char *context = y->parser.context, *problem = y->parser.problem;
    if (!problem)
        problem = "not YAML";
    if (!context)
        return fail(y, at, problem);
    return kg_error_at(y->err, KG_E_INPUT, y->source, at->line + 1, at->column + 1,
                       "column %zu: %s %s", at->column + 1, context, problem);
}

static struct kg_value *new_value(struct reader *y, enum kg_value_type type, const yaml_mark_t *at)
{
    struct kg_value *v = kg_value_new(y->arena, type);
    v->line = (unsigned)at->line + 1;
    v->col = (unsigned)at->column + 1;
    return v;
}

/* A plain scalar as JSON reads it: null, true, false, a number; NULL: a string. */
static const struct kg_value *plain(struct reader *y, const char *text, size_t len)
{
    struct kg_grammar g;
    if (!len || *text == '"' || *text == '[' || *text == '{')
        return NULL;
    kg_grammar_init(&g, text, len, y->arena);
    const struct kg_value *v = kg_grammar_value(&g);
    return v && g.pos == len ? v : NULL;
}

static const struct kg_value *scalar(struct reader *y, const yaml_event_t *e)
{
    const char *text = (const char *)e->data.scalar.value;
    size_t len = e->data.scalar.length;
    if (e->data.scalar.anchor || e->data.scalar.tag) {
        fail(y, &e->start_mark, "anchors and tags are not allowed");
        return NULL;
    }
    struct kg_value *v = new_value(y, KG_VALUE_STRING, &e->start_mark);
    if (e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        const struct kg_value *p = plain(y, text, len);
        struct kg_value at = *v;
        if (p || !len) {
            *v = p ? *p : (struct kg_value){.type = KG_VALUE_NULL};
            v->line = at.line;
            v->col = at.col;
            return v;
        }
    }
    v->text = kg_arena_strndup(y->arena, text, len);
    v->len = len;
    return v;
}

static const struct kg_value *value(struct reader *y, const yaml_event_t *e);

static const struct kg_value *sequence(struct reader *y, const yaml_event_t *start)
{
    struct kg_value *v = new_value(y, KG_VALUE_ARRAY, &start->start_mark);
    for (;;) {
        yaml_event_t e;
        if (next(y, &e))
            return NULL;
        bool end = e.type == YAML_SEQUENCE_END_EVENT;
        const struct kg_value *item = end ? NULL : value(y, &e);
        yaml_event_delete(&e);
        if (end)
            return v;
        if (!item)
            return NULL;
        kg_value_push(y->arena, v, item);
    }
}

/* The key of a mapping's next entry: NULL at its end (*end) or after an error. */
static const char *key_of(struct reader *y, const struct kg_value *map, yaml_mark_t *at, bool *end)
{
    yaml_event_t e;
    if (next(y, &e))
        return NULL;
    *end = e.type == YAML_MAPPING_END_EVENT;
    *at = e.start_mark;
    const char *key = NULL;
    if (*end) {
        /* nothing more */
    } else if (e.type != YAML_SCALAR_EVENT || e.data.scalar.anchor || e.data.scalar.tag) {
        fail(y, at, "a key must be a plain word");
    } else if (memchr(e.data.scalar.value, 0, e.data.scalar.length)) {
        fail(y, at, "a key with a NUL");
    } else {
        key = kg_arena_strndup(y->arena, (const char *)e.data.scalar.value, e.data.scalar.length);
        if (kg_value_get(map, key)) {
            kg_error_at(y->err, KG_E_INPUT, y->source, at->line + 1, at->column + 1,
                        "column %zu: duplicate key '%s'", at->column + 1, key);
            key = NULL;
        }
    }
    yaml_event_delete(&e);
    return key;
}

static const struct kg_value *mapping(struct reader *y, const yaml_event_t *start)
{
    struct kg_value *v = new_value(y, KG_VALUE_OBJECT, &start->start_mark);
    for (;;) {
        yaml_mark_t at;
        yaml_event_t e;
        bool end = false;
        const char *key = key_of(y, v, &at, &end);
        if (end)
            return v;
        if (!key || next(y, &e))
            return NULL;
        const struct kg_value *item = value(y, &e);
        yaml_event_delete(&e);
        if (!item)
            return NULL;
        kg_value_put(y->arena, v, key, item);
    }
}

static const struct kg_value *value(struct reader *y, const yaml_event_t *e)
{
    const struct kg_value *v = NULL;
    if (++y->depth > YAML_DEPTH) {
        fail(y, &e->start_mark, "nested too deeply (more than 100 levels)");
        return NULL;
    }
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        v = scalar(y, e);
        break;
    case YAML_SEQUENCE_START_EVENT:
        if (e->data.sequence_start.anchor || e->data.sequence_start.tag)
            fail(y, &e->start_mark, "anchors and tags are not allowed");
        else
            v = sequence(y, e);
        break;
    case YAML_MAPPING_START_EVENT:
        if (e->data.mapping_start.anchor || e->data.mapping_start.tag)
            fail(y, &e->start_mark, "anchors and tags are not allowed");
        else
            v = mapping(y, e);
        break;
    case YAML_ALIAS_EVENT:
        fail(y, &e->start_mark, "aliases are not allowed");
        break;
    default:
        fail(y, &e->start_mark, "a value is missing");
    }
    y->depth--;
    return v;
}

/* stream start, document start, the value, document end, stream end */
static const struct kg_value *document(struct reader *y)
{
    const struct kg_value *v = NULL;
    for (;;) {
        yaml_event_t e;
        if (next(y, &e))
            return NULL;
        yaml_event_type_t type = e.type;
        yaml_mark_t at = e.start_mark;
        bool wrong = false;
        if (type == YAML_DOCUMENT_START_EVENT && v)
            fail(y, &at, "a second document in the same file");
        else if (type != YAML_STREAM_START_EVENT && type != YAML_STREAM_END_EVENT &&
                 type != YAML_DOCUMENT_START_EVENT && type != YAML_DOCUMENT_END_EVENT)
            wrong = !(v = value(y, &e));
        wrong = wrong || (type == YAML_DOCUMENT_START_EVENT && v);
        yaml_event_delete(&e);
        if (wrong)
            return NULL;
        if (type == YAML_STREAM_END_EVENT) {
            if (!v)
                kg_error_at(y->err, KG_E_INPUT, y->source, 0, 0, "the file is empty");
            return v;
        }
    }
}

const struct kg_value *kg_yaml_text(const char *text, size_t len, const char *source,
                                    struct kg_arena *a, struct kg_error *err)
{
    struct kg_error own = KG_ERROR_INIT;
    struct reader y = {.source = source, .arena = a, .err = err ? err : &own};
    if (len > YAML_MAX) {
        kg_error_at(err, KG_E_LIMIT, source, 0, 0, "longer than 16 MiB");
        return NULL;
    }
    if (!yaml_parser_initialize(&y.parser)) {
        kg_error_at(err, KG_E_SYSTEM, source, 0, 0, "no memory for the YAML parser");
        return NULL;
    }
    yaml_parser_set_input_string(&y.parser, (const unsigned char *)text, len);
    const struct kg_value *v = document(&y);
    yaml_parser_delete(&y.parser);
    return v;
}

const struct kg_value *kg_yaml_file(const char *path, struct kg_arena *a, struct kg_error *err)
{
    struct kg_buf b;
    kg_buf_init(&b, YAML_MAX);
    const struct kg_value *v = NULL;
    if (!kg_fs_read(path, &b, err))
        v = kg_yaml_text(kg_buf_str(&b), b.len, path, a, err);
    kg_buf_release(&b);
    return v;
}
