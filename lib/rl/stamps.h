/*
 * The 'kg' objects of a batch: what each row's becomes. Rows share few of them, so that a row
 * remembers one by its number.
 */
#ifndef KG_RL_STAMPS_H
#define KG_RL_STAMPS_H

#include <stddef.h>
#include <stdint.h>

#include "record/loop.h"
#include "record/record.h"
#include "score/policy.h"

struct kg_stamp {
    char *old; /* the member as it stands in the line; NULL: there is none */
    size_t old_len;
    char *json;
    size_t len;
};

struct kg_stamps {
    struct kg_stamp *stamp;
    size_t n, cap;
    uint32_t *slot; /* hash table of number + 1 */
    size_t n_slots;
};

void kg_stamps_release(struct kg_stamps *s);
/* A new batch begins: forgets the numbers, now and then. */
void kg_stamps_start(struct kg_stamps *s);
/* The number of the record's object, stamped with the policy. */
uint32_t kg_stamps_take(struct kg_stamps *s, struct kg_record *r, const struct kg_policy *p);
void kg_stamps_emit(const struct kg_stamps *s, uint32_t number, struct kg_edits *e);

#endif
