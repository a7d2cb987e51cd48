/*
 * Bytes that wait: the first 16 MiB in memory, what is beyond in a temporary file without a name.
 * Also reads other files by offset, through the same window. Internal to lib/record.
 */
#ifndef KG_RECORD_SPOOL_H
#define KG_RECORD_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

#define KG_SPOOL_MEMORY ((size_t)16 << 20)

struct kg_window { /* the part of a file that was read last */
    int fd;
    uint64_t at;
    char *buf;
    size_t len, cap;
};

struct kg_spool {
    int fd;           /* -1: nothing was written out yet */
    uint64_t in_file; /* bytes in the file; those that follow are in mem */
    struct kg_buf mem;
    struct kg_window window;
};

void kg_spool_init(struct kg_spool *s);
void kg_spool_release(struct kg_spool *s);
void kg_spool_reset(struct kg_spool *s); /* forgets all; keeps memory and file for the next use */

/* *at: where the bytes can be found again. */
int kg_spool_add(struct kg_spool *s, const char *bytes, size_t n, uint64_t *at,
                 struct kg_error *err);
/* The bytes of one earlier call of kg_spool_add; they live until the next call. Meant to be read in
 * order. NULL: err. */
const char *kg_spool_get(struct kg_spool *s, uint64_t at, size_t n, struct kg_error *err);

/* n bytes of any file at an offset; they live until the next call. w->fd: -1 at the start. */
const char *kg_window_get(struct kg_window *w, int fd, uint64_t at, size_t n, struct kg_error *err);
void kg_window_release(struct kg_window *w);

#endif
