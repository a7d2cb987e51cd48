/*
 * A policy: every number and choice of the scoring programs (kg-reward, kg-advantage, kg-sample,
 * kg-report), with defaults, read from a document tree and overridden by name.
 *
 * One table (policy.c) holds name, type, range and default of every setting; reading, -D, error
 * messages and the hash are made from it. kg-policy(5) says what each means; formulas are in the
 * headers that use them.
 *
 * Must not enter here: files and YAML (rl/policy_load.h reads them).
 *
 *     kg_policy_init(&p);                         the paper's recipe, Eq. 8 with weights 1, 1, 1
 *     kg_policy_apply(&p, tree, "x.yaml", &err);  errors: 'x.yaml:7:3: unknown key ...'
 *     kg_policy_set(&p, "advantage.gamma", "0.5", &err);
 *     kg_policy_finish(&p, &err);                 checks what spans settings, computes the hash
 */
#ifndef KG_SCORE_POLICY_H
#define KG_SCORE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/value.h"

enum kg_reward_function { KG_REWARD_SPEEDUP, KG_REWARD_WEIGHTED, KG_REWARD_LIKE_KERNEL };
enum kg_reward_bound { KG_BOUND_MEDIAN, KG_BOUND_LOWER };
enum kg_reward_missing { KG_MISSING_UNSCORABLE, KG_MISSING_ZERO };
enum kg_coverage_key { KG_COVERAGE_TIME, KG_COVERAGE_COUNT, KG_COVERAGE_REPLACED, KG_COVERAGE_MIN };

enum kg_estimator {
    KG_EST_TRLOO,
    KG_EST_GRPO,
    KG_EST_RLOO,
    KG_EST_REINFORCE,
    KG_EST_ERLOO,
    KG_EST_ERLOO_NORM,
    KG_EST_TURN_GRPO
};
enum kg_singleton { KG_SINGLETON_RETURN, KG_SINGLETON_ZERO, KG_SINGLETON_OTHERS };
enum kg_baseline { KG_BASELINE_ALL, KG_BASELINE_KEPT };
enum kg_unscorable { KG_UNSCORABLE_SKIP, KG_UNSCORABLE_ERROR };

enum kg_level {
    KG_LEVEL_NONE,
    KG_LEVEL_TOKEN,
    KG_LEVEL_TURN,
    KG_LEVEL_TURN_GEO,
    KG_LEVEL_SEQUENCE,
    KG_LEVEL_GEOMETRIC
};
enum kg_unit { KG_UNIT_TURN, KG_UNIT_ROLLOUT };
enum kg_prs_mode { KG_PRS_NONE, KG_PRS_TURN, KG_PRS_GEOMETRIC };
enum kg_flat_on { KG_FLAT_LAST, KG_FLAT_ALL };
enum kg_thin { KG_THIN_UNIFORM, KG_THIN_EFFICIENCY };
enum kg_hack_feedback { KG_HACK_GENERIC, KG_HACK_NAMED };

/* NULL-terminated words of the enums above, in their order: for option tables (KG_OPT_WORD). */
extern const char *const kg_policy_estimators[];
extern const char *const kg_policy_singletons[];
extern const char *const kg_policy_baselines[];
extern const char *const kg_policy_unscorables[];
extern const char *const kg_policy_is_levels[]; /* of enum kg_level: as kg_policy_rs_levels */
extern const char *const kg_policy_rs_levels[];
extern const char *const kg_policy_units[];
extern const char *const kg_policy_prs_modes[];
extern const char *const kg_policy_coverage_keys[];
extern const char *const kg_policy_flat_ons[];
extern const char *const kg_policy_thins[];
extern const char *const kg_policy_missings[];
extern const char *const kg_policy_hacks[];

/* A word setting is an int that holds one of the enums. Unset numbers are NaN where said so. */
struct kg_policy {
    char name[64]; /* of the file, or what its 'name' says */

