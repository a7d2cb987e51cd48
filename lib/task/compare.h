/*
 * Is an answer right: tolerance auto, rows, poison, masks of non-finite values, and which lower
 * format an error looks like (tolerance auto of kg-task(5)). Pure functions over host memory; the
 * figures (struct kg_cmp_stats) may also come from a device's own kernels, which use the same text
 * for one element (compare_core.h).
 */
#ifndef KG_TASK_COMPARE_H
#define KG_TASK_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/verdict.h"
#include "task/task.h"

struct kg_tolerance {
    double rtol;
    double atol_factor; /* atol = atol_factor * scale + step */
    double step;        /* one subnormal step of the output's type */
    bool fixed;         /* --rtol --atol or the task's own: atol is atol_factor itself, no scale */
    bool exact;         /* integers, bool */
};

/* For one output of an instance; precision and reduction from the task. */
struct kg_tolerance kg_tolerance_of(const struct kg_instance *in, size_t arg);
/* The baseline's tighter bound: eps(output)|want| + step + a quarter of the rest. */
struct kg_tolerance kg_tolerance_baseline(const struct kg_instance *in, size_t arg);

struct kg_cmp_stats {
    size_t count;     /* elements compared */
    size_t bad;       /* beyond the tolerance, non-finite mismatches included */
    size_t unwritten; /* bad and still this call's poison */
    size_t nonfinite; /* NaN or infinity in got where want is finite */
    double max_abs, max_rel;
    double sum_sq_err, sum_sq_want; /* over elements finite in both: rel_l2 = sqrt(err / want) */
    double rel_l2;                  /* NaN when want is all zero */
    double rel_l2_limit;            /* what rel_l2 must not exceed; infinity: no limit */
    double worst_ratio;             /* largest |got - want| / bound */
    size_t worst;                   /* its index */
    double worst_got, worst_want;
    double eps; /* of the output's type or the task's precision, the coarser one */
};

/*
 * got and want: arrays of the argument's type and count; the truth as double when want64 is given
 * (then want is ignored). scale_rms: the rms of the wants of all calls of the case, used where rows
 * and output have fewer than 32 elements (< 0: none). n: elements to compare (count: {...}), at
 * most the argument's count.
 */
void kg_compare(const struct kg_instance *in, size_t arg, const struct kg_tolerance *tol,
                const void *got, const void *want, const double *want64, double scale_rms,
                uint64_t poison_key, size_t n, struct kg_cmp_stats *out);

/* The two ends of kg_compare, for a device that makes the pass over the elements itself: figures
 * that do not come from elements; then rel_l2 and its limit. whole: rms over the whole output;
 * scale: what outputs with short rows are scaled by. */
void kg_compare_start(const struct kg_instance *in, size_t arg, size_t n, struct kg_cmp_stats *out);
void kg_compare_finish(const struct kg_tolerance *tol, double whole, double scale,
                       struct kg_cmp_stats *s);

bool kg_cmp_ok(const struct kg_cmp_stats *s);

/* For an answer that is not unique: leaves of the figures what holds whatever was wanted. unwritten
 * counts as bad where more elements hold poison than will ever do so by chance (of bytes one in
 * 256, of 32-bit words one in 2^32; no number is a NaN, no bool above 1). finite: all that was
 * wanted is finite, so what is not is bad: few comparisons of a check refuse a NaN. */
void kg_cmp_values_aside(enum kg_dtype t, bool finite, struct kg_cmp_stats *s);

/* The verdict of one output of one call that is not ok: UNWRITTEN_OUTPUT, NONFINITE or
 * INCORRECT_NUMERICAL (8- and 16-bit types: unwritten only when more than 1/64 of the bad elements
 * hold the poison, since some do by chance). */
enum kg_verdict kg_cmp_verdict(enum kg_dtype t, const struct kg_cmp_stats *s);

/* PRECISION_DOWNGRADE or INCORRECT_NUMERICAL, from the stats of all failing cases: in each at least
 * 10 % of the elements are bad and rel_l2 lies in [F/16, 4 F] for one format F coarser than the
 * output's own (F = 2^-10, float16 and TF32; 2^-7, bfloat16). */
enum kg_verdict kg_cmp_downgrade(const struct kg_cmp_stats *failing, size_t n);

/* Sum of squares of the finite elements, for scale_rms. */
double kg_sum_sq(enum kg_dtype t, const void *p, const double *p64, size_t n);

#endif
