/*
 * JSON Lines: files in, one stream out. Lines are handed out where they were read, without a copy.
 *
 * Reader: one file after the other; blank lines are skipped, CRLF and a missing last newline are
 * accepted. A line longer than KG_JSONL_LINE_MAX is told and skipped; a file that cannot be opened
 * or read is told, and the next one follows; both are counted in 'faults'. Interrupted by
 * kg_stop_wanted() (stop.h), which it tells whether a pipe is read.
 *
 * Writer: collects, writes in large pieces. After a failed write everything is dropped, and
 * 'failed' (or 'closed' when the reader of a pipe has gone) says so.
 */
#ifndef KG_RECORD_JSONL_H
#define KG_RECORD_JSONL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"

#define KG_JSONL_LINE_MAX ((size_t)256 << 20)

struct kg_jsonl_line {
    const char
        *text; /* without its end; KG_JSON_PADDING readable bytes follow; dies at next call */
    size_t len;
    size_t no;       /* from 1 */
    uint64_t offset; /* of its first byte in the file */
};

struct kg_jsonl_reader {
    char **files; /* operands; "-" is stdin */
    int n_files;
    int at;             /* index of the file that is open */
    int fd;             /* -1: none is open */
    const char *source; /* its name in messages */
    bool regular;       /* it can be read again by offset */
    char *buf;
    size_t cap, begin, end; /* unread bytes: [begin, end) */
    size_t searched;        /* no line end in [begin, searched) */
    uint64_t offset;        /* of buf[begin] in the file */
    size_t line_no;         /* of the line handed out last */
    bool eof, skipping;
    uint64_t size, done; /* bytes: of all regular files (0: not known), read so far */
    size_t faults;
    void (*before_wait)(void *ctx); /* called when the next read would block; may be NULL */
    /* The bytes of a line that is too long, as they come; n = 0: its end. May be NULL. */
    void (*too_long)(void *ctx, const char *bytes, size_t n);
    void *ctx;
};

/* stat(2) of an operand. */
int kg_jsonl_stat(const char *file, struct stat *st);

/* n = 0: stdin alone. The names must stay. */
void kg_jsonl_open(struct kg_jsonl_reader *r, char **files, int n);
bool kg_jsonl_next(struct kg_jsonl_reader *r, struct kg_jsonl_line *line); /* false: the end */
void kg_jsonl_close(struct kg_jsonl_reader *r);

struct kg_jsonl_writer {
    int fd;
    const char *name; /* in messages */
    struct kg_buf buf;
    bool failed; /* told already */
    bool closed; /* EPIPE */
};

void kg_jsonl_writer_init(struct kg_jsonl_writer *w, int fd, const char *name);
/* Writes out when much has gathered; call it after each record added to w->buf. */
void kg_jsonl_added(struct kg_jsonl_writer *w);
void kg_jsonl_flush(struct kg_jsonl_writer *w);
/* Bytes that are not to be gathered first: behind all that was added. */
void kg_jsonl_write(struct kg_jsonl_writer *w, const char *bytes, size_t n);
/* The last flush, and the errors that only close(2) tells. */
void kg_jsonl_writer_end(struct kg_jsonl_writer *w);

#endif
