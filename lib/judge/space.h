/*
 * A space: what the judge does with the memory of one device. The session (session.h) knows only
 * this; space_host.c does it with sealed memfds and the CPU, a GPU does it with exported device
 * memory and kernels of its own. The judge owns all memory that matters: workers get descriptors,
 * never pointers, and nothing here ever reads what a worker says.
 *
 * A space belongs to one thread; every session thread opens its own (they may share a context
 * underneath). All operations are complete when they return, unless 'settle' is named. They return
 * 0, or -1 with err; a failure here is the judge's fault (KG_E_LOST: the device is gone), never the
 * candidate's.
 *
 * Must not enter here: verdicts, protocols, records, time limits.
 */
#ifndef KG_JUDGE_SPACE_H
#define KG_JUDGE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "task/compare.h"
#include "task/gen.h"
#include "task/task.h"

enum kg_mem_use {
    KG_MEM_PRIVATE,  /* snapshots and wanted answers: no worker can map it; no guards, no fd */
    KG_MEM_INPUT,    /* a slot that workers can only read (as far as the device can enforce it) */
    KG_MEM_WRITABLE, /* a slot that workers can write: outputs, inout, writable copies of inputs */
};

/*
 * A piece of memory: a private one, or a slot that lies as guard | payload | guard in what fd
 * stands for. The payload begins right behind the front guard and the back guard right behind the
 * payload's last byte; guard zones are at least 4 KiB each, and a multiple of 256 in front.
 */
struct kg_mem {
    enum kg_mem_use use;
    size_t bytes;  /* payload */
    size_t offset; /* of the payload from the start: size of the front guard; private: 0 */
    size_t total;  /* everything, up to the end of the back guard, in the space's granularity */
    int fd;        /* to be passed to workers; -1: private. Owned by the memory */
    unsigned char *map; /* the judge's mapping of all of it, where the CPU can read it; or NULL */
    uint64_t device;    /* address in the judge's context on a device; 0 on host */
    void *impl;         /* the space's own */
};

struct kg_device_info {
    char name[128];
    char uuid[64];                /* names the lock files too; "host" on host */
    bool emulated;                /* times are not those of a GPU */
    const char *timer;            /* "host", "cupti" */
    uint64_t mem_free, mem_total; /* bytes, now; 0: not known */
    size_t l2_bytes;              /* what a flush has to pass; 0: nothing is flushed */
    double read_gb_s;    /* measured read bandwidth; 0: not known, then there is no floor */
    double sm_clock_mhz; /* now; 0: not known */
    bool throttled;      /* slowed by heat or power, now */
};

struct kg_space;

struct kg_space_ops {
    const char *name; /* "host", "cuda" */
    void (*close)(struct kg_space *s);
    int (*info)(struct kg_space *s, struct kg_device_info *out, struct kg_error *err);

    /* bytes may be 0. Contents are undefined. */
    int (*mem_new)(struct kg_space *s, enum kg_mem_use use, size_t bytes, struct kg_mem *out,
                   struct kg_error *err);
    void (*mem_free)(struct kg_space *s, struct kg_mem *m); /* harmless on a cleared one */

    /* The content of array 'arg' of an instance (kg_gen_fill's elements; CPU and GPU need not agree
     * to the last bit). Not for KG_INIT_CUSTOM, which comes by 'upload'. */
    int (*publish)(struct kg_space *s, struct kg_mem *m, const struct kg_instance *in, size_t arg,
                   const struct kg_content *c, struct kg_error *err);
    /* kg_poison_fill over 'count' elements of type t. */
    int (*poison)(struct kg_space *s, struct kg_mem *m, enum kg_dtype t, uint64_t key, size_t count,
                  struct kg_error *err);
    /* Both guard zones get the pattern of a key; 'touched' counts the bytes that differ from it,
     * and 'where' is the one nearest to the payload: negative in front of it (-1: the last byte
     * before), from 'bytes' on behind it. */
    int (*guard)(struct kg_space *s, struct kg_mem *m, uint64_t key, struct kg_error *err);
    int (*guard_check)(struct kg_space *s, const struct kg_mem *m, uint64_t key, size_t *touched,
                       int64_t *where, struct kg_error *err);

    /* Payload to payload; dst->bytes >= src->bytes. A snapshot is a copy into private memory: when
     * it returns, the judge has the bytes. */
    int (*copy)(struct kg_space *s, struct kg_mem *dst, const struct kg_mem *src,
                struct kg_error *err);
    int (*upload)(struct kg_space *s, struct kg_mem *dst, const void *src, size_t bytes,
                  struct kg_error *err);
    int (*read)(struct kg_space *s, const struct kg_mem *src, size_t offset, void *dst,
                size_t bytes, struct kg_error *err);

    /* Keyed hash of the payload's first 'bytes' bytes, equal on every device: kg_space_hash_bytes.
     */
    int (*hash)(struct kg_space *s, const struct kg_mem *m, uint64_t key, size_t bytes,
                uint64_t *out, struct kg_error *err);
    /* Are the first 'bytes' bytes of two payloads the same? */
    int (*equal)(struct kg_space *s, const struct kg_mem *a, const struct kg_mem *b, size_t bytes,
                 bool *out, struct kg_error *err);

    /* kg_compare over memory of the space. want_is_f64: want holds doubles (the truth of a floating
     * output), else elements of the argument's type (the baseline's answer, or an exact truth). */
    int (*compare)(struct kg_space *s, const struct kg_instance *in, size_t arg,
                   const struct kg_tolerance *tol, const struct kg_mem *got,
                   const struct kg_mem *want, bool want_is_f64, double scale_rms,
                   uint64_t poison_key, size_t n, struct kg_cmp_stats *out, struct kg_error *err);

    /* Before a call: everything above has happened, the device is idle, and its cache is cold
     * (twice its size read and written with data that is not constant; persisting lines reset). */
    int (*settle)(struct kg_space *s, struct kg_error *err);

    /* After a worker was killed: waits, at most 'seconds', until its memory is back and the device
     * answers. An error: the device is lost. */
    int (*recover)(struct kg_space *s, double seconds, struct kg_error *err);
};

struct kg_space {
    const struct kg_space_ops *ops;
    bool warm; /* settle leaves the cache as it is (--compat) */
    void *impl;
};

/* 'device': "host", "cuda:0", a GPU's UUID. NULL with err: KG_E_MISSING. */
struct kg_space *kg_space_open(const char *device, struct kg_error *err);
struct kg_space *kg_space_open_host(struct kg_error *err);
struct kg_space *kg_space_open_cuda(const char *device, struct kg_error *err);
void kg_space_close(struct kg_space *s); /* NULL is harmless */

/* The keyed hash that every implementation must agree with: the sum of kg_mix_word over the 32-bit
 * words, a last part of less than four bytes padded with zeros, plus kg_mix_word(key, ~0, bytes).
 */
uint64_t kg_space_hash_bytes(uint64_t key, const void *p, size_t bytes);

/* Guard pattern: byte i of the slot (i from the slot's start) is byte i % 4 of the low 32 bits of
 * kg_mix64(key ^ i / 4). */
static inline unsigned char kg_space_guard_byte(uint64_t mixed_word, size_t i)
{
    return (unsigned char)(mixed_word >> (8 * (i & 3)));
}

#endif
