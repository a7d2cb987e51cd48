#include "task/compare.h"
#include "task/compare_core.h"
#include "task/gen.h"

#include <math.h>
#include <string.h>

static double eps_of_precision(int p)
{
    switch (p) {
    case KG_PREC_TF32:
    case KG_PREC_FLOAT16:
        return 0x1p-10;
    case KG_PREC_BFLOAT16:
        return 0x1p-7;
    default:
        return 0;
    }
}

static bool has_float64_output(const struct kg_task *t)
{
    for (size_t i = 0; i < t->n_args; i++)
        if (t->args[i].role != KG_ROLE_IN && t->args[i].dtype == KG_FLOAT64)
            return true;
    return false;
}

struct kg_tolerance kg_tolerance_of(const struct kg_instance *in, size_t arg)
{
    const struct kg_task *t = in->task;
    enum kg_dtype type = t->args[arg].dtype;
    struct kg_tolerance tol = {0};
    if (!kg_dtype_is_float(type)) {
        tol.exact = true;
        return tol;
    }
    if (!t->tolerance_auto) {
        tol.fixed = true;
        tol.rtol = t->rtol;
        tol.atol_factor = t->atol;
        return tol;
    }
    double acc = kg_dtype_eps(has_float64_output(t) ? KG_FLOAT64 : KG_FLOAT32);
    double low = 4 * eps_of_precision(t->precision);
    tol.rtol = 2 * kg_dtype_eps(type) + 64 * acc + low;
    tol.atol_factor = 16 * acc * sqrt((double)in->reduction) + low;
    tol.step = kg_dtype_subnormal(type);
    return tol;
}

struct kg_tolerance kg_tolerance_baseline(const struct kg_instance *in, size_t arg)
{
    struct kg_tolerance tol = kg_tolerance_of(in, arg);
    double eps = kg_dtype_eps(in->task->args[arg].dtype);
    if (tol.exact)
        return tol;
    tol.rtol = eps + (tol.rtol > eps ? tol.rtol - eps : 0) / 4;
    tol.atol_factor /= 4;
    tol.step = kg_dtype_subnormal(in->task->args[arg].dtype);
    return tol;
}

/* ---- the pass over the elements ---------------------------------------------------------- */

#define BLOCK 256 /* elements converted at a time */

struct pass {
    enum kg_dtype type;
    const struct kg_tolerance *tol;
    const void *got, *want;
    const double *want64;
    uint64_t poison_key;
    double overflow;
    struct kg_cmp_stats *s;
};

static double want_at(const struct pass *p, size_t i)
{
    return p->want64 ? p->want64[i] : kg_dtype_get(p->type, p->want, i);
}

/* The wants from 'begin' on, at most BLOCK of them, as doubles: in place or in 'room'. */
static const double *wants(const struct pass *p, size_t begin, size_t n, double room[BLOCK])
{
    if (p->want64)
        return p->want64 + begin;
    kg_dtype_load(p->type, p->want, begin, n, room);
    return room;
}

static double sum_sq(const struct pass *p, size_t begin, size_t end)
{
    double room[BLOCK], sum = 0;
    for (size_t n; begin < end; begin += n) {
        n = end - begin < BLOCK ? end - begin : BLOCK;
        const double *w = wants(p, begin, n, room);
        for (size_t i = 0; i < n; i++)
            if (kg_cmp_is_finite(w[i]))
                sum += w[i] * w[i];
    }
    return sum;
}

static void note(struct pass *p, size_t i, int flags, double got, double want, double ratio)
{
    struct kg_cmp_stats *s = p->s;
    if (flags & KG_CMP_BAD) {
        s->bad++;
        s->nonfinite += (flags & KG_CMP_NONFINITE) != 0;
        s->unwritten += kg_poison_is(p->type, p->poison_key, p->got, i) != 0;
    }
    if (flags & KG_CMP_FINITE) {
        double err = fabs(got - want), rel = err > 0 ? err / fabs(want) : 0;
        s->sum_sq_err += err * err;
        s->sum_sq_want += want * want;
        s->max_abs = err > s->max_abs ? err : s->max_abs;
        if (want != 0 && rel > s->max_rel)
            s->max_rel = rel;
    }
    if (ratio > s->worst_ratio || i == 0) {
        s->worst_ratio = ratio;
        s->worst = i;
        s->worst_got = got;
        s->worst_want = want;
    }
}