    struct {
        int function;                        /* enum kg_reward_function */
        double correct, speedup, coverage;   /* weights of the three terms; coverage 0: off */
        double failure;                      /* reward of class wrong, crash, hack, suspect */
        double speedup_upper, speedup_lower; /* clip: above upper: upper; below lower: 0 */
        double speedup_offset;               /* taken off the clipped speedup, not below 0 */
        double speedup_eps;                  /* weighted: the term is 1 from 1 + eps on */
        int speedup_bound;                   /* enum kg_reward_bound: speedup or speedup_lo */
        bool gate;                           /* the speedup term only for correct results */
        int missing;                         /* enum kg_reward_missing: a number that is needed */
        bool allow_emulated;                 /* times of the host device count */
        double failed, compile_fail, incorrect, degraded; /* like-kernel: the lower steps */
    } reward;

    struct {
        int key;       /* enum kg_coverage_key: what the reward term uses */
        int64_t round; /* decimals; -1: not rounded */
    } coverage;

    struct {
        int estimator; /* enum kg_estimator */
        double gamma;
        bool std;         /* grpo: divide by the group's sample std + std_eps */
        double std_eps;   /* 1e-6 */
        double std_floor; /* erloo-norm: a std below it counts as 1; 0 as the reference has it */
        int singleton;    /* enum kg_singleton */
        int baseline;     /* enum kg_baseline */
        int unscorable;   /* enum kg_unscorable */
        bool void_mask;
        bool batch_std;
    } advantage;

    struct {
        int is;          /* enum kg_level: none, token, turn, sequence */
        double is_upper; /* truncation of importance weights */
        int rs;          /* enum kg_level */
        double lower;    /* NaN: 1/upper */
        double upper;
        double veto;      /* ratio of a token; 0: off */
        int veto_unit;    /* enum kg_unit */
        bool count_empty; /* batch metrics count rows without a token, as released */
    } mismatch;

    struct {
        int mode;          /* enum kg_prs_mode */
        int key;           /* enum kg_coverage_key */
        double threshold;  /* tau */
        double ramp;       /* s; 0: a step */
        double speedup;    /* a speedup from which a turn is kept; NaN: off */
        int64_t round;     /* decimals of the coverage before the rule; -1: not rounded */
        bool count_failed; /* geometric: failed turns count as coverage 0, as released */
    } prs;

    struct {
        double drop_flat;  /* groups whose rewards have a sample std below it go; 0: off */
        int flat_on;       /* enum kg_flat_on: rewards of each trajectory's last turn, or of all */
        int64_t min_group; /* smaller groups go; 0: off */
        int64_t groups;    /* at most so many groups; 0: all */
        int64_t per_group; /* at most so many trajectories a group; 0: all */
        int by;            /* enum kg_thin */
    } group;

    struct {
        bool on;
        double drift;   /* |mean log pi_train - mean log pi_rollout| < drift */
        double extreme; /* min (log pi - log pi of the top token) > extreme */
    } gates;

    struct {
        int hack;        /* enum kg_hack_feedback */
        int64_t kernels; /* longest kernels named; at most 8 */
        int64_t errors;  /* compiler errors quoted */
        int64_t max_chars;
    } feedback;

    char sha[65]; /* hex SHA-256 of all settings, set by kg_policy_finish */
};

void kg_policy_init(struct kg_policy *p);

/* Sets what the tree sets. source: the file's name, for messages. */
int kg_policy_apply(struct kg_policy *p, const struct kg_value *tree, const char *source,
                    struct kg_error *err);

/* One setting by its dotted name; 'value' is spelled as in the file ("null" for an unset number).
 */
int kg_policy_set(struct kg_policy *p, const char *name, const char *value, struct kg_error *err);

/* "advantage.gamma=0.5", as -D has it. */
int kg_policy_define(struct kg_policy *p, const char *definition, struct kg_error *err);

int kg_policy_finish(struct kg_policy *p, struct kg_error *err);

/* All settings, one "name: value" a line, in a fixed order: what the hash is made of. */
void kg_policy_print(const struct kg_policy *p, struct kg_buf *out);

#endif
