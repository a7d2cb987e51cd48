#include "task/gen.h"
#include "task/bits_core.h"
#include "task/poison_core.h"

#include <string.h>

/* The range of whole numbers that random integers of a type are taken from. */
static void integer_range(enum kg_dtype t, double wide, double *lo, double *hi)
{
    *lo = kg_dtype_min(t) < -wide ? -wide : kg_dtype_min(t);
    *hi = kg_dtype_max(t) > wide ? wide : kg_dtype_max(t);
}

static double scale_of(int kind, enum kg_dtype t)
{
    switch (kind) {
    case KG_INIT_RANDN: /* of integers: a spread that the type holds */
        return t == KG_INT8 || t == KG_UINT8 ? 32 : t == KG_BOOL ? 1 : 100;
    case KG_INIT_LARGE:
        return t == KG_BOOL ? 1 : t == KG_FLOAT16 ? 1e3 : kg_dtype_size(t) == 1 ? 100 : 1e4;
    case KG_INIT_HEAVY_TAIL:
        return t == KG_FLOAT16 ? 1e3 : 1e6;
    default:
        return kg_dtype_subnormal(t);
    }
}

struct kg_gen kg_gen_make(const struct kg_instance *in, size_t arg, const struct kg_content *c,
                          bool patch)
{
    const struct kg_instance_arg *ia = &in->args[arg];
    enum kg_dtype t = in->task->args[arg].dtype;
    struct kg_gen g = {.kind = ia->init->kind,
                       .dtype = t,
                       .is_float = kg_dtype_is_float(t),
                       .a = ia->init->a,
                       .b = ia->init->b,
                       .seed = c->seed,
                       .row_len = ia->row ? ia->row : 1,
                       .call = patch ? c->patch_call : c->call,
                       .arg = (uint32_t)arg};
    bool wide = t == KG_FLOAT64 || (g.kind == KG_INIT_RANDINT && g.b - g.a > 0x1p30);
    g.lanes = wide ? 2 : 4;
    g.scale = scale_of(g.kind, t);
    g.lo = g.is_float ? -kg_dtype_max(t) : 0;
    g.hi = g.is_float ? kg_dtype_max(t) : 0;
    if (!g.is_float)
        integer_range(t, 1e6, &g.lo, &g.hi);
    if (g.kind == KG_INIT_SORTED) {
        g.a = g.lo;
        g.b = g.hi;
    } else if (g.kind == KG_INIT_ARANGE) {
        g.hi = kg_dtype_exact(t);
    } else if (g.kind == KG_INIT_DENORMAL) {
        g.hi = kg_dtype_exact(t) / 2 - 1; /* 2^mant - 1 steps */
    } else if (g.kind == KG_INIT_UNIFORM) {
        double step = fabs(g.b) * kg_dtype_eps(t);
        g.below = g.b - (step > kg_dtype_subnormal(t) ? step : kg_dtype_subnormal(t));
        if (g.below < g.a)
            g.below = g.a;
    }
    return g;
}

void kg_gen_patch_range(const struct kg_instance *in, size_t arg, const struct kg_content *c,
                        uint64_t *begin, uint64_t *end)
{
    const struct kg_instance_arg *ia = &in->args[arg];
    uint64_t rows = ia->row ? ia->count / ia->row : 0;
    *begin = *end = 0;
    if (!c->patch || !ia->count)
        return;
    if (c->patch_element >= 0) {
        uint64_t e = (uint64_t)c->patch_element % ia->count;
        bool by_row = kg_gen_by_row(ia->init->kind);
        *begin = by_row ? e - e % ia->row : e;
        *end = *begin + (by_row ? ia->row : 1);
    } else {
        *begin = c->patch_row % rows * ia->row;
        *end = *begin + ia->row;
    }
}

static void fill_range(const struct kg_gen *g, uint64_t begin, uint64_t end, void *dst)
{
    enum kg_dtype t = (enum kg_dtype)g->dtype;
    double v[4];
    uint64_t i = begin, lanes = (uint64_t)g->lanes;
    if (kg_gen_in_blocks(g->kind))
        while (i < end) {
            uint64_t block = i / lanes;
            kg_gen_block(g, block, v);
            for (; i < end && i / lanes == block; i++)
                kg_dtype_set(t, dst, i, v[i % lanes]);
        }
    for (; i < end; i++)
        kg_dtype_set(t, dst, i, kg_gen_value(g, i));
}

void kg_gen_fill(const struct kg_instance *in, size_t arg, const struct kg_content *c, void *dst)
{
    struct kg_gen g = kg_gen_make(in, arg, c, false);
    fill_range(&g, 0, in->args[arg].count, dst);
    uint64_t begin, end;
    kg_gen_patch_range(in, arg, c, &begin, &end);
    if (begin < end) {
        g = kg_gen_make(in, arg, c, true);
        fill_range(&g, begin, end, dst);
    }
}

double kg_gen_scalar(const struct kg_instance *in, size_t arg, const struct kg_content *c)
{
    if (!in->args[arg].init)
        return in->args[arg].scalar;
    struct kg_gen g = kg_gen_make(in, arg, c, false);
    return kg_dtype_round((enum kg_dtype)g.dtype, kg_gen_value(&g, 0));
}

void kg_poison_fill(enum kg_dtype t, uint64_t key, void *dst, size_t count)
{
    size_t size = kg_dtype_size(t);
    for (size_t i = 0; i < count; i++) {
        uint64_t w = kg_poison_bits(t, key, i);
        memcpy((char *)dst + i * size, &w, size); /* little-endian, as every CUDA host is */
    }
}

int kg_poison_is(enum kg_dtype t, uint64_t key, const void *p, size_t i)
{
    size_t size = kg_dtype_size(t);
    uint64_t w = kg_poison_bits(t, key, i);
    return !memcmp((const char *)p + i * size, &w, size);
}
