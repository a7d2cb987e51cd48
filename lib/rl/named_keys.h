/*
 * Keys that options name (--uid-key, --traj-key, --turn-key): a record may lack each, so that a
 * wrong name would go by in silence and change what belongs together. What no record had is told
 * once, at the end.
 */
#ifndef KG_RL_NAMED_KEYS_H
#define KG_RL_NAMED_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "record/loop.h"
#include "record/record.h"

struct kg_named_keys {
    const char *key[3]; /* uid, traj, turn; NULL: no option named it */
    bool seen[3];
    size_t n; /* records */
};

struct kg_named_keys kg_named_keys(const struct kg_loop_opts *o);
void kg_named_keys_note(struct kg_named_keys *k, struct kg_record *r);
void kg_named_keys_tell(const struct kg_named_keys *k);

#endif
