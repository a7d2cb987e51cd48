#include "tap.h"
#include "tree.h"

#include "task/compare.h"
#include "task/gen.h"

#define KEY 4242

/* A task whose one output has that type, rows x cols; 'more' are further members. */
static struct kg_task *task_with(const char *dtype, size_t rows, size_t cols, const char *more)
{
    char text[1024];
    struct kg_error err = KG_ERROR_INIT;
    snprintf(text, sizeof text,
             "{'task_id': 't', 'axes': {'r': %zu, 'c': %zu}, 'reference': '{}', 'args': ["
             "{'name': 'y', 'dtype': '%s', 'shape': ['r', 'c'], 'role': 'out'}]%s}",
             rows, cols, dtype, more);
    struct kg_task *t = task_of(text, &err);
    if (!t) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return t;
}

struct fixture {
    struct kg_task *t;
    struct kg_instance in;
    enum kg_dtype type;
    size_t n;
    double *want;
    void *got;
    double scale_rms;
    struct kg_tolerance tol;
    struct kg_cmp_stats s;
};

/* want: numbers about 1 that the type holds; got: the same. */
static struct fixture fixture(const char *dtype, size_t rows, size_t cols, const char *more)
{
    struct fixture f = {.t = task_with(dtype, rows, cols, more), .n = rows * cols, .scale_rms = -1};
    kg_instance_init(&f.in, f.t, &f.t->timed, NULL);
    f.type = f.t->args[0].dtype;
    f.tol = kg_tolerance_of(&f.in, 0);
    f.want = malloc(f.n * sizeof *f.want);
    f.got = malloc(f.n * 8);
    for (size_t i = 0; i < f.n; i++) {
        f.want[i] = f.type == KG_BOOL           ? i % 3 == 0
                    : kg_dtype_is_float(f.type) ? 0.5 + (double)(i % 64) / 64
                                                : (double)(i % 100);
        kg_dtype_set(f.type, f.got, i, f.want[i]);
    }
    return f;
}

static void drop(struct fixture *f)
{
    kg_task_free(f->t);
    free(f->want);
    free(f->got);
}

/* Integers are compared by bytes, floats with the truth in double: as the judge does it. */
static bool ok_n(struct fixture *f, size_t n)
{
    void *want = NULL;
    if (!kg_dtype_is_float(f->type)) {
        want = malloc(f->n * 8);
        for (size_t i = 0; i < f->n; i++)
            kg_dtype_set(f->type, want, i, f->want[i]);
    }
    kg_compare(&f->in, 0, &f->tol, f->got, want, want ? NULL : f->want, f->scale_rms, KEY, n,
               &f->s);
    free(want);
    return kg_cmp_ok(&f->s);
}

static bool ok(struct fixture *f)
{
    return ok_n(f, f->n);
}

static void set(struct fixture *f, size_t i, double x)
{
    kg_dtype_set(f->type, f->got, i, x);
}

/* ---- the formula ------------------------------------------------------------------------- */

