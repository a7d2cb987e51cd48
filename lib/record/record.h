/*
 * A record: one line of JSON Lines, read by key and edited without touching any other byte.
 *
 * Editing: a member that exists is replaced where it stands; new ones go before the last brace, in
 * the order in which they were set. Keys compare unescaped. A duplicate of a key that is read or
 * written is a bad record (kg_record_get and kg_record_set report it through r->error).
 */
#ifndef KG_RECORD_RECORD_H
#define KG_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/value.h"
#include "base/verdict.h"
#include "record/json.h"

struct kg_record_edit {
    const char *key;
    char *json; /* the value's new text (arena) */
    size_t len;
};

struct kg_record {
    const char *source; /* file name, or "<stdin>" */
    size_t line_no;     /* from 1 */
    const char *line;   /* without line end; KG_JSON_PADDING readable bytes follow */
    size_t len;
    struct kg_json *json;
    const struct kg_json_member *members;
    size_t n_members;
    struct kg_record_edit *edits;
    size_t n_edits, cap_edits;
    struct kg_arena arena; /* of values and edits; emptied when the next line is read */
    struct kg_error error; /* first fault found in it; the loop turns it into BAD_RECORD */
};

void kg_record_init(struct kg_record *r); /* makes a parser of its own */
void kg_record_release(struct kg_record *r);

/* Parses a line (see kg_json_parse); forgets everything of the one before. A lone surrogate in an
 * escape is a fault of the record. */
int kg_record_parse(struct kg_record *r, const char *source, size_t line_no, const char *line,
                    size_t len, struct kg_error *err);

bool kg_record_has(struct kg_record *r, const char *key);
/* The member as it stands in the line (edits are not looked at); NULL when there is none. */
const struct kg_json_member *kg_record_member(struct kg_record *r, const char *key);
/* The value as a tree; NULL when the key is missing. Edits made before are seen. */
const struct kg_value *kg_record_get(struct kg_record *r, const char *key);
/* "profile.coverage.time": first part a key of the record, the rest inside. */
const struct kg_value *kg_record_path(struct kg_record *r, const char *path);
/* An array of numbers as it stands in the line (fast). 1 found, 0 missing or null, -1 with
 * r->error. slot: see kg_json. */
int kg_record_numbers(struct kg_record *r, const char *key, int slot, const double **v, size_t *n);

/* The text, unescaped, of a string member; NULL when missing, null or no string. */
const char *kg_record_str(struct kg_record *r, const char *key, size_t *len);

void kg_record_set_json(struct kg_record *r, const char *key, const char *json, size_t len);
void kg_record_set_num(struct kg_record *r, const char *key, double x); /* non-finite: null */
void kg_record_set_int(struct kg_record *r, const char *key, int64_t v);
void kg_record_set_str(struct kg_record *r, const char *key, const char *s); /* NULL: null */
void kg_record_set_bool(struct kg_record *r, const char *key, int b);        /* -1: null */
void kg_record_set_null(struct kg_record *r, const char *key);

/* Records a fault of the record itself; the first one stands. */
void kg_record_fault(struct kg_record *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The edited line and a newline, appended to out; '\ufffd' in the place of lone surrogates, so that
 * every reader takes the answer to such a record. */
void kg_record_write(const struct kg_record *r, struct kg_buf *out);

/* ---- the shared fields ------------------------------------------------------------------ */

/* status, error_code, error_message, compiled, correctness, decoy_kernel by the verdict table, and
 * speedup null when the verdict is not PASSED. message: one line, NULL for null. */
void kg_record_set_verdict(struct kg_record *r, enum kg_verdict v, const char *message);

/* The verdict that the record has: false when 'status' is missing or no verdict. */
bool kg_record_verdict(struct kg_record *r, enum kg_verdict *v);

/* A stage (kg-compile, kg-verify, kg-profile) has nothing to do with the record: its own object is
 * there already, or an earlier stage said ok: false (kg-record(5)). */
bool kg_record_is_settled(struct kg_record *r, const char *own, bool redo);

/*
 * The answer to a record that could not be handled (BAD_RECORD, JUDGE_FAULT): forgets all edits,
 * then sets the seven verdict fields, and null for reward, return and advantage where the record
 * has them or 'own' (NULL-terminated, or NULL) names them.
 */
void kg_record_answer(struct kg_record *r, enum kg_verdict v, const char *message,
                      const char *const *own);

#endif
