/*
 * The reward of one result (kg-policy(5)). Pure: reads a plain struct, touches nothing.
 *
 *   speedup      w_c C + w_s clip(s) [C] + w_v PR [C]      the paper's Eq. 8 with weights 1, 1, 1
 *   weighted     w_c C + w_s 1[s >= 1 + eps] [C] + w_v PR [C]
 *   like-kernel  a staircase in s; a step below 0 for each kind of failure
 *
 * clip(s): above 'upper': upper; then below 'lower': 0; then 'offset' is taken off, not below 0.
 * [C] is the gate; with gate off the speedup term is paid for wrong results too, as released.
 *
 * A reward that cannot be known is NaN, with the reason: the judge's fault is never the
 * candidate's.
 */
#ifndef KG_SCORE_REWARD_H
#define KG_SCORE_REWARD_H

#include <stdbool.h>

#include "score/coverage.h"
#include "score/policy.h"

enum kg_outcome {
    KG_OUTCOME_CORRECT,    /* judged, right */
    KG_OUTCOME_INCORRECT,  /* a finished KernelGYM result that is not right: the formula with C = 0
                            */
    KG_OUTCOME_WRONG,      /* class wrong or crash: earns 'failure' (like-kernel: a step) */
    KG_OUTCOME_FAILED,     /* no code, a cheat, a failed task: 'failure' (like-kernel: 'failed') */
    KG_OUTCOME_EXCLUDED,   /* class ours or task: no reward */
    KG_OUTCOME_NOT_JUDGED, /* nobody has judged it: no reward */
};

struct kg_reward_in {
    enum kg_outcome outcome;
    bool compiled;              /* like-kernel asks */
    double speedup, speedup_lo; /* NaN: not known */
    bool emulated;              /* the times are the host device's */
    struct kg_coverage coverage;
};

enum kg_unscored {
    KG_SCORED,
    KG_UNSCORED_EXCLUDED,    /* "excluded" */
    KG_UNSCORED_NOT_JUDGED,  /* "not_judged" */
    KG_UNSCORED_NO_SPEEDUP,  /* "no_speedup": unknown or not finite */
    KG_UNSCORED_NO_COVERAGE, /* "no_coverage" */
    KG_UNSCORED_EMULATED,    /* "emulated" */
    KG_UNSCORED_COUNT
};

struct kg_reward {
    double reward;                         /* NaN: none */
    double correctness, speedup, coverage; /* the terms, weighted; they sum to the reward */
    double failure;                        /* paid instead of them; NaN: they were paid */
    enum kg_unscored why;
};

struct kg_reward kg_reward_compute(const struct kg_policy *p, const struct kg_reward_in *in);

const char *kg_unscored_name(enum kg_unscored why); /* "no_speedup" ...; "scored" */

#endif