static void tolerances(void)
{
    struct fixture f = fixture("float32", 3, 64, ", 'reduction': 'c'");
    NEAR(f.tol.rtol, 66 * 0x1p-23, 1e-20);
    NEAR(f.tol.atol_factor, 16 * 0x1p-23 * 8, 1e-20);
    OK(f.tol.step == 0x1p-149);
    struct kg_tolerance b = kg_tolerance_baseline(&f.in, 0);
    NEAR(b.rtol, 0x1p-23 + 65 * 0x1p-23 / 4, 1e-20);
    NEAR(b.atol_factor, f.tol.atol_factor / 4, 1e-20);
    OK(b.step == f.tol.step);
    drop(&f);
    f = fixture("float16", 3, 64, "");
    NEAR(f.tol.rtol, 2 * 0x1p-10 + 64 * 0x1p-23, 1e-18);
    NEAR(f.tol.atol_factor, 16 * 0x1p-23, 1e-20);
    drop(&f);
    f = fixture("float32", 3, 64, ", 'precision': 'tf32'");
    NEAR(f.tol.rtol, 66 * 0x1p-23 + 4 * 0x1p-10, 1e-18);
    NEAR(f.tol.atol_factor, 16 * 0x1p-23 + 4 * 0x1p-10, 1e-18);
    drop(&f);
    f = fixture("float64", 3, 64, "");
    NEAR(f.tol.rtol, 66 * 0x1p-52, 1e-28);
    drop(&f);
    f = fixture("float32", 3, 64, ", 'tolerance': {'rtol': 0.5, 'atol': 0.25}");
    OK(f.tol.fixed && f.tol.rtol == 0.5 && f.tol.atol_factor == 0.25 && f.tol.step == 0);
    set(&f, 5, f.want[5] * 1.5 + 0.25);
    OK(ok(&f));
    set(&f, 5, f.want[5] * 1.5 + 0.2501);
    OK(!ok(&f));
    drop(&f);
    f = fixture("int32", 3, 64, ", 'tolerance': {'rtol': 0.5, 'atol': 0.25}");
    OK(f.tol.exact);
    drop(&f);
}

/* The scale of a row of 32 and more is its own; of fewer, the output's; of few in all, the case's.
 */
static void scales(void)
{
    struct fixture f = fixture("float32", 2, 32, "");
    for (size_t i = 0; i < 64; i++) {
        f.want[i] = i < 32 ? 1e-6 : 1;
        set(&f, i, f.want[i]);
    }
    f.want[3] = 0;
    set(&f, 3, 1e-6 * 16 * 0x1p-23 * 0.9);
    OK(ok(&f));
    set(&f, 3, 1e-6 * 16 * 0x1p-23 * 1.1);
    OK(!ok(&f));
    drop(&f);
    f = fixture("float32", 4, 16, "");
    for (size_t i = 0; i < 64; i++) {
        f.want[i] = i < 16 ? 1e-6 : 1;
        set(&f, i, f.want[i]);
    }
    set(&f, 3, 1e-6 + 1e-6);
    OK(ok(&f)); /* 1e-6 is below 16 eps rms */
    drop(&f);
    f = fixture("float32", 1, 1, "");
    f.want[0] = 1e-9;
    set(&f, 0, 1e-7);
    f.scale_rms = 1;
    OK(ok(&f)); /* a small result among larger ones of the case */
    f.scale_rms = -1;
    OK(!ok(&f));
    drop(&f);
    f = fixture("float64", 1, 64, "");
    for (size_t i = 0; i < 64; i++) {
        f.want[i] = 1e200; /* squares overflow */
        set(&f, i, 1e200);
    }
    OK(ok(&f));
    set(&f, 63, 1.1e200);
    OK(!ok(&f));
    drop(&f);
}

static void zeros(void)
{
    struct fixture f = fixture("float32", 2, 33, "");
    for (size_t i = 0; i < f.n; i++) {
        f.want[i] = 0;
        set(&f, i, 0);
    }
    OK(ok(&f));
    OK(isnan(f.s.rel_l2));
    set(&f, 65, -0.0);
    OK(ok(&f));
    set(&f, 65, 1e-30);
    OK(!ok(&f));
    drop(&f);
}

/* Every element off by 0.9 of its bound: each passes, the whole does not. */
static void whole(void)
{
    struct fixture f = fixture("float32", 2, 512, "");
    for (size_t i = 0; i < f.n; i++)
        set(&f, i, f.want[i] * (1 + 0.9 * f.tol.rtol));
    OK(!ok(&f));
    EQ_INT(f.s.bad, 0);
    OK(f.s.rel_l2 > f.s.rel_l2_limit);
    OK(f.s.worst_ratio < 1);
    for (size_t i = 0; i < f.n; i++)
        set(&f, i, f.want[i] * (1 + 0.3 * f.tol.rtol));
    OK(ok(&f));
    drop(&f);
}

