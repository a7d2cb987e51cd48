/*
 * The GPU's space against the host's: the same content, poison, guards, hashes and comparisons.
 * Skipped, with the reason, where there is no GPU.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/space.h"
#include "record/json.h"
#include "tap.h"

static struct kg_space *gpu, *host;

static struct kg_task *make_task(const char *dtype, const char *init, const char *rows,
                                 const char *cols)
{
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_error err = KG_ERROR_INIT;
    char *text =
        kg_mem_printf("{\"task_id\":\"t\",\"axes\":{\"r\":%s,\"c\":%s},\"args\":["
                      "{\"name\":\"x\",\"dtype\":\"%s\",\"shape\":[\"r\",\"c\"],\"init\":\"%s\"},"
                      "{\"name\":\"y\",\"dtype\":\"%s\",\"shape\":[\"r\",\"c\"],\"role\":\"out\"}],"
                      "\"entry\":\"solve\",\"reference\":\"void reference(void){}\\n\","
                      "\"baseline\":\"void solve(){}\\n\"}",
                      rows, cols, dtype, init, dtype);
    const struct kg_value *v = kg_json_text(text, strlen(text), "test", &a, &err);
    struct kg_task *t = v ? kg_task_new(v, NULL, "test", &err) : NULL;
    if (!t)
        printf("# %s: %s\n", init, err.text);
    kg_arena_release(&a);
    free(text);
    return t;
}

static size_t differing(enum kg_dtype t, const void *a, const void *b, size_t n, double *worst)
{
    size_t bad = 0, size = kg_dtype_size(t);
    *worst = 0;
    for (size_t i = 0; i < n; i++) {
        if (!memcmp((const char *)a + i * size, (const char *)b + i * size, size))
            continue;
        bad++;
        double x = kg_dtype_get(t, a, i), y = kg_dtype_get(t, b, i);
        double rel = fabs(x - y) / fmax(fmax(fabs(x), fabs(y)), 1e-300);
        *worst = fmax(*worst, rel);
    }
    return bad;
}

static void test_publish(const char *dtype, const char *init)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_task *t = make_task(dtype, init, "37", "65");
    OK(t != NULL);
    if (!t)
        return;
    struct kg_instance in;
    OK(!kg_instance_init(&in, t, &t->timed, &err));
    struct kg_content c = {.seed = 0x1234567887654321u,
                           .call = 3,
                           .patch = true,
                           .patch_call = 9,
                           .patch_row = 5,
                           .patch_element = -1};
    size_t bytes = in.args[0].bytes, n = in.args[0].count;
    struct kg_mem m;
    void *got = kg_mem_alloc(bytes), *want = kg_mem_alloc(bytes);
    OK(!gpu->ops->mem_new(gpu, KG_MEM_INPUT, bytes, &m, &err));
    OK(!gpu->ops->publish(gpu, &m, &in, 0, &c, &err));
    OK(!gpu->ops->read(gpu, &m, 0, got, bytes, &err));
    kg_gen_fill(&in, 0, &c, want);
    double worst;
    size_t bad = differing(t->args[0].dtype, got, want, n, &worst);
    /* a device's own logarithm and sine may differ in the last bits */
    bool exact = !kg_dtype_is_float(t->args[0].dtype);
    printf("# %s %s: %zu of %zu differ, worst %.3g %s\n", dtype, init, bad, n, worst, err.text);
    OK(exact ? bad == 0 : worst <= 4 * kg_dtype_eps(t->args[0].dtype) + 1e-12);
    gpu->ops->mem_free(gpu, &m);
    free(got);
    free(want);
    kg_task_free(t);
}

