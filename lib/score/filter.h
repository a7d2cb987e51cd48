/*
 * The group filter: which prompts and which of their trajectories go on, after the rules of single
 * rows. In this order:
 *
 *   flat        groups of two or more rewards whose sample std is below drop_flat (rewards of each
 *               trajectory's last turn, or of all turns; rows that other rules rejected count)
 *   min_group   groups with fewer trajectories left than min_group
 *   groups      no more than so many groups: first those that have per_group trajectories, then the
 *               others; among equals by the group's draw
 *   per_group   no more than so many trajectories a group
 *                 uniform      by the trajectory's draw
 *                 efficiency   those with a reward above 0 and the rest share the places in
 *                              proportion (round half to even, at least 1 each); the first by
 *                              reward / (tokens + 1e-6) descending, the rest by tokens ascending;
 *                              ties by the draw
 *
 * A trajectory is left when one of its rows is. Draws with the largest u come first, which is
 * drawing without replacement. Rows with mask 0 take no part.
 */
#ifndef KG_SCORE_FILTER_H
#define KG_SCORE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "score/order.h"
#include "score/policy.h"

enum kg_filter {
    KG_FILTER_KEPT,
    KG_FILTER_FLAT,
    KG_FILTER_MIN_GROUP,
    KG_FILTER_GROUPS,
    KG_FILTER_PER_GROUP
};

struct kg_filter_row {
    double reward;   /* NaN: none */
    uint64_t tokens; /* those left */
    bool mask, keep; /* keep: no earlier rule rejected it */
    enum kg_filter out;
};

/* The draw of a row's trajectory, or with 'group' of its group; asked only where it matters. */
typedef double kg_filter_draw(void *ctx, size_t row, bool group);

/* order: rows by trajectory. Fills rows[].out, for all rows. */
void kg_filter(const struct kg_policy *p, const struct kg_key *keys, struct kg_filter_row *rows,
               const uint32_t *order, size_t n, kg_filter_draw *draw, void *ctx);

/* Does the policy ask for any of it? */
bool kg_filter_wanted(const struct kg_policy *p);

#endif