static void masks(void)
{
    struct fixture f = fixture("float16", 2, 64, "");
    f.want[1] = NAN;
    f.want[2] = INFINITY;
    f.want[3] = -INFINITY;
    f.want[4] = 1e6; /* infinity in float16 */
    for (size_t i = 1; i < 5; i++)
        set(&f, i, f.want[i]);
    OK(ok(&f));
    static const double wrong[][2] = {{1, 0},         {1, INFINITY}, {2, 65504},   {2, -INFINITY},
                                      {2, NAN},       {3, INFINITY}, {4, 65504},   {4, NAN},
                                      {4, -INFINITY}, {0, NAN},      {0, INFINITY}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        size_t i = (size_t)wrong[k][0];
        set(&f, i, wrong[k][1]);
        OK(!ok(&f));
        EQ_INT(f.s.bad, 1);
        EQ_INT(f.s.worst, i);
        bool nonfinite = i == 0 || (i == 4 && !isfinite(wrong[k][1]));
        EQ_INT(kg_cmp_verdict(f.type, &f.s), nonfinite ? KG_NONFINITE : KG_INCORRECT_NUMERICAL);
        set(&f, i, f.want[i]);
    }
    OK(ok(&f));
    drop(&f);
}

static void integers(void)
{
    struct fixture f = fixture("int64", 2, 5, "");
    int64_t *want = malloc(f.n * 8), *got = f.got;
    for (size_t i = 0; i < f.n; i++)
        want[i] = got[i] = (1ll << 60) + (int64_t)i;
    kg_compare(&f.in, 0, &f.tol, got, want, NULL, -1, KEY, f.n, &f.s);
    OK(kg_cmp_ok(&f.s));
    got[9]++; /* the same double */
    kg_compare(&f.in, 0, &f.tol, got, want, NULL, -1, KEY, f.n, &f.s);
    OK(!kg_cmp_ok(&f.s));
    EQ_INT(f.s.bad, 1);
    EQ_INT(f.s.worst, 9);
    free(want);
    drop(&f);
    f = fixture("bool", 2, 5, "");
    ((uint8_t *)f.got)[0] = 255; /* true is 1 */
    OK(!ok(&f));
    drop(&f);
}

static void unwritten(void)
{
    static const char *const all[] = {"float64", "float32", "float16", "bfloat16", "int64",
                                      "int32",   "int8",    "uint8",   "bool"};
    for (size_t t = 0; t < 9; t++) {
        struct fixture f = fixture(all[t], 33, 129, "");
        kg_poison_fill(f.type, KEY, f.got, f.n);
        for (size_t i = 0; i + 129 < f.n; i++)
            set(&f, i, f.want[i]);
        OK(!ok(&f));
        OK(f.s.unwritten > 100 && f.s.unwritten == f.s.bad);
        EQ_INT(kg_cmp_verdict(f.type, &f.s), KG_UNWRITTEN_OUTPUT);
        kg_poison_fill(f.type, KEY + 1, f.got, f.n); /* another call's */
        OK(!ok(&f));
        EQ_INT(kg_cmp_verdict(f.type, &f.s),
               kg_dtype_is_float(f.type) ? KG_NONFINITE : KG_INCORRECT_NUMERICAL);
        drop(&f);
    }
}

/* Poison is a NaN, and no answer for that: where NaN is wanted it is unwritten, and another NaN
 * right. */
static void poison_where_nan_is_wanted(void)
{
    static const char *const all[] = {"float64", "float32", "float16", "bfloat16"};
    for (size_t t = 0; t < 4; t++) {
        struct fixture f = fixture(all[t], 33, 129, "");
        for (size_t i = 0; i < f.n; i += 2)
            f.want[i] = NAN;
        for (size_t i = 0; i < f.n; i++)
            set(&f, i, f.want[i]);
        OK(ok(&f));
        void *poison = malloc(f.n * kg_dtype_size(f.type));
        size_t step = kg_dtype_size(f.type);
        kg_poison_fill(f.type, KEY, poison, f.n);
        for (size_t i = 0; i < f.n; i += 2)
            memcpy((char *)f.got + i * step, (char *)poison + i * step, step);
        OK(!ok(&f));
        EQ_INT(f.s.unwritten, (f.n + 1) / 2);
        EQ_INT(f.s.bad, f.s.unwritten);
        EQ_INT(f.s.nonfinite, 0);
        EQ_INT(kg_cmp_verdict(f.type, &f.s), KG_UNWRITTEN_OUTPUT);
        free(poison);
        drop(&f);
    }
}

