/*
 * kg-sample: which records are trained on, written into them (field sampling).
 *
 *   sample_rules.c    which rules run: the policy's, or those that options name
 *   sample_take.c     what the rules need of a record
 *   sample_close.c    the decisions on a batch
 *   sample_emit.c     the answer
 *   sample_summary.c  the metrics of a run
 */
#ifndef KG_RL_SAMPLE_RUN_H
#define KG_RL_SAMPLE_RUN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "record/loop.h"
#include "rl/named_keys.h"
#include "rl/stamps.h"
#include "rl/token_spool.h"
#include "score/context.h"
#include "score/mismatch.h"
#include "score/mismatch_stats.h"
#include "score/policy.h"

/* ---- rules ---------------------------------------------------------------------------------- */

/* Options, beside the policy's. Words: -1, numbers: NaN, counts: -1 where not given. */
struct kg_sample_opts {
    int is, rs, veto_unit, prs, prs_key, flat_on, by, context, metric;
    double is_upper, lower, upper, veto, threshold, ramp, prs_speedup, drift, extreme, drop_flat;
    int64_t min_group, groups, per_group, window, seed;
    bool gates, mark, drop, weights, replay;
    const char *summary;
};
void kg_sample_opts_init(struct kg_sample_opts *o);

/* What runs; one rule may be left out of a batch that lacks its input. */
struct kg_sample_rules {
    bool rs, is, veto, drift, extreme, prs, filter, context;
};

/* ---- rows ----------------------------------------------------------------------------------- */

enum kg_sample_reason {
    KG_REASON_KEPT,
    KG_REASON_BAD,        /* lacks what other records have: a bad record */
    KG_REASON_MASKED,     /* mask 0 */
    KG_REASON_UNSCORABLE, /* reward or advantage null: undecided */
    KG_REASON_RS,         /* by the name of its level */
    KG_REASON_VETO,
    KG_REASON_DRIFT,
    KG_REASON_EXTREME,
    KG_REASON_NO_COVERAGE, /* PRS needs one: undecided */
    KG_REASON_PRS,
    KG_REASON_FLAT,
    KG_REASON_MIN_GROUP,
    KG_REASON_GROUPS,
    KG_REASON_PER_GROUP,
    KG_REASON_CONTEXT,
    KG_REASON_COUNT
};

#define KG_SAMPLE_MASKED     1u
#define KG_SAMPLE_UNSCORABLE 2u
#define KG_SAMPLE_CORRECT    4u
#define KG_SAMPLE_RATIO      8u   /* log-probabilities, or log_ratio */
#define KG_SAMPLE_ARRAYS     16u  /* log-probabilities of tokens */
#define KG_SAMPLE_TOKENS     32u  /* the number of tokens is known */
#define KG_SAMPLE_TOP        64u  /* top_log_probs */
#define KG_SAMPLE_RESULT     128u /* a status */
#define KG_SAMPLE_REWARD     256u
#define KG_SAMPLE_ADVANTAGE  512u /* the record has the field */
#define KG_SAMPLE_RETURN     1024u

struct kg_sample_row {
    const char *source;
    size_t line;
    uint32_t uid_len, traj_len; /* of the key's names */
    double coverage, speedup, reward, extreme;
    double u, p;  /* NaN: none */
    double log_w; /* of the unit that rejection looked at, NaN: none */
    double is_log_w;
    uint64_t spooled; /* where its tokens are */
    uint32_t length;  /* of its arrays */
    uint32_t stamp;
    uint32_t flags;
    enum kg_sample_reason reason;
    const char *needs, *rule; /* of a bad one: what it lacks, and who needs it */
};

/* What only --summary needs of a row. */
struct kg_sample_stats {
    struct kg_token_stats token;
    struct kg_weight_row is, rs;
};

struct kg_sample_summary {
    uint64_t rows, tokens, tokens_kept, reason[KG_REASON_COUNT];
    uint64_t vetoed, mismatch_rows;
    struct kg_mismatch_stats mismatch;
    struct kg_weight_stats is, rs;
    uint64_t n_p, n_coverage;
    struct kg_exactsum p, coverage;
    double coverage_min, coverage_max;
};

struct kg_sample_run {
    struct kg_policy policy;
    struct kg_sample_opts opts;
    struct kg_sample_rules rules, active; /* of the run; of the batch */
    struct kg_mismatch_bounds bounds;
    bool need_ratio, need_arrays, need_tokens, need_result, need_reward;

    struct kg_key *keys; /* the batch, one a row, as the following */
    struct kg_sample_row *rows;
    struct kg_ratio *ratios;
    struct kg_sample_stats *stats; /* with --summary */
    size_t n, cap_keys, cap_rows, cap_ratios, cap_stats;
    bool open;

    uint32_t seen; /* flags that some record of the run had */
    uint64_t not_numbers;
    struct kg_stamps stamps;
    struct kg_token_spool spool;
    struct kg_error spool_error;
    struct kg_buf text;
    struct kg_sample_summary summary;
    struct kg_named_keys named; /* set by the caller */
};

/* Applies the options and finishes the policy. */
int kg_sample_run_init(struct kg_sample_run *run, const struct kg_sample_opts *o,
                       struct kg_error *err);
struct kg_group_ops kg_sample_run_ops(const struct kg_sample_run *run);
/* Says once what is left to say, writes the summary, frees. The exit status, given the loop's. */
int kg_sample_run_end(struct kg_sample_run *run, int status);

/* --drop: drops what an earlier --mark did not keep. A kg_map_fn. */
int kg_sample_drop(void *ctx, struct kg_record *r);

/* The word for 'reason'; NULL for kept. */
const char *kg_sample_reason_name(const struct kg_sample_run *run, enum kg_sample_reason reason);
static inline bool kg_sample_undecided(enum kg_sample_reason reason)
{
    return reason == KG_REASON_UNSCORABLE || reason == KG_REASON_NO_COVERAGE;
}

/* The parts, in their files. */
void kg_sample_take(void *ctx, struct kg_record *r, const struct kg_row_key *key, size_t row);
int kg_sample_close(void *ctx, size_t n_rows, struct kg_error *err);
int kg_sample_emit(void *ctx, size_t row, struct kg_edits *e);
void kg_sample_summary_init(struct kg_sample_run *run);
void kg_sample_summary_add(struct kg_sample_run *run, const double *rs_log_w, const bool *vetoed);
int kg_sample_summary_write(struct kg_sample_run *run, struct kg_error *err);
/* tokens of a row that are left after all rules */
uint64_t kg_sample_tokens_left(const struct kg_sample_run *run, size_t row);

#endif
