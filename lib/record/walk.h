/*
 * One line of JSON, checked along the positions of its tokens, which simdjson's first stage has
 * found. That stage has proven: valid UTF-8, every string closed, no control character in a string;
 * and it has listed the offset of each of { } [ ] : , and the first byte of each string and scalar
 * (so whatever follows a token without being a token of the list is white space, or a fault that is
 * seen at the token's end). What is left is the order of tokens and the inside of scalars.
 * Internal to lib/record; knows nothing of simdjson.
 */
#ifndef KG_RECORD_WALK_H
#define KG_RECORD_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kg_walk_member {
    size_t key;        /* index in 'at' of the key's opening quote; the value's is key + 2 */
    size_t behind;     /* index of the token behind the value */
    size_t begin, end; /* the value's bytes */
};

struct kg_walk {
    const char *line;
    size_t len;
    const uint32_t *at; /* offsets of tokens; at[n] must be len */
    size_t n;
    struct kg_walk_member *member; /* grows; reused */
    size_t n_members, cap_members;
    size_t close; /* offset of the closing brace */
    size_t lone;  /* byte of the first lone surrogate (grammar.h), from 1; 0: none */
};

/* true: one strict JSON object, members and close are set. false: it is not, or something stands in
 * it that needs the slow reader (grammar.h) to judge. Bytes up to KG_JSON_PADDING behind the line
 * are read, whatever they are. */
bool kg_walk_line(struct kg_walk *w);

/* Offset of the closing quote of the string at token s. */
size_t kg_walk_quote(const struct kg_walk *w, size_t s);

#endif
