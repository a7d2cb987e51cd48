/*
 * Memory of slots on the host: sealed memfds. The judge makes and maps them; a worker gets the
 * descriptor. Sealed against shrinking and growing (an unsealed memfd lets a candidate kill the
 * judge with ftruncate), and inputs against new writable mappings (F_SEAL_FUTURE_WRITE, after the
 * judge has mapped its own).
 *
 *     | guard | payload, 256-byte aligned | guard up to the end of a page |
 *
 * What guards hold is the caller's.
 */
#ifndef KG_WORKER_SLOTMEM_H
#define KG_WORKER_SLOTMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define KG_SLOT_ALIGN 256
#define KG_SLOT_GUARD 4096 /* bytes at least, on both sides */

struct kg_slotmem {
    int fd;             /* -1: none */
    unsigned char *map; /* all of it, writable, in this process */
    size_t bytes;       /* of the file and of the mapping */
    size_t offset;      /* of the payload */
    size_t payload;     /* bytes of the payload */
    bool read_only;     /* workers can map it for reading only */
};

#define KG_SLOTMEM_INIT                                                                            \
    {                                                                                              \
        -1, NULL, 0, 0, 0, false                                                                   \
    }

/* 'read_only' seals it against writers other than this mapping (kernel 5.1; an error without it).
 */
int kg_slotmem_make(struct kg_slotmem *s, size_t payload, bool read_only, struct kg_error *err);
void kg_slotmem_release(struct kg_slotmem *s);

static inline unsigned char *kg_slotmem_payload(const struct kg_slotmem *s)
{
    return s->map + s->offset;
}
static inline size_t kg_slotmem_tail(const struct kg_slotmem *s) /* bytes of the guard behind */
{
    return s->bytes - s->offset - s->payload;
}

/* In a worker: maps 'bytes' of fd at an address that no slot of this process had before, with its
 * pages already there. NULL with err. */
void *kg_slotmem_map(int fd, size_t bytes, bool read_only, struct kg_error *err);

#endif