static void compare_one(struct pass *p, size_t i, double got, double want, double atol)
{
    double bound = kg_cmp_bound(want, p->tol->rtol, atol), ratio = 0;
    int flags = kg_cmp_element(got, want, bound, p->overflow);
    if (kg_cmp_is_nan(got))
        flags = kg_cmp_written(flags, kg_poison_is(p->type, p->poison_key, p->got, i));
    if (flags & KG_CMP_FINITE && got != want)
        ratio = bound > 0 ? fabs(got - want) / bound : INFINITY;
    else if (flags & KG_CMP_BAD)
        ratio = INFINITY;
    note(p, i, flags, got, want, ratio);
}

/*
 * Nearly all elements of nearly all calls are finite, right and not the worst so far: they only add
 * to the sums. What is anything else goes the long way.
 */
static void compare_row(struct pass *p, size_t begin, size_t end, double scale)
{
    double got_room[BLOCK], want_room[BLOCK], rtol = p->tol->rtol;
    double atol =
        (p->tol->fixed ? p->tol->atol_factor : p->tol->atol_factor * scale) + p->tol->step;
    struct kg_cmp_stats *s = p->s;
    for (size_t n; begin < end; begin += n) {
        n = end - begin < BLOCK ? end - begin : BLOCK;
        const double *want = wants(p, begin, n, want_room);
        kg_dtype_load(p->type, p->got, begin, n, got_room);
        for (size_t i = 0; i < n; i++) {
            double w = want[i], err = fabs(got_room[i] - w), size = fabs(w);
            double bound = rtol * size + atol;
            if (err <= bound && err <= s->worst_ratio * bound && err <= s->max_rel * size &&
                err <= s->max_abs && bound < INFINITY && begin + i > 0) {
                s->sum_sq_err += err * err;
                s->sum_sq_want += w * w;
            } else {
                compare_one(p, begin + i, got_room[i], w, atol);
            }
        }
    }
}

/* Integers and bool by their bytes: doubles lose the low bits of int64. */
static void compare_exact(struct pass *p, size_t n)
{
    size_t size = kg_dtype_size(p->type);
    if (n && p->want && !memcmp(p->got, p->want, n * size))
        n = 1; /* all are right: the first stands for the figures */
    for (size_t i = 0; i < n; i++) {
        double got = kg_dtype_get(p->type, p->got, i), want = want_at(p, i);
        bool bad = p->want ? memcmp((const char *)p->got + i * size,
                                    (const char *)p->want + i * size, size) != 0
                           : got != want;
        double err = fabs(got - want);
        int flags = (bad ? KG_CMP_BAD : KG_CMP_OK) | KG_CMP_FINITE;
        note(p, i, flags, got, want, bad ? (err > 1 ? err : 1) : 0);
    }
}

/* Root of the mean square of the wants [begin, end). Where squares overflow, of scaled ones: an
 * infinite scale would let everything pass. */
static double rms(const struct pass *p, size_t begin, size_t end)
{
    double sum = sum_sq(p, begin, end), top = 0, n = (double)(end - begin);
    if (begin == end || kg_cmp_is_finite(sum))
        return begin == end ? 0 : sqrt(sum / n);
    for (size_t i = begin; i < end; i++) {
        double w = fabs(want_at(p, i));
        if (kg_cmp_is_finite(w) && w > top)
            top = w;
    }
    sum = 0;
    for (size_t i = begin; i < end; i++) {
        double w = want_at(p, i) / top;
        if (kg_cmp_is_finite(w))
            sum += w * w;
    }
    return top * sqrt(sum / n);
}

static void compare_float(struct pass *p, size_t n, size_t row, double scale_rms)
{
    struct kg_cmp_stats *s = p->s;
    double whole = rms(p, 0, n);
    double scale = n >= KG_CMP_MIN_SCALE || scale_rms < 0 ? whole : scale_rms;
    for (size_t i = 0; i < n; i += row) {
        size_t end = i + row < n ? i + row : n;
        bool own = end - i >= KG_CMP_MIN_SCALE;
        compare_row(p, i, end, own ? rms(p, i, end) : scale);
    }
    kg_compare_finish(p->tol, whole, scale, s);
}

