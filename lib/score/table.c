#include "score/table.h"

#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

void kg_table_init(struct kg_table *t, const char *align)
{
    memset(t, 0, sizeof *t);
    t->align = align;
    t->n_columns = strlen(align);
}

void kg_table_release(struct kg_table *t)
{
    free(t->cells);
    kg_arena_release(&t->arena);
    memset(t, 0, sizeof *t);
}

/* Characters of UTF-8 text: its bytes less those that continue one. */
static size_t chars(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static char *clean(struct kg_table *t, const char *text)
{
    size_t n = 0, bytes = 0;
    for (; text[bytes]; bytes++) {
        n += ((unsigned char)text[bytes] & 0xc0) != 0x80;
        if (n > KG_TABLE_CELL)
            break;
    }
    char *s = kg_arena_strndup(&t->arena, text, bytes);
    for (char *p = s; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    return s;
}

void kg_table_add(struct kg_table *t, const char *text)
{
    size_t column = t->n % t->n_columns;
    const char *s = text && *text ? clean(t, text) : "-";
    size_t w = chars(s);
    t->cells = kg_mem_grow(t->cells, t->n, &t->cap, sizeof *t->cells);
    t->cells[t->n++] = s;
    if (w > t->width[column])
        t->width[column] = w;
}

void kg_table_addf(struct kg_table *t, const char *fmt, ...)
{
    char text[128];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    kg_table_add(t, text);
}

void kg_table_num(struct kg_table *t, double x, int decimals)
{
    if (isnan(x))
        kg_table_add(t, NULL);
    else
        kg_table_addf(t, "%.*f", decimals, x);
}

void kg_table_rate(struct kg_table *t, double x)
{
    if (isnan(x))
        kg_table_add(t, NULL);
    else
        kg_table_addf(t, "%.1f %%", 100 * x);
}

void kg_table_print(const struct kg_table *t, struct kg_buf *out)
{
    for (size_t i = 0; i < t->n; i++) {
        size_t column = i % t->n_columns;
        bool right = t->align[column] == 'r', last = column + 1 == t->n_columns;
        int pad = (int)(t->width[column] - chars(t->cells[i]));
        if (right && pad)
            kg_buf_addf(out, "%*s", pad, "");
        kg_buf_adds(out, t->cells[i]);
        if (last)
            kg_buf_addc(out, '\n');
        else
            kg_buf_addf(out, "%*s", GAP + (right ? 0 : pad), "");
    }
}
