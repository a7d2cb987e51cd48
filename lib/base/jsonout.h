/*
 * Writing JSON: always strict, always valid UTF-8. Commas and nesting are kept here. Invalid UTF-8
 * in strings becomes U+FFFD, non-finite numbers become null.
 *
 *     kg_jsonout_init(&j, &buf);
 *     kg_jsonout_object(&j);
 *     kg_jsonout_key(&j, "ok");  kg_jsonout_bool(&j, true);
 *     kg_jsonout_kv_num(&j, "ms", 1.5);
 *     kg_jsonout_end(&j);
 */
#ifndef KG_BASE_JSONOUT_H
#define KG_BASE_JSONOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define KG_JSONOUT_DEPTH 1100 /* above the depth that the parser takes (record/grammar.h) */

struct kg_jsonout {
    struct kg_buf *out;
    int depth;
    bool first[KG_JSONOUT_DEPTH]; /* no item yet at this depth */
    bool is_object[KG_JSONOUT_DEPTH];
    bool after_key;
};

void kg_jsonout_init(struct kg_jsonout *j, struct kg_buf *out); /* appends to out */
void kg_jsonout_object(struct kg_jsonout *j);
void kg_jsonout_array(struct kg_jsonout *j);
void kg_jsonout_end(struct kg_jsonout *j); /* of the innermost object or array */
void kg_jsonout_key(struct kg_jsonout *j, const char *key);
void kg_jsonout_null(struct kg_jsonout *j);
void kg_jsonout_bool(struct kg_jsonout *j, bool b);
void kg_jsonout_int(struct kg_jsonout *j, int64_t v);
void kg_jsonout_num(struct kg_jsonout *j, double x);
void kg_jsonout_str(struct kg_jsonout *j, const char *s); /* NULL: null */
void kg_jsonout_strn(struct kg_jsonout *j, const char *s, size_t n);
void kg_jsonout_raw(struct kg_jsonout *j, const char *json, size_t n); /* valid JSON, as it is */

/* key and value in one call */
void kg_jsonout_kv_null(struct kg_jsonout *j, const char *key);
void kg_jsonout_kv_bool(struct kg_jsonout *j, const char *key, bool b);
void kg_jsonout_kv_int(struct kg_jsonout *j, const char *key, int64_t v);
void kg_jsonout_kv_num(struct kg_jsonout *j, const char *key, double x);
void kg_jsonout_kv_str(struct kg_jsonout *j, const char *key, const char *s);

/* A quoted and escaped JSON string. */
void kg_jsonout_quote(struct kg_buf *out, const char *s, size_t n);

#endif