void kg_compare_start(const struct kg_instance *in, size_t arg, size_t n, struct kg_cmp_stats *out)
{
    enum kg_dtype type = in->task->args[arg].dtype;
    memset(out, 0, sizeof *out);
    out->count = n;
    out->rel_l2 = NAN;
    out->rel_l2_limit = INFINITY;
    out->eps = fmax(kg_dtype_eps(type), eps_of_precision(in->task->precision));
}

void kg_compare_finish(const struct kg_tolerance *tol, double whole, double scale,
                       struct kg_cmp_stats *s)
{
    if (s->sum_sq_want <= 0)
        return;
    s->rel_l2 = sqrt(s->sum_sq_err / s->sum_sq_want);
    /* with few elements this call's own rms may lie far below the case's scale: an error that every
     * element may have must not fail the sum, so atol is taken relative to what it is compared with
     */
    if (!tol->fixed && whole > 0)
        s->rel_l2_limit = (tol->rtol + (tol->atol_factor * scale + tol->step) / whole) / 2;
}

void kg_compare(const struct kg_instance *in, size_t arg, const struct kg_tolerance *tol,
                const void *got, const void *want, const double *want64, double scale_rms,
                uint64_t poison_key, size_t n, struct kg_cmp_stats *out)
{
    const struct kg_instance_arg *ia = &in->args[arg];
    enum kg_dtype type = in->task->args[arg].dtype;
    struct pass p = {
        type, tol, got, want64 ? NULL : want, want64, poison_key, kg_cmp_overflow(type), out};
    n = n < ia->count ? n : ia->count;
    kg_compare_start(in, arg, n, out);
    if (tol->exact)
        compare_exact(&p, n);
    else
        compare_float(&p, n, ia->row, scale_rms);
}

bool kg_cmp_ok(const struct kg_cmp_stats *s)
{
    return s->bad == 0 && !(s->rel_l2 > s->rel_l2_limit);
}

enum kg_verdict kg_cmp_verdict(enum kg_dtype t, const struct kg_cmp_stats *s)
{
    /* of short words some are the poison by chance: a byte in 256, a NaN of bfloat16 in 124 */
    bool chance = kg_dtype_size(t) <= 2;
    if (s->unwritten > (chance ? s->bad / 64 : 0))
        return KG_UNWRITTEN_OUTPUT;
    return s->nonfinite ? KG_NONFINITE : KG_INCORRECT_NUMERICAL;
}

void kg_cmp_values_aside(enum kg_dtype t, bool finite, struct kg_cmp_stats *s)
{
    size_t unwritten = s->unwritten, nonfinite = finite ? s->nonfinite : 0, chance = 0;
    if (t == KG_INT8 || t == KG_UINT8)
        chance = 4 + s->count / 64;
    else if (t == KG_INT32)
        chance = (s->count > 1024) + (s->count >> 20);
    size_t bad = unwritten > chance ? unwritten : 0;
    *s = (struct kg_cmp_stats){.count = s->count,
                               .bad = bad > nonfinite ? bad : nonfinite,
                               .unwritten = unwritten,
                               .nonfinite = nonfinite,
                               .rel_l2 = NAN,
                               .rel_l2_limit = INFINITY,
                               .eps = s->eps};
}

enum kg_verdict kg_cmp_downgrade(const struct kg_cmp_stats *failing, size_t n)
{
    static const double formats[] = {0x1p-10, 0x1p-7};
    for (int f = 0; f < 2 && n; f++) {
        size_t i = 0;
        while (i < n && formats[f] > failing[i].eps &&
               failing[i].bad >= (failing[i].count + 9) / 10 &&
               failing[i].rel_l2 >= formats[f] / 16 && failing[i].rel_l2 <= 4 * formats[f])
            i++;
        if (i == n)
            return KG_PRECISION_DOWNGRADE;
    }
    return KG_INCORRECT_NUMERICAL;
}

double kg_sum_sq(enum kg_dtype t, const void *p, const double *p64, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double x = p64 ? p64[i] : kg_dtype_get(t, p, i);
        if (kg_cmp_is_finite(x))
            sum += x * x;
    }
    return sum;
}
