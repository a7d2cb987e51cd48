/*
 * Which rows belong together: keys of rows and the order that brings groups side by side.
 */
#ifndef KG_SCORE_ORDER_H
#define KG_SCORE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* uid and traj are identities (an interned pointer or a number): equal values, equal things. */
struct kg_key {
    uint64_t uid, traj;
    int64_t turn;
};

enum kg_order {
    KG_ORDER_TRAJ, /* by uid, traj, turn: trajectories side by side, in turn order */
    KG_ORDER_TURN, /* by uid, turn, traj: groups of (uid, turn) side by side */
};

/*
 * order[0..n): the row numbers in that order; rows with equal keys in the order of input. Linear
 * when the rows are in order already. n < 2^32.
 */
void kg_order_rows(const struct kg_key *keys, size_t n, enum kg_order by, uint32_t *order);

static inline bool kg_key_same_traj(const struct kg_key *a, const struct kg_key *b)
{
    return a->uid == b->uid && a->traj == b->traj;
}

/* The end of the run of rows in 'order' that share 'from's uid (and its traj or turn). */
size_t kg_order_uid_end(const struct kg_key *keys, const uint32_t *order, size_t n, size_t from);
size_t kg_order_traj_end(const struct kg_key *keys, const uint32_t *order, size_t n, size_t from);
size_t kg_order_turn_end(const struct kg_key *keys, const uint32_t *order, size_t n, size_t from);

#endif
