#include "base/buf.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kg_buf_init(struct kg_buf *b, size_t max)
{
    memset(b, 0, sizeof *b);
    b->max = max;
}

void kg_buf_release(struct kg_buf *b)
{
    size_t max = b->max;
    free(b->data);
    kg_buf_init(b, max);
}

void kg_buf_reset(struct kg_buf *b)
{
    b->len = 0;
    b->truncated = false;
    if (b->data)
        b->data[0] = 0;
}

void kg_buf_cut(struct kg_buf *b, size_t len)
{
    b->len = len;
    if (b->data)
        b->data[len] = 0;
}

char *kg_buf_take(struct kg_buf *b)
{
    char *p = b->data ? b->data : kg_mem_strdup("");
    kg_buf_init(b, b->max);
    return p;
}

const char *kg_buf_str(const struct kg_buf *b)
{
    return b->data ? b->data : "";
}

char *kg_buf_reserve(struct kg_buf *b, size_t n)
{
    if (n > SIZE_MAX / 2 - b->len || (b->max && b->len + n > b->max))
        return NULL;
    size_t need = b->len + n + 1;
    if (need > b->cap) {
        size_t cap = b->cap ? b->cap : 64;
        while (cap < need)
            cap *= 2;
        b->data = kg_mem_realloc(b->data, cap);
        b->cap = cap;
        b->data[b->len] = 0;
    }
    return b->data + b->len;
}

void kg_buf_add(struct kg_buf *b, const void *data, size_t n)
{
    if (b->max && n > b->max - b->len) {
        n = b->max - b->len;
        b->truncated = true;
    }
    char *at = kg_buf_reserve(b, n);
    if (!at)
        return;
    if (n)
        memcpy(at, data, n);
    b->len += n;
    b->data[b->len] = 0;
}

void kg_buf_adds(struct kg_buf *b, const char *s)
{
    kg_buf_add(b, s, strlen(s));
}

void kg_buf_addc(struct kg_buf *b, char c)
{
    kg_buf_add(b, &c, 1);
}

void kg_buf_vaddf(struct kg_buf *b, const char *fmt, va_list ap)
{
    char small[512];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    if (n >= 0 && (size_t)n < sizeof small) {
        kg_buf_add(b, small, (size_t)n);
    } else if (n >= 0) {
        char *big = kg_mem_alloc((size_t)n + 1);
        vsnprintf(big, (size_t)n + 1, fmt, again);
        kg_buf_add(b, big, (size_t)n);
        free(big);
    }
    va_end(again);
}

void kg_buf_addf(struct kg_buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    kg_buf_vaddf(b, fmt, ap);
    va_end(ap);
}