/* Values set aside: what is not finite still counts, if all that was wanted is. */
static void nonfinite_values_aside(void)
{
    static const char *const all[] = {"float64", "float32", "float16", "bfloat16"};
    for (size_t t = 0; t < 4; t++) {
        struct fixture f = fixture(all[t], 33, 129, "");
        for (size_t i = 0; i < f.n; i++)
            set(&f, i, i % 100 ? f.want[f.n - 1 - i] : i % 200 ? INFINITY : NAN);
        ok(&f);
        kg_cmp_values_aside(f.type, true, &f.s);
        OK(!kg_cmp_ok(&f.s));
        EQ_INT(f.s.bad, (f.n + 99) / 100);
        EQ_INT(f.s.nonfinite, f.s.bad);
        EQ_INT(kg_cmp_verdict(f.type, &f.s), KG_NONFINITE);
        ok(&f);
        kg_cmp_values_aside(f.type, false, &f.s);
        OK(kg_cmp_ok(&f.s));
        drop(&f);
    }
}

/* Values set aside, poison counts; and what holds a few poisoned bytes by chance is not
 * accused. */
static void values_aside(void)
{
    static const char *const all[] = {"float64", "float32", "float16", "bfloat16", "int64",
                                      "int32",   "int8",    "uint8",   "bool"};
    for (size_t t = 0; t < 9; t++) {
        struct fixture f = fixture(all[t], 33, 129, "");
        size_t step = kg_dtype_size(f.type);
        bool byte = f.type == KG_INT8 || f.type == KG_UINT8;
        for (size_t i = 0; i < f.n; i++)
            set(&f, i, f.want[f.n - 1 - i]);
        ok(&f);
        OK(f.s.bad > f.n / 4);
        kg_cmp_values_aside(f.type, true, &f.s);
        OK(kg_cmp_ok(&f.s));
        EQ_INT(f.s.count, f.n);
        OK(isnan(f.s.rel_l2) && f.s.max_abs == 0 && f.s.nonfinite == 0);

        char *all_poison = malloc(f.n * step);
        kg_poison_fill(f.type, KEY, all_poison, f.n);
        memcpy((char *)f.got + (f.n - 2) * step, all_poison + (f.n - 2) * step, 2 * step);
        ok(&f);
        kg_cmp_values_aside(f.type, true, &f.s);
        EQ_INT(kg_cmp_ok(&f.s), byte);
        if (!byte)
            EQ_INT(kg_cmp_verdict(f.type, &f.s), KG_UNWRITTEN_OUTPUT);

        memcpy((char *)f.got + (f.n - 129) * step, all_poison + (f.n - 129) * step, 129 * step);
        ok(&f);
        kg_cmp_values_aside(f.type, true, &f.s);
        EQ_INT(kg_cmp_verdict(f.type, &f.s), KG_UNWRITTEN_OUTPUT);
        OK(!kg_cmp_ok(&f.s) && f.s.bad == f.s.unwritten);
        free(all_poison);
        drop(&f);
    }
    struct kg_cmp_stats one = {.count = 1 << 24, .bad = 9, .unwritten = 1};
    kg_cmp_values_aside(KG_INT32, true, &one);
    OK(kg_cmp_ok(&one));
    one = (struct kg_cmp_stats){.count = 1000, .bad = 9, .unwritten = 1};
    kg_cmp_values_aside(KG_INT32, true, &one);
    OK(!kg_cmp_ok(&one));
}

/* ---- one wrong last element -------------------------------------------------------------- */

