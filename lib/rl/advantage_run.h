/*
 * kg-advantage: returns and advantages of each record's turn, written into it (fields return,
 * advantage, group_size, n_started, kg; mask with --void-mask).
 */
#ifndef KG_RL_ADVANTAGE_RUN_H
#define KG_RL_ADVANTAGE_RUN_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/opt.h"
#include "record/loop.h"
#include "rl/named_keys.h"
#include "rl/stamps.h"
#include "score/advantage.h"
#include "score/policy.h"

/* Options that are short for a setting of the policy. Words: -1 where not given. */
struct kg_advantage_opts {
    int estimator, singleton, baseline, unscorable;
    double gamma; /* NaN: not given */
    bool std, void_mask, batch_std;
};
#define KG_ADVANTAGE_OPTS_INIT                                                                     \
    {                                                                                              \
        -1, -1, -1, -1, NAN, false, false, false                                                   \
    }

struct kg_advantage_place {
    const char *source; /* where the record came from, for messages */
    size_t line;
    uint32_t at; /* its place in rows */
    uint32_t stamp;
};

struct kg_advantage_run {
    struct kg_policy policy;
    /* the batch: what it is computed from, bad records included, whose reward is unknown */
    struct kg_key *keys;
    struct kg_adv_row *rows;
    size_t n, cap_keys, cap_rows;
    /* its rows, which are answered */
    struct kg_advantage_place *places;
    size_t n_places, cap_places;
    bool open; /* the batch has begun and is not closed */
    struct kg_stamps stamps;
    struct kg_named_keys named;       /* set by the caller */
    size_t total, unscorable, masked; /* of the run */
};

/* Applies the options and finishes the policy. */
int kg_advantage_run_init(struct kg_advantage_run *run, const struct kg_advantage_opts *o,
                          struct kg_error *err);
/* The operations of the record loop; their ctx is the run. */
struct kg_group_ops kg_advantage_run_ops(const struct kg_advantage_run *run);
/* Says once what has no advantage, and frees. */
void kg_advantage_run_end(struct kg_advantage_run *run);

#endif
