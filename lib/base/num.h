/*
 * Numbers in and out, checked: the whole text must be the number, and it must lie in the range.
 */
#ifndef KG_BASE_NUM_H
#define KG_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/* The text of the error: "'10x' is not a whole number from 1 to 100". KG_E_USAGE. */
int kg_num_int(const char *text, int64_t min, int64_t max, int64_t *out, struct kg_error *err);
/* Finite decimal numbers only (no hex, nan, inf). */
int kg_num_double(const char *text, double min, double max, double *out, struct kg_error *err);

/* Bytes: '512', '64k', '2M', '1G' (powers of 1024). */
int kg_num_bytes(const char *text, int64_t min, int64_t max, int64_t *out, struct kg_error *err);

#define KG_NUM_TEXT 32
/* Shortest decimal text that reads back as the same double; "null" when it is not finite.
 * Returns the length. */
size_t kg_num_format(double x, char text[KG_NUM_TEXT]);
void kg_num_add(struct kg_buf *b, double x);

#endif