static void test_guards_and_hash(void)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_mem m, h;
    static unsigned char x[100004];
    const size_t bytes = sizeof x - 1;
    size_t touched = 1;
    int64_t where = 1;
    OK(!gpu->ops->mem_new(gpu, KG_MEM_WRITABLE, bytes, &m, &err));
    OK(!host->ops->mem_new(host, KG_MEM_WRITABLE, bytes, &h, &err));
    OK(m.fd >= 0);
    OK(!gpu->ops->guard(gpu, &m, 77, &err));
    OK(!gpu->ops->guard_check(gpu, &m, 77, &touched, &where, &err));
    EQ_INT(touched, 0);
    OK(!gpu->ops->guard_check(gpu, &m, 78, &touched, &where, &err));
    OK(touched > 60000);
    /* one byte behind the payload, then one in front */
    struct kg_mem wide = m;
    memset(x, 0x5a, sizeof x);
    OK(!gpu->ops->upload(gpu, &wide, x, bytes + 1, &err));
    OK(!gpu->ops->guard_check(gpu, &m, 77, &touched, &where, &err));
    EQ_INT(touched, 1);
    EQ_INT(where, (long long)bytes);
    OK(!gpu->ops->guard(gpu, &m, 77, &err));
    wide.offset -= 1;
    OK(!gpu->ops->upload(gpu, &wide, x, 1, &err));
    OK(!gpu->ops->guard_check(gpu, &m, 77, &touched, &where, &err));
    EQ_INT(touched, 1);
    EQ_INT(where, -1);
    uint64_t a = 1, b = 2;
    OK(!gpu->ops->poison(gpu, &m, KG_FLOAT32, 5, bytes / 4, &err));
    OK(!host->ops->poison(host, &h, KG_FLOAT32, 5, bytes / 4, &err));
    OK(!host->ops->upload(host, &h, x, 0, &err));
    unsigned char *p = kg_mem_alloc(bytes), *q = kg_mem_alloc(bytes);
    OK(!gpu->ops->read(gpu, &m, 0, p, bytes, &err));
    OK(!host->ops->read(host, &h, 0, q, bytes, &err));
    OK(!memcmp(p, q, bytes / 4 * 4));
    OK(!gpu->ops->hash(gpu, &m, 99, bytes, &a, &err));
    b = kg_space_hash_bytes(99, p, bytes);
    OK(a == b);
    struct kg_mem copy;
    bool same = false;
    OK(!gpu->ops->mem_new(gpu, KG_MEM_PRIVATE, bytes, &copy, &err));
    OK(!gpu->ops->copy(gpu, &copy, &m, &err));
    OK(!gpu->ops->equal(gpu, &copy, &m, bytes, &same, &err));
    OK(same);
    p[bytes - 1] ^= 1;
    OK(!gpu->ops->upload(gpu, &copy, p, bytes, &err));
    OK(!gpu->ops->equal(gpu, &copy, &m, bytes, &same, &err));
    OK(!same);
    gpu->ops->mem_free(gpu, &copy);
    gpu->ops->mem_free(gpu, &m);
    host->ops->mem_free(host, &h);
    free(p);
    free(q);
}

