/*
 * kg-reward: the reward of each record, written into it (fields reward, reward_terms, feedback,
 * kg).
 */
#ifndef KG_RL_REWARD_RECORD_H
#define KG_RL_REWARD_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "record/record.h"
#include "rl/feedback_record.h"
#include "score/policy.h"
#include "score/reward.h"

struct kg_reward_run {
    struct kg_policy policy; /* finished */
    bool feedback;
    struct kg_feedback_set templates; /* loaded when feedback is on */
    size_t n, unscored[KG_UNSCORED_COUNT];
    struct kg_buf text;  /* of one record, used again */
    struct kg_buf stamp; /* the 'kg' object of records that have none */
};

/* A kg_map_fn (record/loop.h); ctx is a struct kg_reward_run. */
int kg_reward_run_map(void *ctx, struct kg_record *r);

/* One warning about records without a reward, by reason; a note about those not the candidate's
 * fault. */
void kg_reward_run_end(struct kg_reward_run *run);

#endif
