/*
 * One line of JSON Lines: its top-level members as byte ranges, strictly checked; values on demand.
 * The only C header in front of simdjson (json.cpp). Knows nothing of kg's fields.
 *
 * Strict JSON: duplicate keys are reported to the caller as they stand; numbers of any size and
 * length pass when the grammar allows them ('1e400' and 30-digit integers do, '01', '1.' and 'NaN'
 * do not).
 */
#ifndef KG_RECORD_JSON_H
#define KG_RECORD_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"

#define KG_JSON_PADDING 64 /* readable bytes that must follow every line given to the parser */

struct kg_json; /* one a thread; reused for every line */

struct kg_json_member {
    const char *key; /* unescaped, NUL-terminated; dies with the next parse */
    size_t key_len;
    size_t key_begin;  /* offset of the key's opening quote in the line */
    size_t begin, end; /* the value's bytes in the line: [begin, end) */
    enum kg_value_type type;
};

struct kg_json *kg_json_new(void);
void kg_json_free(struct kg_json *j);

/*
 * Parses a line that must be one JSON object. On success members, *n of them, stand in the order of
 * the line and live until the next parse. The line must stay in memory while they are used.
 * Error text: "not a JSON object: byte 5" (byte counts from 1), with the reason where one is known.
 */
int kg_json_parse(struct kg_json *j, const char *line, size_t len,
                  const struct kg_json_member **members, size_t *n, struct kg_error *err);

/* Offset of the closing brace of the line parsed last. */
size_t kg_json_close(const struct kg_json *j);

/* Byte, from 1, of the first escape in it that is half of a surrogate pair; 0: none. The grammar
 * allows it, but it is no character, and strict readers refuse the line. */
size_t kg_json_lone(const struct kg_json *j);

/* The value of a member as a tree in the arena. */
const struct kg_value *kg_json_value(struct kg_json *j, const struct kg_json_member *m,
                                     struct kg_arena *a);

/*
 * A member that is an array of numbers, as doubles: *v lives until the next call for the same
 * 'slot' (0 to 7) or the next parse. null gives NaN. -1 when it is something else.
 */
int kg_json_numbers(struct kg_json *j, const struct kg_json_member *m, int slot, const double **v,
                    size_t *n, struct kg_error *err);

/* Any JSON text (not a line of a record) as a tree. */
const struct kg_value *kg_json_text(const char *text, size_t len, const char *source,
                                    struct kg_arena *a, struct kg_error *err);

#endif
