/*
 * Metrics over judged results: fast@p, rates, speedups and coverages of a set, per
 * turn, of the best turn so far, of the last turn; pass@k; what rejection sampling took away.
 *
 * fast@p over all is the paper's: the share of all results of the set that are right and at least
 * (strict: more than) p times as fast as the reference. An unknown speedup of a right result is not
 * fast, and takes no part in means of speedups.
 *
 * Averages: by sample, every result weighs the same; by task, the mean over tasks of the mean
 * inside each task. Least, largest, quartiles and counts are always over results.
 *
 * Results that are not the candidate's (class ours, task) must not be handed in.
 */
#ifndef KG_SCORE_METRICS_H
#define KG_SCORE_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KG_METRICS_THRESHOLDS 16 /* at most so many p */

struct kg_metrics_row {
    uint32_t task, sample; /* counted from 0, each by itself */
    int64_t turn;          /* from 1 */
    bool correct, compiled;
    double speedup;                       /* NaN: not known */
    double time_coverage, count_coverage; /* NaN: not known */
};

struct kg_metrics_opts {
    double p[KG_METRICS_THRESHOLDS];
    size_t n_p;
    bool strict;  /* speedup > p, as KernelBench has it */
    bool by_task; /* averages */
};

struct kg_spread { /* n 0: the rest is NaN */
    size_t n;
    double mean, least, most, geomean; /* geomean: of those above 0, NaN when there is none */
    double quarter[4]; /* means of the four quarters, the largest values first; an empty one: 0 */
};

struct kg_summary {
    size_t n, correct, compiled;
    double correct_rate, compiled_rate;    /* NaN when n is 0 */
    struct kg_spread speedup, speedup_all; /* of right results; of all, those not right as 0 */
    double fast[KG_METRICS_THRESHOLDS], fast_all[KG_METRICS_THRESHOLDS];
    struct kg_spread time_coverage, time_coverage_all, count_coverage, count_coverage_all;
};

void kg_metrics_summary(const struct kg_metrics_row *rows, size_t n,
                        const struct kg_metrics_opts *o, struct kg_summary *out);

/* fast@p over all for each of n_p values of p (as many as one likes). */
void kg_metrics_fast(const struct kg_metrics_row *rows, size_t n, const struct kg_metrics_opts *o,
                     const double *p, size_t n_p, double *out);

/* Sorts by sample and turn, as kg_metrics_pick() wants them. */
void kg_metrics_sort(struct kg_metrics_row *rows, size_t n);

/* One row a sample: its first, last or best turn (right beats wrong, then the larger speedup).
 * Returns how many; out has room for n. */
enum kg_metrics_pick { KG_PICK_FIRST, KG_PICK_LAST, KG_PICK_BEST };
size_t kg_metrics_pick(const struct kg_metrics_row *rows, size_t n, enum kg_metrics_pick which,
                       struct kg_metrics_row *out);

struct kg_improvement {
    double first_rate, last_rate; /* share right in each sample's first and last turn */
    size_t improved, regressed;
};

struct kg_turns {
    size_t n_turns, n_samples; /* n_turns: the highest turn */
    struct kg_summary *turn;   /* [n_turns], results of that turn */
    struct kg_summary *best;   /* [n_turns], each sample's best right turn up to it */
    struct kg_summary final;   /* each sample's last turn */
    struct kg_improvement improvement;
};

/*
 * rows are sorted here by sample and turn. Turns above 'max_turn' count in 'final' only (a turn
 * number of 10^9 must not allocate as much). Release what it made.
 */
void kg_metrics_turns(struct kg_metrics_row *rows, size_t n, size_t max_turn,
                      const struct kg_metrics_opts *o, struct kg_turns *out);
void kg_metrics_turns_release(struct kg_turns *t);

/* The unbiased estimate 1 - C(n - c, k) / C(n, k); NaN when n < k. */
double kg_metrics_pass_at_k(size_t n, size_t c, size_t k);

/*
 * Mean over tasks that have at least k samples; *tasks: how many. A sample passes when its last
 * turn is right (best: when some turn is). rows are sorted here.
 */
double kg_metrics_pass(struct kg_metrics_row *rows, size_t n, size_t k, bool best, size_t *tasks);

/* What was rejected, against what was kept. */
struct kg_quality {
    struct kg_summary rejected, kept;
    double rate, correct_rate, incorrect_rate; /* share rejected: of all, of right, of wrong ones */
    double fast_rate[KG_METRICS_THRESHOLDS];   /* of those that are right and so fast */
};

/* rejected[i] belongs to rows[i] */
void kg_metrics_quality(const struct kg_metrics_row *rows, const bool *rejected, size_t n,
                        const struct kg_metrics_opts *o, struct kg_quality *out);

#endif
