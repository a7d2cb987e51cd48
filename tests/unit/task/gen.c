#include "tap.h"
#include "tree.h"

#include "task/gen.h"
#include "task/poison_core.h"

static const size_t widths[] = {1, 2, 33};
#define ROWS 37

/* A task with one input of that type and initialiser, rows x cols, and an output. */
static struct kg_task *task_with(const char *dtype, const char *init, size_t rows, size_t cols)
{
    char text[1024];
    struct kg_error err = KG_ERROR_INIT;
    snprintf(text, sizeof text,
             "{'task_id': 't', 'axes': {'r': %zu, 'c': %zu}, 'reference': '{}', 'args': ["
             "{'name': 'x', 'dtype': '%s', 'shape': ['r', 'c'], 'init': %s},"
             "{'name': 's', 'dtype': '%s', 'init': %s},"
             "{'name': 'y', 'dtype': 'float32', 'shape': [1], 'role': 'out'}]}",
             rows, cols, dtype, init, dtype, init);
    struct kg_task *t = task_of(text, &err);
    if (!t)
        printf("# %s %s: %s\n", dtype, init, err.text);
    return t;
}

struct filled {
    struct kg_task *t;
    struct kg_instance in;
    enum kg_dtype type;
    size_t rows, cols, count;
    void *data;
    double *v; /* as doubles */
};

static struct filled fill(const char *dtype, const char *init, size_t rows, size_t cols,
                          const struct kg_content *c)
{
    struct filled f = {.rows = rows, .cols = cols, .count = rows * cols};
    f.t = task_with(dtype, init, rows, cols);
    if (!f.t) {
        OK(!"task built");
        exit(1);
    }
    kg_instance_init(&f.in, f.t, &f.t->timed, NULL);
    f.type = f.t->args[0].dtype;
    f.data = malloc(f.in.args[0].bytes);
    memset(f.data, 0xA5, f.in.args[0].bytes);
    kg_gen_fill(&f.in, 0, c, f.data);
    f.v = malloc(f.count * sizeof *f.v);
    for (size_t i = 0; i < f.count; i++)
        f.v[i] = kg_dtype_get(f.type, f.data, i);
    return f;
}

static void drop(struct filled *f)
{
    kg_task_free(f->t);
    free(f->data);
    free(f->v);
}

/* ---- what each initialiser promises ------------------------------------------------------ */

static int cmp_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t distinct(const double *row, size_t n, double *top, size_t *n_top)
{
    double *s = malloc(n * sizeof *s);
    memcpy(s, row, n * sizeof *s);
    qsort(s, n, sizeof *s, cmp_double);
    size_t d = 1;
    for (size_t i = 1; i < n; i++)
        d += s[i] != s[i - 1];
    *top = s[n - 1];
    *n_top = 0;
    for (size_t i = 0; i < n; i++)
        *n_top += s[i] == *top;
    free(s);
    return d;
}

static bool row_ok(const char *init, enum kg_dtype t, const double *v, size_t n, size_t row)
{
    double top, sum = 0;
    size_t n_top, d = distinct(v, n, &top, &n_top);
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    if (!strcmp(init, "one_hot"))
        return sum == 1 && top == 1 && d <= 2;
    if (!strcmp(init, "permutation"))
        return d == n && top == (double)n - 1 && sum == (double)(n * (n - 1) / 2);
    if (!strcmp(init, "equal_keys"))
        return d <= 4 && (n < 2 || n_top >= 2);
    if (!strcmp(init, "arange")) {
        for (size_t i = 0; i < n; i++)
            if (v[i] != fmod((double)(row * n + i), kg_dtype_exact(t) + 1))
                return false;
        return true;
    }
    if (!strcmp(init, "zeros") || !strcmp(init, "ones"))
        return d == 1 && top == (init[0] == 'o');
    for (size_t i = 1; i < n; i++) /* sorted */
        if (v[i] < v[i - 1])
            return false;
    return true;
}

