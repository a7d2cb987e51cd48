/*
 * UTF-8: is it valid, and what to do where it is not. Knows nothing of JSON.
 */
#ifndef KG_BASE_UTF8_H
#define KG_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length in bytes (1 to 4) of the valid sequence at s, at most n bytes; 0 when it is invalid
 * (overlong forms, surrogates, above U+10FFFF). */
size_t kg_utf8_len(const char *s, size_t n);

bool kg_utf8_valid(const char *s, size_t n);

/* In place: control characters (tab excepted) and bytes of invalid sequences become '?'. */
void kg_utf8_clean_line(char *s, size_t n);

/* The largest m <= n at which s can be cut without splitting a sequence. */
size_t kg_utf8_cut(const char *s, size_t n);

#endif
