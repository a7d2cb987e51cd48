/*
 * A table for people: cells of text, columns as wide as their widest cell. Text is cleaned (control
 * characters become '?') and cut to KG_TABLE_CELL characters.
 */
#ifndef KG_SCORE_TABLE_H
#define KG_SCORE_TABLE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"

#define KG_TABLE_COLUMNS 24
#define KG_TABLE_CELL    40

struct kg_table {
    size_t n_columns;
    const char *align; /* a letter a column: l or r */
    size_t width[KG_TABLE_COLUMNS];
    const char **cells;
    size_t n, cap;
    struct kg_arena arena;
};

void kg_table_init(struct kg_table *t, const char *align);
void kg_table_release(struct kg_table *t);

/* The next cell, in the order of reading; NULL and "" are shown as '-'. */
void kg_table_add(struct kg_table *t, const char *text);
void kg_table_addf(struct kg_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void kg_table_num(struct kg_table *t, double x, int decimals); /* NaN: '-' */
void kg_table_rate(struct kg_table *t, double x);              /* in per cent */

void kg_table_print(const struct kg_table *t, struct kg_buf *out);

#endif
