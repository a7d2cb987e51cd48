/*
 * --group-size: the lines of groups that are not complete wait here, a buffer for each uid.
 * Internal to lib/record.
 */
#ifndef KG_RECORD_PENDING_H
#define KG_RECORD_PENDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "record/jsonl.h"
#include "record/loop.h"
#include "record/record.h"

struct kg_pending_line {
    size_t begin, len, no;
    const char *source;
};

struct kg_pending { /* one uid */
    uint64_t hash;
    char *uid;
    size_t uid_len;
    struct kg_buf bytes;
    struct kg_pending_line *line;
    size_t n, cap;
    char **done; /* trajectories that are done */
    size_t n_done, cap_done;
    struct kg_pending *older, *newer; /* in the order of arrival */
    struct kg_pending *same;          /* in the same bucket */
};

struct kg_pendings {
    struct kg_pending **bucket;
    size_t n_buckets, n;
    struct kg_pending *oldest, *newest;
};

/* The uid's, made when there is none. */
struct kg_pending *kg_pending_of(struct kg_pendings *all, const struct kg_row_key *key);
void kg_pending_add(struct kg_pending *p, const struct kg_record *r);
/* The record is the last of its trajectory (one without 'traj' is a trajectory of its own). */
void kg_pending_done(struct kg_pending *p, const struct kg_row_key *key);
/* Line i, padded for the parser; lives as long as p. */
struct kg_jsonl_line kg_pending_line(struct kg_pending *p, size_t i);
void kg_pending_free(struct kg_pendings *all, struct kg_pending *p);
void kg_pendings_release(struct kg_pendings *all);

#endif
