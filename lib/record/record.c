#include "record/record.h"
#include "base/jsonout.h"
#include "base/mem.h"
#include "base/num.h"
#include "record/grammar.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kg_record_init(struct kg_record *r)
{
    memset(r, 0, sizeof *r);
    r->json = kg_json_new();
}

void kg_record_release(struct kg_record *r)
{
    kg_json_free(r->json);
    kg_arena_release(&r->arena);
    free(r->edits);
    memset(r, 0, sizeof *r);
}

int kg_record_parse(struct kg_record *r, const char *source, size_t line_no, const char *line,
                    size_t len, struct kg_error *err)
{
    r->source = source;
    r->line_no = line_no;
    r->line = line;
    r->len = len;
    r->members = NULL;
    r->n_members = 0;
    r->n_edits = 0;
    kg_arena_reset(&r->arena);
    kg_error_clear(&r->error);
    if (kg_json_parse(r->json, line, len, &r->members, &r->n_members, err))
        return kg_error_where(err, source, line_no, 0);
    size_t lone = kg_json_lone(r->json);
    if (lone)
        kg_record_fault(r, "byte %zu: '%.6s' is half of a surrogate pair, which is no character",
                        lone, line + lone - 1);
    return 0;
}

void kg_record_fault(struct kg_record *r, const char *fmt, ...)
{
    va_list ap;
    char text[KG_ERROR_TEXT];
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    kg_error_at(&r->error, KG_E_INPUT, r->source, r->line_no, 0, "%s", text);
}

static bool is_key(const struct kg_json_member *m, const char *key, size_t len)
{
    return m->key_len == len && !memcmp(m->key, key, len);
}

/* the member of that name; two of them are a fault of the record */
static const struct kg_json_member *find(struct kg_record *r, const char *key)
{
    const struct kg_json_member *found = NULL;
    size_t len = strlen(key);
    for (size_t i = 0; i < r->n_members; i++) {
        if (!is_key(&r->members[i], key, len))
            continue;
        if (found)
            kg_record_fault(r, "duplicate key '%s'", key);
        else
            found = &r->members[i];
    }
    return found;
}

static struct kg_record_edit *find_edit(const struct kg_record *r, const char *key)
{
    for (size_t i = 0; i < r->n_edits; i++)
        if (!strcmp(r->edits[i].key, key))
            return &r->edits[i];
    return NULL;
}

const struct kg_json_member *kg_record_member(struct kg_record *r, const char *key)
{
    return find(r, key);
}

bool kg_record_has(struct kg_record *r, const char *key)
{
    return find_edit(r, key) || find(r, key);
}

const struct kg_value *kg_record_get(struct kg_record *r, const char *key)
{
    const struct kg_record_edit *e = find_edit(r, key);
    if (e) {
        struct kg_grammar g;
        kg_grammar_init(&g, e->json, e->len, &r->arena);
        return kg_grammar_value(&g);
    }
    const struct kg_json_member *m = find(r, key);
    return m ? kg_json_value(r->json, m, &r->arena) : NULL;
}

const struct kg_value *kg_record_path(struct kg_record *r, const char *path)
{
    char key[128];
    size_t n = strcspn(path, ".");
    if (n >= sizeof key)
        return NULL;
    memcpy(key, path, n);
    key[n] = 0;
    const struct kg_value *v = kg_record_get(r, key);
    return path[n] ? kg_value_path(v, path + n + 1) : v;
}

int kg_record_numbers(struct kg_record *r, const char *key, int slot, const double **v, size_t *n)
{
    const struct kg_json_member *m = find(r, key);
    if (!m || m->type == KG_VALUE_NULL)
        return 0;
    struct kg_error err = KG_ERROR_INIT;
    if (!kg_json_numbers(r->json, m, slot, v, n, &err))
        return 1;
    kg_record_fault(r, "%s", err.text);
    return -1;
}

const char *kg_record_str(struct kg_record *r, const char *key, size_t *len)
{
    const struct kg_value *v = kg_record_get(r, key);
    if (!kg_value_is(v, KG_VALUE_STRING))
        return NULL;
    if (len)
        *len = v->len;
    return v->text;
}

/* ---- editing ---------------------------------------------------------------------------- */

void kg_record_set_json(struct kg_record *r, const char *key, const char *json, size_t len)
{
    find(r, key); /* for the fault */
    struct kg_record_edit *e = find_edit(r, key);
    if (!e) {
        r->edits = kg_mem_grow(r->edits, r->n_edits, &r->cap_edits, sizeof *r->edits);
        e = &r->edits[r->n_edits++];
        e->key = kg_arena_strdup(&r->arena, key);
    }
    e->json = kg_arena_strndup(&r->arena, json, len);
    e->len = len;
}

