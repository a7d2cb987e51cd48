/*
 * The judge's answer in a record, read once for all programs of the scoring half: kg's own records
 * (a verdict in 'status', 'profile') and KernelGYM's results ('completed' or 'failed', 'metadata').
 *
 *   status       a verdict, or KernelGYM's words completed, failed, timeout, error, cancelled;
 *                pending and processing are not judged yet; nor is a record with one of
 *                KernelGYM's words that holds an object of ours (compile, verify, profile): our
 *                judge has begun with it and not come to a verdict
 *   speedup      the shared field, else profile.speedup
 *   coverage     profile.coverage, else the quotients of KernelGYM's four profiling numbers, each
 *                looked up in metadata, then in the record, under both of its spellings
 */
#ifndef KG_RL_RESULT_H
#define KG_RL_RESULT_H

#include <stdbool.h>

#include "base/verdict.h"
#include "record/record.h"
#include "score/reward.h"

struct kg_result {
    struct kg_reward_in in; /* what the reward is made of */
    bool has_verdict;       /* 'status' is a verdict of ours */
    enum kg_verdict verdict;
    bool no_status; /* no status, and no object of ours either */
    bool correct;   /* right, and no decoy */
    bool decoy;
    double speedup_hi;              /* NaN: not known */
    const struct kg_value *profile; /* NULL: none; in the record's arena */
};

/* -1: a field has a wrong type; the record has the fault. */
int kg_result_read(struct kg_record *r, struct kg_result *out);

/* The verdict; of a KernelGYM result the one that it comes nearest to. */
enum kg_verdict kg_result_verdict(struct kg_record *r, const struct kg_result *res);

/* Makes numbers that cannot be unknown: a speedup that is not finite and above 0, a coverage
 * outside of [0, 1]. Read results of kg's own have it behind them. */
void kg_result_check_ranges(struct kg_result *out);

#endif
