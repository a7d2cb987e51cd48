/*
 * The rows of a batch of the group loop: where each line waits, and which of its bytes may be
 * replaced. Internal to lib/record.
 */
#ifndef KG_RECORD_ROWS_H
#define KG_RECORD_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "record/jsonl.h"
#include "record/loop.h"
#include "record/record.h"
#include "record/spool.h"

#define KG_ROWS_SPOOL UINT32_MAX /* kg_row.file: the line waits in the spool */

struct kg_row {
    uint64_t at; /* of the line in its file */
    uint32_t len;
    uint32_t close; /* offset of the closing brace */
    uint32_t file;  /* index of a file that is read again, or KG_ROWS_SPOOL */
    uint32_t first_range;
    uint8_t n_ranges;
    int8_t verdict; /* enum kg_verdict or -1 */
    bool answered;  /* the line is its answer already: a bad record */
    bool empty;     /* the object has no members */
};

struct kg_range { /* the value of an own key in the line */
    uint32_t begin, end;
    uint32_t key; /* index in own */
};

struct kg_rows_file { /* a file that is read again */
    const char *name;
    int fd; /* -1: not open */
    struct stat st;
};

struct kg_edits {
    const char *const *own;
    size_t n;
    struct kg_buf *text; /* [n] */
    bool *set;           /* [n] */
};

struct kg_rows {
    const char *const *own;
    size_t n_own;
    struct kg_row *row;
    struct kg_range *range;
    struct kg_rows_file *file;
    size_t n, cap, n_ranges, cap_ranges, n_files, cap_files;
    struct kg_spool spool;
    struct kg_window window;
};

void kg_rows_init(struct kg_rows *rows, const char *const *own);
void kg_rows_release(struct kg_rows *rows);
void kg_rows_reset(struct kg_rows *rows); /* forgets the rows */

/* The file that the reader has open is read again: its index. KG_ROWS_SPOOL when it cannot be. */
uint32_t kg_rows_file(struct kg_rows *rows, const struct kg_jsonl_reader *in);

/* Keeps the line of r; a duplicate of an own key is a fault of r (then nothing is kept). */
int kg_rows_add(struct kg_rows *rows, struct kg_record *r, uint32_t file, uint64_t offset,
                int verdict, struct kg_error *err);
/* Undoes the last kg_rows_add. */
void kg_rows_pop(struct kg_rows *rows);
/* Keeps an answer as it is. */
int kg_rows_add_answer(struct kg_rows *rows, const char *line, size_t len, int verdict,
                       struct kg_error *err);

/* The line of a row; lives until the next call. Meant to be read in order. */
const char *kg_rows_line(struct kg_rows *rows, const struct kg_row *row, struct kg_error *err);

/* Line with edits, and a newline. */
void kg_rows_write(const struct kg_rows *rows, const struct kg_row *row, const char *line,
                   const struct kg_edits *e, struct kg_buf *out);

void kg_edits_init(struct kg_edits *e, const char *const *own);
void kg_edits_release(struct kg_edits *e);
void kg_edits_reset(struct kg_edits *e);

#endif