void kg_record_set_num(struct kg_record *r, const char *key, double x)
{
    char text[KG_NUM_TEXT];
    kg_record_set_json(r, key, text, kg_num_format(x, text));
}

void kg_record_set_int(struct kg_record *r, const char *key, int64_t v)
{
    char text[KG_NUM_TEXT];
    int n = snprintf(text, sizeof text, "%lld", (long long)v);
    kg_record_set_json(r, key, text, (size_t)n);
}

void kg_record_set_str(struct kg_record *r, const char *key, const char *s)
{
    if (!s) {
        kg_record_set_null(r, key);
        return;
    }
    struct kg_buf b = KG_BUF_INIT;
    kg_jsonout_quote(&b, s, strlen(s));
    kg_record_set_json(r, key, b.data, b.len);
    kg_buf_release(&b);
}

void kg_record_set_bool(struct kg_record *r, const char *key, int b)
{
    const char *text = b < 0 ? "null" : b ? "true" : "false";
    kg_record_set_json(r, key, text, strlen(text));
}

void kg_record_set_null(struct kg_record *r, const char *key)
{
    kg_record_set_json(r, key, "null", 4);
}

static bool in_line(const struct kg_record *r, const char *key)
{
    size_t len = strlen(key);
    for (size_t i = 0; i < r->n_members; i++)
        if (is_key(&r->members[i], key, len))
            return true;
    return false;
}

void kg_record_write(const struct kg_record *r, struct kg_buf *out)
{
    size_t done = 0, start = out->len;
    bool first = r->n_members == 0;
    for (size_t i = 0; r->n_edits && i < r->n_members; i++) {
        const struct kg_record_edit *e = find_edit(r, r->members[i].key);
        if (!e || r->members[i].key_len != strlen(e->key))
            continue;
        kg_buf_add(out, r->line + done, r->members[i].begin - done);
        kg_buf_add(out, e->json, e->len);
        done = r->members[i].end;
    }
    size_t close = kg_json_close(r->json);
    kg_buf_add(out, r->line + done, close - done);
    for (size_t i = 0; i < r->n_edits; i++) {
        const struct kg_record_edit *e = &r->edits[i];
        if (in_line(r, e->key))
            continue;
        if (!first)
            kg_buf_addc(out, ',');
        first = false;
        kg_jsonout_quote(out, e->key, strlen(e->key));
        kg_buf_addc(out, ':');
        kg_buf_add(out, e->json, e->len);
    }
    kg_buf_add(out, r->line + close, r->len - close);
    kg_buf_addc(out, '\n');
    if (kg_json_lone(r->json))
        kg_grammar_mend(out->data + start, out->len - start);
}

/* ---- the shared fields -------------------------------------------------------------------- */

void kg_record_set_verdict(struct kg_record *r, enum kg_verdict v, const char *message)
{
    struct kg_verdict_fields f = kg_verdict_fields(v);
    kg_record_set_str(r, "status", kg_verdict_name(v));
    kg_record_set_str(r, "error_code", f.error_code);
    kg_record_set_str(r, "error_message", message);
    kg_record_set_bool(r, "compiled", f.compiled);
    kg_record_set_bool(r, "correctness", f.correctness);
    kg_record_set_bool(r, "decoy_kernel", f.decoy);
    if (v != KG_PASSED)
        kg_record_set_null(r, "speedup");
}

bool kg_record_verdict(struct kg_record *r, enum kg_verdict *v)
{
    const char *name = kg_record_str(r, "status", NULL);
    return name && kg_verdict_parse(name, v);
}

/* 1: there and ok, 0: there and not ok, -1: not there */
static int stage(struct kg_record *r, const char *key)
{
    const struct kg_value *v = kg_record_get(r, key);
    if (!kg_value_is(v, KG_VALUE_OBJECT))
        return -1;
    return kg_value_bool(kg_value_get(v, "ok"), true);
}

bool kg_record_is_settled(struct kg_record *r, const char *own, bool redo)
{
    static const char *const stages[] = {"compile", "verify", "profile"};
    if (!redo && stage(r, own) >= 0)
        return true;
    for (size_t i = 0; i < 3 && strcmp(stages[i], own) != 0; i++)
        if (stage(r, stages[i]) == 0)
            return true;
    return false;
}

/* ---- answers of the loop ------------------------------------------------------------------ */

void kg_record_answer(struct kg_record *r, enum kg_verdict v, const char *message,
                      const char *const *own)
{
    static const char *const scores[] = {"reward", "return", "advantage"};
    r->n_edits = 0;
    kg_record_set_verdict(r, v, message);
    kg_record_set_null(r, "speedup");
    for (size_t i = 0; i < 3; i++) {
        bool set = in_line(r, scores[i]);
        for (size_t k = 0; own && own[k]; k++)
            set = set || !strcmp(own[k], scores[i]);
        if (set)
            kg_record_set_null(r, scores[i]);
    }
}