/* A little wrong, in many ways: both must count and find the same. */
static void test_compare(const char *dtype, const char *rows, const char *cols, bool f64)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_task *t = make_task(dtype, "randn", rows, cols);
    struct kg_instance in;
    OK(t && !kg_instance_init(&in, t, &t->timed, &err));
    enum kg_dtype type = t->args[1].dtype;
    size_t n = in.args[1].count, bytes = in.args[1].bytes, size = kg_dtype_size(type);
    void *got = kg_mem_zalloc(bytes), *want = kg_mem_zalloc(bytes);
    double *want64 = kg_mem_array(n, sizeof *want64);
    struct kg_content c = {.seed = 11};
    kg_gen_fill(&in, 0, &c, want);
    memcpy(got, want, bytes);
    for (size_t i = 0; i < n; i++)
        want64[i] = kg_dtype_get(type, want, i);
    for (size_t i = 0; i < n; i += 7)
        kg_dtype_set(type, got, i, want64[i] * (1 + 1e-7 * (double)(i % 300)) + (type > 3));
    for (size_t i = 2; kg_dtype_is_float(type) && i < n; i += 334) { /* some hold poison below */
        want64[i] = NAN;
        kg_dtype_set(type, want, i, NAN);
        kg_dtype_set(type, got, i, NAN);
    }
    uint64_t poison = kg_dtype_is_float(type) ? 5 : 6;
    for (size_t i = 2; i < n; i += 501) {
        unsigned char *one = kg_mem_alloc(bytes);
        kg_poison_fill(type, poison, one, n);
        memcpy((char *)got + i * size, one + i * size, size);
        free(one);
    }
    struct kg_tolerance tol = kg_tolerance_of(&in, 1);
    struct kg_cmp_stats a, b;
    struct kg_mem g, w;
    kg_compare(&in, 1, &tol, got, want, f64 ? want64 : NULL, -1, poison, n, &a);
    OK(!gpu->ops->mem_new(gpu, KG_MEM_PRIVATE, bytes, &g, &err));
    OK(!gpu->ops->mem_new(gpu, KG_MEM_PRIVATE, n * 8, &w, &err));
    OK(!gpu->ops->upload(gpu, &g, got, bytes, &err));
    OK(!gpu->ops->upload(gpu, &w, f64 ? (void *)want64 : want, f64 ? n * 8 : bytes, &err));
    OK(!gpu->ops->compare(gpu, &in, 1, &tol, &g, &w, f64, -1, poison, n, &b, &err));
    printf("# %s %sx%s: bad %zu, unwritten %zu, rel_l2 %g, worst %zu %s\n", dtype, rows, cols,
           b.bad, b.unwritten, b.rel_l2, b.worst, err.text);
    OK(a.bad > 0);
    EQ_INT(b.bad, a.bad);
    EQ_INT(b.unwritten, a.unwritten);
    EQ_INT(b.nonfinite, a.nonfinite);
    EQ_INT(b.worst, a.worst);
    NEAR(b.max_abs, a.max_abs, 1e-12 * a.max_abs);
    NEAR(b.max_rel, a.max_rel, 1e-12 * a.max_rel);
    NEAR(b.rel_l2, a.rel_l2, 1e-9 * a.rel_l2);
    NEAR(b.rel_l2_limit, a.rel_l2_limit, 1e-9 * a.rel_l2_limit);
    EQ_INT(kg_cmp_ok(&b), kg_cmp_ok(&a));
    gpu->ops->mem_free(gpu, &g);
    gpu->ops->mem_free(gpu, &w);
    free(got);
    free(want);
    free(want64);
    kg_task_free(t);
}

int main(void)
{
    static const char *const types[] = {"float64", "float32", "float16", "bfloat16", "int64",
                                        "int32",   "int8",    "uint8",   "bool"};
    static const char *const inits[] = {
        "randn",      "zeros",      "ones",  "arange", "one_hot",  "permutation",  "sorted",
        "equal_keys", "heavy_tail", "large", "tiny",   "denormal", "uniform(-2,3)"};
    struct kg_error err = KG_ERROR_INIT;
    gpu = kg_space_open("cuda:0", &err);
    if (!gpu) {
        printf("ok 1 - # skip no GPU: %s\n1..1\n", err.text);
        return 0;
    }
    host = kg_space_open("host", &err);
    for (size_t t = 0; t < 9; t++)
        for (size_t i = 0; i < 13; i++) {
            bool floats = t < 4;
            if ((!floats && (i == 8 || i == 11 || i == 12)) || (t == 8 && i > 0 && i < 7))
                continue;
            test_publish(types[t], inits[i]);
        }
    test_guards_and_hash();
    for (size_t t = 0; t < 8; t++) {
        test_compare(types[t], "300", "77", false);
        test_compare(types[t], "3000", "5", false);
        if (t < 4) {
            test_compare(types[t], "11", "1000", true);
            test_compare(types[t], "3", "100003", true); /* rows in several parts */
            test_compare(types[t], "1", "50000", true);  /* a row that is all of it */
        }
    }
    struct kg_device_info info;
    OK(!gpu->ops->info(gpu, &info, &err));
    printf("# %s %s read %.0f GB/s, L2 %zu, clock %.0f MHz\n", info.name, info.uuid, info.read_gb_s,
           info.l2_bytes, info.sm_clock_mhz);
    OK(info.read_gb_s > 50);
    OK(!gpu->ops->settle(gpu, &err));
    OK(!gpu->ops->recover(gpu, 1, &err));
    kg_space_close(gpu);
    kg_space_close(host);
    return tap_done();
}