static void rows_of(const char *dtype, const char *init)
{
    struct kg_content c = {.seed = 77, .call = 3, .patch_element = -1};
    char quoted[64];
    snprintf(quoted, sizeof quoted, "'%s'", init);
    for (size_t w = 0; w < 3; w++) {
        struct filled f = fill(dtype, quoted, ROWS, widths[w], &c);
        size_t wrong = 0;
        for (size_t r = 0; r < ROWS; r++)
            wrong += !row_ok(init, f.type, f.v + r * f.cols, f.cols, r);
        EQ_INT(wrong, 0);
        if (wrong)
            printf("# %s %s %zu columns\n", dtype, init, f.cols);
        drop(&f);
    }
}

struct stats {
    double mean, sd, min, max;
    size_t nonfinite, fraction;
};

static struct stats stats_of(const char *dtype, const char *init, size_t cols)
{
    struct kg_content c = {.seed = 5, .call = 1, .patch_element = -1};
    struct filled f = fill(dtype, init, 1000, cols, &c);
    struct stats s = {.min = INFINITY, .max = -INFINITY};
    for (size_t i = 0; i < f.count; i++) {
        s.mean += f.v[i] / (double)f.count;
        s.min = fmin(s.min, f.v[i]);
        s.max = fmax(s.max, f.v[i]);
        s.nonfinite += !isfinite(f.v[i]);
        s.fraction += f.v[i] != floor(f.v[i]);
    }
    for (size_t i = 0; i < f.count; i++)
        s.sd += (f.v[i] - s.mean) * (f.v[i] - s.mean) / (double)f.count;
    s.sd = sqrt(s.sd);
    drop(&f);
    return s;
}

static void distributions(void)
{
    static const char *const floats[] = {"float64", "float32", "float16", "bfloat16"};
    for (size_t i = 0; i < 4; i++) {
        enum kg_dtype t;
        kg_dtype_parse(floats[i], &t);
        bool half = t == KG_FLOAT16;
        struct stats s = stats_of(floats[i], "'randn'", 33);
        NEAR(s.mean, 0, 0.03);
        NEAR(s.sd, 1, 0.03);
        OK(s.max > 3 && s.min < -3);
        s = stats_of(floats[i], "'large'", 33);
        NEAR(s.sd, half ? 1e3 : 1e4, half ? 30 : 300);
        EQ_INT(s.nonfinite, 0);
        s = stats_of(floats[i], "'tiny'", 33);
        NEAR(s.sd, 1e-6, 3e-8);
        s = stats_of(floats[i], "'heavy_tail'", 33);
        EQ_INT(s.nonfinite, 0);
        OK(s.max > (half ? 900 : 1e3) && s.max <= (half ? 1e3 : 1.01e6));
        s = stats_of(floats[i], "'uniform(-3,0.1)'", 33);
        OK(s.min >= -3 && s.max < 0.1);
        OK(s.min < -2.9 && s.max > 0.08);
        NEAR(s.mean, -1.45, 0.05);
        s = stats_of(floats[i], "'uniform(1,2)'", 33);
        OK(s.min >= 1 && s.max < 2);
        s = stats_of(floats[i], "'uniform(-1,0)'", 33);
        OK(s.min >= -1 && s.max < 0);
        s = stats_of(floats[i], "'denormal'", 33);
        double normal = kg_dtype_exact(t) / 2 * kg_dtype_subnormal(t);
        OK(s.max < normal && s.min > -normal && s.max > normal / 2 && s.min < -normal / 2);
        s = stats_of(floats[i], "'randint(-3,4)'", 33);
        OK(s.min == -3 && s.max == 3 && s.fraction == 0);
        s = stats_of(floats[i], "2.5", 3);
        OK(s.min == 2.5 && s.max == 2.5);
    }
    static const char *const ints[] = {"int64", "int32", "int8", "uint8", "bool"};
    for (size_t i = 0; i < 5; i++) {
        enum kg_dtype t;
        kg_dtype_parse(ints[i], &t);
        static const char *const kinds[] = {"'randn'", "'large'", "'tiny'", "'heavy_tail'"};
        for (size_t k = 0; k < 4; k++) {
            struct stats s = stats_of(ints[i], kinds[k], 33);
            OK(s.min >= kg_dtype_min(t) && s.max <= kg_dtype_max(t) && s.fraction == 0);
            OK(s.min < s.max && s.mean < 0.95 * s.max && s.mean > s.min);
        }
        struct stats s =
            stats_of(ints[i], t == KG_BOOL ? "'randint(0,2)'" : "'randint(0,100)'", 33);
        EQ_INT(s.min, 0);
        EQ_INT(s.max, t == KG_BOOL ? 1 : 99);
        NEAR(s.mean, t == KG_BOOL ? 0.5 : 49.5, t == KG_BOOL ? 0.02 : 1);
    }
    struct stats s = stats_of("int64", "'randint(-1000000000000,1000000000000)'", 33);
    OK(s.min < -9e11 && s.max > 9e11);
    s = stats_of("int32", "'randint(-2147483648,2147483648)'", 33);
    OK(s.min < -2.1e9 && s.max > 2.1e9);
}

