/*
 * Returns of trajectories and the mask of void turns (multi-turn REINFORCE; Dr. Kernel,
 * arXiv 2602.05885, section on TRLOO).
 *
 *     G_t = R_t + gamma^(t' - t) G_t'      t' the next turn of the trajectory that is there
 *
 * A masked turn earns 0 but keeps its place: the discount still advances over it.
 */
#ifndef KG_SCORE_RETURNS_H
#define KG_SCORE_RETURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One turn of a trajectory; the turns stand in ascending order. */
struct kg_turn {
    int64_t turn;
    double reward; /* NaN: none (unscorable); infinite ones count as that too */
    bool mask;     /* false: takes no part, its reward counts as 0 */
};

/*
 * ret[0..n): the return of each turn. NaN where the turn's own reward or, for gamma > 0, a later
 * one of an unmasked turn is not finite, or where the sum overflows. On a masked turn: what the
 * turns after it are worth there (callers report 0 for it).
 */
void kg_returns(const struct kg_turn *turns, size_t n, double gamma, double *ret);

/*
 * The released recipe's void turns: mask[i] = false for a turn after the first whose reward is not
 * above 0 when an earlier one (unmasked) was, and for all turns of a trajectory that 'failed'
 * (generation ended with an error or ran out of time). A turn without a reward is not void: the
 * judge's fault is not the candidate's. mask[] of other turns is turns[i].mask.
 */
void kg_void_mask(const struct kg_turn *turns, size_t n, bool failed, bool *mask);

#endif
