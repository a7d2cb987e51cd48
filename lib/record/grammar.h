/*
 * The grammar of JSON (RFC 8259), read by hand: what decides where the fast parser does not (big
 * numbers, errors), and what makes trees of values. Slower than json.cpp, and exact: it knows the
 * byte and the reason of an error. Knows nothing of records.
 *
 * Taken: numbers of any length and size; '\ud800' and other lone surrogates in escapes (Python's
 * json writes them; they read as U+FFFD, and are noted: strict readers refuse them). Not taken:
 * invalid UTF-8, NaN, Infinity, control characters in strings, anything nested deeper than
 * KG_GRAMMAR_DEPTH.
 */
#ifndef KG_RECORD_GRAMMAR_H
#define KG_RECORD_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/value.h"

#define KG_GRAMMAR_DEPTH 1024

struct kg_grammar {
    const char *text;
    size_t len, pos;
    const char *why;        /* reason of the first error, NULL: none; pos stands at its byte */
    struct kg_arena *arena; /* values go here; NULL: check only */
    int depth;
    size_t lone; /* byte of the first lone surrogate, from 1; 0: none */
};

void kg_grammar_init(struct kg_grammar *g, const char *text, size_t len, struct kg_arena *a);
void kg_grammar_space(struct kg_grammar *g);

/* One value, from the byte at pos. Without an arena: a non-NULL mark when it is right. NULL:
 * g->why. */
const struct kg_value *kg_grammar_value(struct kg_grammar *g);

/* These begin at the first byte of what they read; false: g->why. */
bool kg_grammar_string(struct kg_grammar *g); /* pos: behind the closing quote */
bool kg_grammar_key(struct kg_grammar *g);    /* pos: at the value, behind the colon */
bool kg_grammar_char(struct kg_grammar *g, char c, const char *why);

/* Unescapes the inside of a checked string into out (n bytes are enough); returns the length. */
size_t kg_grammar_unescape(const char *s, size_t n, char *out);

/* s: the 'u' of a checked escape, n bytes to the end of the string (or more): half a surrogate
 * pair? *used: bytes of it, from the 'u' on, or of the whole pair. */
bool kg_grammar_lone(const char *s, size_t n, size_t *used);

/* In place: lone surrogates of a checked text become '\ufffd'. */
void kg_grammar_mend(char *s, size_t n);

#endif