/* All 24 bits of a float32 are used, all 52 of a float64. */
static void precision(void)
{
    struct kg_content c = {.seed = 5, .patch_element = -1};
    struct filled f = fill("float32", "'randn'", 100, 33, &c);
    unsigned ones = 0, zeros = 0;
    for (size_t i = 0; i < f.count; i++) {
        ones |= ((uint32_t *)f.data)[i];
        zeros |= ~((uint32_t *)f.data)[i];
    }
    EQ_INT(ones & zeros & 0x7FFFFF, 0x7FFFFF);
    drop(&f);
    f = fill("float64", "'uniform(1,2)'", 100, 33, &c);
    uint64_t ones64 = 0, zeros64 = 0;
    for (size_t i = 0; i < f.count; i++) {
        ones64 |= ((uint64_t *)f.data)[i];
        zeros64 |= ~((uint64_t *)f.data)[i];
    }
    EQ_INT(ones64 & zeros64 & 0xFFFFFFFFFFFFF, 0xFFFFFFFFFFFFF);
    drop(&f);
}

/* ---- the same content, whichever way it is asked for ------------------------------------- */

static void element_wise(const char *dtype, const char *init)
{
    struct kg_content c = {.seed = 99, .call = 8, .patch_element = -1};
    struct filled f = fill(dtype, init, 5, 33, &c);
    struct kg_gen g = kg_gen_make(&f.in, 0, &c, false);
    size_t wrong = 0, size = kg_dtype_size(f.type);
    for (size_t i = f.count; i-- > 0;) {
        uint64_t one;
        kg_dtype_set(f.type, &one, 0, kg_gen_value(&g, i));
        wrong += memcmp(&one, (char *)f.data + i * size, size) != 0;
    }
    EQ_INT(wrong, 0);
    OK(kg_gen_scalar(&f.in, 1, &c) == kg_gen_scalar(&f.in, 1, &c));
    drop(&f);
}

static size_t differing(const struct filled *a, const struct filled *b, size_t *first, size_t *last)
{
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++)
        if (a->v[i] != b->v[i]) {
            *first = n++ ? *first : i;
            *last = i;
        }
    return n;
}

static void patches(void)
{
    struct kg_content c = {.seed = 4, .call = 2, .patch_element = -1}, p = c, d = c;
    size_t first = 0, last = 0;
    p.patch = true;
    p.patch_call = 9;
    d.call = 9;
    static const char *const inits[] = {"'randn'", "'permutation'", "'sorted'", "'one_hot'"};
    for (size_t k = 0; k < 4; k++) {
        struct filled a = fill("float32", inits[k], 6, 101, &c), b;
        p.patch_row = 3 + 6 * 5; /* modulo the rows */
        p.patch_element = -1;
        b = fill("float32", inits[k], 6, 101, &p);
        size_t n = differing(&a, &b, &first, &last);
        OK(n > 0 && first >= 303 && last < 404);
        if (k != 3) {
            struct filled whole = fill("float32", inits[k], 6, 101, &d);
            OK(!memcmp(b.v + 303, whole.v + 303, 101 * sizeof *b.v));
            OK(differing(&a, &whole, &first, &last) > 500);
            drop(&whole);
        }
        drop(&b);
        p.patch_element = 350 + 606;
        b = fill("float32", inits[k], 6, 101, &p);
        n = differing(&a, &b, &first, &last);
        if (k == 0)
            OK(n == 1 && first == 350);
        else /* a row that stays a permutation, sorted ... */
            OK(n > 1 && first >= 303 && last < 404 &&
               row_ok(k == 1   ? "permutation"
                      : k == 2 ? "sorted"
                               : "one_hot",
                      KG_FLOAT32, b.v + 303, 101, 3));
        drop(&a);
        drop(&b);
    }
    uint64_t begin, end;
    struct filled f = fill("float32", "'randn'", 6, 101, &c);
    kg_gen_patch_range(&f.in, 0, &c, &begin, &end);
    EQ_INT(end - begin, 0);
    drop(&f);
}