static void last_element(void)
{
    static const char *const all[] = {"float64", "float32", "float16", "bfloat16", "int64",
                                      "int32",   "int8",    "uint8",   "bool"};
    static const size_t shapes[][2] = {{1, 1}, {1, 2}, {7, 33}, {5, 100}, {1, 4096}, {4096, 1}};
    for (size_t t = 0; t < 9; t++)
        for (size_t k = 0; k < 6; k++) {
            struct fixture f = fixture(all[t], shapes[k][0], shapes[k][1], ", 'reduction': 'c'");
            OK(ok(&f));
            EQ_INT(f.s.bad + f.s.nonfinite + f.s.unwritten, 0);
            OK(f.s.worst == 0 && f.s.worst_want == f.want[0] && f.s.worst_got == f.want[0]);
            double w = f.want[f.n - 1];
            double off = f.type == KG_BOOL ? !w : kg_dtype_is_float(f.type) ? w * 1.05 : w + 1;
            set(&f, f.n - 1, off);
            OK(!ok(&f));
            EQ_INT(f.s.bad, 1);
            EQ_INT(f.s.worst, f.n - 1);
            OK(f.s.worst_want == w && f.s.worst_got == kg_dtype_round(f.type, off));
            OK(ok_n(&f, f.n - 1)); /* count: {...} leaves it out */
            drop(&f);
        }
}

/* ---- lower formats ----------------------------------------------------------------------- */

static void downgrade(void)
{
    struct fixture f = fixture("float32", 8, 512, "");
    struct kg_cmp_stats s[2];
    for (size_t i = 0; i < f.n; i++) {
        f.want[i] = 0.3 + (double)(i * 7919 % 4099) / 1000;
        set(&f, i, kg_half_to_double(kg_half_from_double(f.want[i])));
    }
    OK(!ok(&f));
    s[0] = f.s;
    for (size_t i = 0; i < f.n; i++)
        set(&f, i, kg_bf16_to_double(kg_bf16_from_double(f.want[i])));
    OK(!ok(&f));
    s[1] = f.s;
    EQ_INT(kg_cmp_downgrade(s, 1), KG_PRECISION_DOWNGRADE);
    EQ_INT(kg_cmp_downgrade(s + 1, 1), KG_PRECISION_DOWNGRADE);
    struct kg_cmp_stats few = s[0], large = s[0], small = s[0];
    few.bad = few.count / 10 - 1;
    large.rel_l2 = 0x1p-4;
    small.rel_l2 = 0x1p-15;
    EQ_INT(kg_cmp_downgrade(&few, 1), KG_INCORRECT_NUMERICAL);
    EQ_INT(kg_cmp_downgrade(&large, 1), KG_INCORRECT_NUMERICAL);
    EQ_INT(kg_cmp_downgrade(&small, 1), KG_INCORRECT_NUMERICAL);
    struct kg_cmp_stats both[2] = {s[0], large};
    EQ_INT(kg_cmp_downgrade(both, 2), KG_INCORRECT_NUMERICAL);
    both[0].rel_l2 = 0x1p-14; /* within float16's band only */
    both[1].rel_l2 = 0x1p-5;  /* within bfloat16's only: no one format explains both */
    EQ_INT(kg_cmp_downgrade(both, 2), KG_INCORRECT_NUMERICAL);
    EQ_INT(kg_cmp_downgrade(both, 0), KG_INCORRECT_NUMERICAL);
    drop(&f);
    f = fixture("bfloat16", 8, 512, "");
    EQ_INT(ok(&f), 1);
    s[0].eps = f.s.eps; /* no format is lower than the output's own */
    EQ_INT(kg_cmp_downgrade(s, 1), KG_INCORRECT_NUMERICAL);
    drop(&f);
}

int main(void)
{
    tolerances();
    scales();
    zeros();
    whole();
    masks();
    integers();
    unwritten();
    values_aside();
    poison_where_nan_is_wanted();
    nonfinite_values_aside();
    last_element();
    downgrade();
    return tap_done();
}
