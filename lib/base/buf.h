/*
 * A growing byte buffer with a stated limit. What does not fit under the limit is dropped and
 * 'truncated' set, so that a compiler log of 2 GB becomes a bounded log that says so.
 * The bytes are always followed by a NUL (not counted in len). They may hold NULs.
 */
#ifndef KG_BASE_BUF_H
#define KG_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct kg_buf {
    char *data; /* NULL while empty and never used; kg_buf_str() never gives NULL */
    size_t len;
    size_t cap;
    size_t max; /* 0: no limit */
    bool truncated;
};

#define KG_BUF_INIT                                                                                \
    {                                                                                              \
        0                                                                                          \
    }

void kg_buf_init(struct kg_buf *b, size_t max);
void kg_buf_release(struct kg_buf *b); /* frees; usable again, as after init with the same max */
void kg_buf_reset(struct kg_buf *b);   /* len 0, keeps the memory */
void kg_buf_cut(struct kg_buf *b, size_t len); /* forgets what stands behind len; len <= b->len */
char *kg_buf_take(struct kg_buf *b); /* hands the bytes to the caller (free), leaves it empty */
const char *kg_buf_str(const struct kg_buf *b);

void kg_buf_add(struct kg_buf *b, const void *data, size_t n);
void kg_buf_adds(struct kg_buf *b, const char *s);
void kg_buf_addc(struct kg_buf *b, char c);
void kg_buf_addf(struct kg_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void kg_buf_vaddf(struct kg_buf *b, const char *fmt, va_list ap);

/* Room for n more bytes at data + len; the caller adds to len what it wrote. NULL: too much. */
char *kg_buf_reserve(struct kg_buf *b, size_t n);

#endif
