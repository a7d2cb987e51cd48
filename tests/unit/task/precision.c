/*
 * The tolerance against what kernels really do: float32 arithmetic in any sensible order stays far
 * below it, and lower formats fail and are told.
 */
#include "tap.h"
#include "tree.h"

#include "task/compare.h"
#include "task/gen.h"

enum low { FULL, TF32, FP16, BF16 };

/* A float rounded to a lower format: ten bits of fraction for TF32 (with float's exponents). */
static float lower(float x, enum low how)
{
    if (how == FP16)
        return (float)kg_half_to_double(kg_half_from_double(x));
    if (how == BF16)
        return (float)kg_bf16_to_double(kg_bf16_from_double(x));
    if (how == TF32) {
        uint32_t u;
        memcpy(&u, &x, 4);
        u = (u + 0xFFF + (u >> 13 & 1)) & ~0x1FFFu;
        memcpy(&x, &u, 4);
    }
    return x;
}

static struct kg_task *task_with(const char *shape, size_t rows, size_t cols, size_t k)
{
    char text[1024];
    struct kg_error err = KG_ERROR_INIT;
    snprintf(text, sizeof text,
             "{'task_id': 't', 'axes': {'r': %zu, 'c': %zu, 'k': %zu}, 'reference': '{}',"
             "'reduction': 'k', 'args': [{'name': 'x', 'dtype': 'float32', 'shape': ['r', 'k']},"
             "{'name': 'w', 'dtype': 'float32', 'shape': ['k', 'c']},"
             "{'name': 'y', 'dtype': 'float32', 'shape': %s, 'role': 'out'}]}",
             rows, cols, k, shape);
    struct kg_task *t = task_of(text, &err);
    if (!t) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return t;
}

struct run {
    struct kg_task *t;
    struct kg_instance in;
    float *x, *w, *got;
    double *want;
};

static struct run start(const char *shape, size_t rows, size_t cols, size_t k)
{
    struct run r = {.t = task_with(shape, rows, cols, k)};
    struct kg_content c = {.seed = 31, .call = 1, .patch_element = -1};
    kg_instance_init(&r.in, r.t, &r.t->timed, NULL);
    r.x = malloc(r.in.args[0].bytes);
    r.w = malloc(r.in.args[1].bytes);
    r.got = malloc(r.in.args[2].bytes);
    r.want = malloc(r.in.args[2].count * sizeof *r.want);
    kg_gen_fill(&r.in, 0, &c, r.x);
    kg_gen_fill(&r.in, 1, &c, r.w);
    return r;
}

static void finish(struct run *r)
{
    kg_task_free(r->t);
    free(r->x);
    free(r->w);
    free(r->got);
    free(r->want);
}

static struct kg_cmp_stats judge(struct run *r)
{
    struct kg_cmp_stats s;
    struct kg_tolerance tol = kg_tolerance_of(&r->in, 2);
    kg_compare(&r->in, 2, &tol, r->got, NULL, r->want, -1, 1, r->in.args[2].count, &s);
    return s;
}

/* Full precision is far below the bound; a lower format fails and is named. */
static void decide(struct run *r, enum low how, const char *what)
{
    struct kg_cmp_stats s = judge(r);
    printf("# %s, format %d: %.3f of an element's bound, rel_l2 %.3g of %.3g, %.1f %% bad\n", what,
           how, s.worst_ratio, s.rel_l2, s.rel_l2_limit, 100.0 * (double)s.bad / (double)s.count);
    if (how == FULL) {
        OK(kg_cmp_ok(&s));
        OK(s.worst_ratio < 0.25 && s.rel_l2 < 0.25 * s.rel_l2_limit);
        struct kg_tolerance b = kg_tolerance_baseline(&r->in, 2);
        kg_compare(&r->in, 2, &b, r->got, NULL, r->want, -1, 1, r->in.args[2].count, &s);
        OK(kg_cmp_ok(&s)); /* good enough for a baseline, too */
    } else {
        OK(!kg_cmp_ok(&s));
        EQ_INT(kg_cmp_downgrade(&s, 1), KG_PRECISION_DOWNGRADE);
    }
}

static void matmul(enum low how, bool low_sum)
{
    enum { M = 24, N = 40, K = 4096 };
    struct run r = start("['r', 'c']", M, N, K);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            float sum = 0;
            double truth = 0;
            for (size_t k = 0; k < K; k++) {
                float x = r.x[i * K + k], w = r.w[k * N + j];
                truth += (double)x * w;
                sum += low_sum ? x * w : lower(x, how) * lower(w, how);
                if (low_sum)
                    sum = lower(sum, how);
            }
            r.got[i * N + j] = sum;
            r.want[i * N + j] = truth;
        }
    if (low_sum) { /* so lossy that no format's band need hold it: it must only fail */
        struct kg_cmp_stats s = judge(&r);
        OK(!kg_cmp_ok(&s));
    } else {
        decide(&r, how, "matmul K = 4096");
    }
    finish(&r);
}

static void softmax(enum low how)
{
    enum { ROWS = 20, K = 8192 };
    struct run r = start("['r', 'k']", ROWS, 1, K);
    for (size_t i = 0; i < ROWS; i++) {
        const float *x = r.x + i * K;
        float top = -INFINITY, sum = 0;
        double truth = 0;
        for (size_t k = 0; k < K; k++)
            top = fmaxf(top, x[k]);
        for (size_t k = 0; k < K; k++) {
            sum += r.got[i * K + k] = expf(lower(lower(x[k], how) - lower(top, how), how));
            truth += r.want[i * K + k] = exp((double)x[k] - top);
        }
        for (size_t k = 0; k < K; k++) {
            r.got[i * K + k] = lower(r.got[i * K + k] / sum, how);
            r.want[i * K + k] /= truth;
        }
    }
    decide(&r, how, "softmax of 8192");
    finish(&r);
}

static void logsumexp(enum low how)
{
    enum { ROWS = 64, K = 4096 };
    struct run r = start("['r', 1]", ROWS, 1, K);
    for (size_t i = 0; i < ROWS; i++) {
        float sum = 0;
        double truth = 0;
        for (size_t k = 0; k < K; k++) {
            sum += expf(lower(r.x[i * K + k], how));
            truth += exp(r.x[i * K + k]);
        }
        r.got[i] = lower(logf(sum), how);
        r.want[i] = log(truth);
    }
    decide(&r, how, "logsumexp of 4096");
    finish(&r);
}

int main(void)
{
    for (enum low how = FULL; how <= BF16; how++) {
        matmul(how, false);
        softmax(how);
        logsumexp(how);
    }
    matmul(BF16, true);
    matmul(FP16, true);
    return tap_done();
}
