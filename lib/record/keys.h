/*
 * Where records belong: uid, trajectory and turn, interned and told apart. Spelling: a string "7"
 * is "s7", an integer 7 (or 7.0) is "i7". Internal to lib/record.
 */
#ifndef KG_RECORD_KEYS_H
#define KG_RECORD_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/loop.h"
#include "record/record.h"

struct kg_keys;

struct kg_keys *kg_keys_new(const struct kg_loop_opts *o);
void kg_keys_free(struct kg_keys *k);

/* The key of a record, but its traj where the record gives none (kg_keys_add finds it). False: the
 * record has a fault now. */
bool kg_keys_read(struct kg_keys *k, struct kg_record *r, struct kg_row_key *key);

/* Completes the key and enters it; false: the record has a fault now (it stands there twice). */
bool kg_keys_add(struct kg_keys *k, struct kg_record *r, struct kg_row_key *key);

/* A batch was answered: forgets its keys, which dies with it. 'closed': its uids must not return.
 */
void kg_keys_reset(struct kg_keys *k, bool closed);
/* false: the uid came in an earlier batch, and the record has a fault now */
bool kg_keys_is_open(struct kg_keys *k, struct kg_record *r, const struct kg_row_key *key);

/* All groups of the run had one trajectory; *groups: their number. */
bool kg_keys_all_single(const struct kg_keys *k, size_t *groups);

#endif
