#include "base/value.h"
#include "base/jsonout.h"
#include "base/num.h"

#include <math.h>
#include <string.h>

const struct kg_value *kg_value_get(const struct kg_value *v, const char *key)
{
    if (!kg_value_is(v, KG_VALUE_OBJECT))
        return NULL;
    for (size_t i = v->len; i-- > 0;)
        if (!strcmp(v->keys[i], key))
            return v->items[i];
    return NULL;
}

const struct kg_value *kg_value_path(const struct kg_value *v, const char *path)
{
    char key[128];
    while (v && *path) {
        size_t n = strcspn(path, ".");
        if (n >= sizeof key)
            return NULL;
        memcpy(key, path, n);
        key[n] = 0;
        v = kg_value_get(v, key);
        path += n + (path[n] == '.');
    }
    return v;
}

bool kg_value_is(const struct kg_value *v, enum kg_value_type type)
{
    return v && v->type == type;
}

double kg_value_num(const struct kg_value *v, double fallback)
{
    return kg_value_is(v, KG_VALUE_NUMBER) ? v->number : fallback;
}

bool kg_value_bool(const struct kg_value *v, bool fallback)
{
    return kg_value_is(v, KG_VALUE_BOOL) ? v->boolean : fallback;
}

const char *kg_value_str(const struct kg_value *v, const char *fallback)
{
    return kg_value_is(v, KG_VALUE_STRING) ? v->text : fallback;
}

bool kg_value_int(const struct kg_value *v, int64_t *out)
{
    if (!kg_value_is(v, KG_VALUE_NUMBER))
        return false;
    if (v->text && !kg_num_int(v->text, INT64_MIN, INT64_MAX, out, NULL))
        return true;
    if (v->text && !strpbrk(v->text, ".eE"))
        return false; /* an integer beyond 64 bits */
    if (!(fabs(v->number) < 9.2e18) || v->number != floor(v->number))
        return false;
    *out = (int64_t)v->number;
    return true;
}

const char *kg_value_type_name(const struct kg_value *v)
{
    static const char *const names[] = {"null",     "a boolean", "a number",
                                        "a string", "an array",  "an object"};
    return v ? names[v->type] : "nothing";
}

struct kg_value *kg_value_new(struct kg_arena *a, enum kg_value_type type)
{
    struct kg_value *v = kg_arena_alloc(a, sizeof *v);
    v->type = type;
    return v;
}

struct kg_value *kg_value_new_num(struct kg_arena *a, double x)
{
    char text[KG_NUM_TEXT];
    struct kg_value *v = kg_value_new(a, KG_VALUE_NUMBER);
    v->number = x;
    v->len = kg_num_format(x, text);
    v->text = kg_arena_strndup(a, text, v->len);
    return v;
}

struct kg_value *kg_value_new_str(struct kg_arena *a, const char *s, size_t n)
{
    struct kg_value *v = kg_value_new(a, KG_VALUE_STRING);
    v->text = kg_arena_strndup(a, s, n);
    v->len = n;
    return v;
}

struct kg_value *kg_value_new_bool(struct kg_arena *a, bool b)
{
    struct kg_value *v = kg_value_new(a, KG_VALUE_BOOL);
    v->boolean = b;
    return v;
}

/* Items grow by doubling: the capacity is the power of two above len (at least 4). */
static bool is_full(size_t len)
{
    return len == 0 || (len >= 4 && (len & (len - 1)) == 0);
}

static void *grown(struct kg_arena *a, const void *old, size_t len, size_t size)
{
    void *p = kg_arena_array(a, len ? len * 2 : 4, size);
    if (len)
        memcpy(p, old, len * size);
    return p;
}

void kg_value_push(struct kg_arena *a, struct kg_value *array, const struct kg_value *item)
{
    if (is_full(array->len))
        array->items = grown(a, array->items, array->len, sizeof *array->items);
    array->items[array->len++] = item;
}

void kg_value_put(struct kg_arena *a, struct kg_value *object, const char *key,
                  const struct kg_value *item)
{
    for (size_t i = 0; i < object->len; i++)
        if (!strcmp(object->keys[i], key)) {
            object->items[i] = item;
            return;
        }
    if (is_full(object->len))
        object->keys = grown(a, object->keys, object->len, sizeof *object->keys);
    object->keys[object->len] = kg_arena_strdup(a, key);
    kg_value_push(a, object, item);
}

static void write_json(const struct kg_value *v, struct kg_jsonout *j)
{
    switch (v->type) {
    case KG_VALUE_NULL:
        kg_jsonout_null(j);
        break;
    case KG_VALUE_BOOL:
        kg_jsonout_bool(j, v->boolean);
        break;
    case KG_VALUE_NUMBER:
        if (v->text && strcmp(v->text, "null"))
            kg_jsonout_raw(j, v->text, v->len);
        else
            kg_jsonout_num(j, v->number);
        break;
    case KG_VALUE_STRING:
        kg_jsonout_strn(j, v->text, v->len);
        break;
    case KG_VALUE_ARRAY:
        kg_jsonout_array(j);
        for (size_t i = 0; i < v->len; i++)
            write_json(v->items[i], j);
        kg_jsonout_end(j);
        break;
    case KG_VALUE_OBJECT:
        kg_jsonout_object(j);
        for (size_t i = 0; i < v->len; i++) {
            kg_jsonout_key(j, v->keys[i]);
            write_json(v->items[i], j);
        }
        kg_jsonout_end(j);
        break;
    }
}

void kg_value_json(const struct kg_value *v, struct kg_buf *out)
{
    struct kg_jsonout j;
    kg_jsonout_init(&j, out);
    write_json(v, &j);
}