/* Different seeds, calls and arguments have nothing to do with each other. */
static void independent(void)
{
    struct kg_content c = {.seed = 4, .call = 2, .patch_element = -1}, s = c;
    struct filled a = fill("float32", "'randn'", 10, 33, &c), b;
    size_t x, y;
    s.seed = 4 + (1ull << 40);
    b = fill("float32", "'randn'", 10, 33, &s);
    EQ_INT(differing(&a, &b, &x, &y), 330);
    drop(&b);
    s = c;
    s.call = 3;
    b = fill("float32", "'randn'", 10, 33, &s);
    EQ_INT(differing(&a, &b, &x, &y), 330);
    drop(&b);
    OK(kg_gen_scalar(&a.in, 1, &c) != a.v[0]);
    OK(kg_gen_scalar(&a.in, 1, &c) != kg_gen_scalar(&a.in, 1, &s));
    drop(&a);
}

static void poison(void)
{
    static const uint32_t canonical16[] = {0x7E00, 0xFE00, 0x7FFF, 0xFFFF};
    enum { N = 5000 };
    uint64_t *room = malloc(N * 8);
    for (int t = 0; t < KG_DTYPE_COUNT; t++) {
        size_t mine = 0, others = 0, nan = 0, canonical = 0, small = 0;
        kg_poison_fill(t, 123, room, N);
        for (size_t i = 0; i < N; i++) {
            mine += kg_poison_is(t, 123, room, i);
            others += kg_poison_is(t, 124, room, i);
            nan += isnan(kg_dtype_get(t, room, i));
            uint32_t h = kg_dtype_size(t) == 2 ? ((uint16_t *)room)[i] : 0;
            for (size_t k = 0; k < 4; k++)
                canonical += t == KG_FLOAT16 && h == canonical16[k];
            small += t == KG_BOOL && ((uint8_t *)room)[i] < 2;
        }
        EQ_INT(mine, N);
        OK(others < N / 40);
        EQ_INT(nan, kg_dtype_is_float(t) ? N : 0);
        EQ_INT(canonical + small, 0);
    }
    free(room);
}

int main(void)
{
    static const char *const all[] = {"float64", "float32", "float16", "bfloat16", "int64",
                                      "int32",   "int8",    "uint8",   "bool"};
    static const char *const by_row[] = {"one_hot", "equal_keys", "arange",     "zeros",
                                         "ones",    "sorted",     "permutation"};
    static const char *const by_element[] = {
        "'randn'",  "'randint(0,2)'", "'zeros'",      "'arange'",      "'one_hot'",
        "'sorted'", "'equal_keys'",   "'heavy_tail'", "'large'",       "'tiny'",
        "1",        "'permutation'",  "'denormal'",   "'uniform(0,1)'"};
    for (size_t t = 0; t < 9; t++) {
        for (size_t k = 0; k < 7; k++)
            if (strcmp(all[t], "bool") || k < 6) /* a permutation of 33 is beyond bool */
                rows_of(all[t], by_row[k]);
        for (size_t k = 0; k < (t < 4 ? 14u : t < 8 ? 12u : 11u); k++)
            element_wise(all[t], by_element[k]);
    }
    distributions();
    precision();
    patches();
    independent();
    poison();
    return tap_done();
}
