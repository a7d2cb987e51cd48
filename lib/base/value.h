/*
 * A neutral document tree: what a JSON value or a YAML file holds. Values belong to the arena that
 * they were made in. Strings may hold NULs. Numbers keep their text: big integers lose nothing.
 *
 * Must not enter here: where a tree comes from (json.h, yaml.h in record), what it means.
 */
#ifndef KG_BASE_VALUE_H
#define KG_BASE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

enum kg_value_type {
    KG_VALUE_NULL,
    KG_VALUE_BOOL,
    KG_VALUE_NUMBER,
    KG_VALUE_STRING,
    KG_VALUE_ARRAY,
    KG_VALUE_OBJECT,
};

struct kg_value {
    enum kg_value_type type;
    unsigned line, col;            /* place in the source, from 1; 0: not known */
    bool boolean;                  /* BOOL */
    double number;                 /* NUMBER: nearest double (may be infinite for 1e400) */
    const char *text;              /* STRING: its bytes; NUMBER: its spelling; NUL-terminated */
    size_t len;                    /* of text; ARRAY, OBJECT: number of items */
    const struct kg_value **items; /* ARRAY, OBJECT */
    const char **keys;             /* OBJECT: NUL-terminated, in the order of the source */
};

/* Lookup; NULL when v is no object or has no such key (the last of duplicates wins). */
const struct kg_value *kg_value_get(const struct kg_value *v, const char *key);
/* "a.b.c" through objects. */
const struct kg_value *kg_value_path(const struct kg_value *v, const char *path);

/* NULL-safe tests and readers; the fallback is returned when v is NULL or of another type. */
bool kg_value_is(const struct kg_value *v, enum kg_value_type type);
double kg_value_num(const struct kg_value *v, double fallback);
bool kg_value_bool(const struct kg_value *v, bool fallback);
const char *kg_value_str(const struct kg_value *v, const char *fallback);
/* true when v is a whole number that fits (1, 1.0 and 1e3 do; 1.5 and "1" do not) */
bool kg_value_int(const struct kg_value *v, int64_t *out);
const char *kg_value_type_name(const struct kg_value *v); /* "a string", "null", "nothing" ... */

/* Builders. */
struct kg_value *kg_value_new(struct kg_arena *a, enum kg_value_type type);
struct kg_value *kg_value_new_num(struct kg_arena *a, double x);
struct kg_value *kg_value_new_str(struct kg_arena *a, const char *s, size_t n);
struct kg_value *kg_value_new_bool(struct kg_arena *a, bool b);
void kg_value_push(struct kg_arena *a, struct kg_value *array, const struct kg_value *item);
void kg_value_put(struct kg_arena *a, struct kg_value *object, const char *key,
                  const struct kg_value *item); /* appends, or replaces where it stands */

/* One line of strict JSON (numbers by their text; non-finite ones as null). */
void kg_value_json(const struct kg_value *v, struct kg_buf *out);

#endif
