#include "judge/space_cuda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "task/compare_core.h"

#define CHUNKS 1024  /* parts that the sum over the whole output is made of */
#define PART   16384 /* elements of a long row that one block adds up */

/* As in space_kernels.cu, byte for byte. */
struct part {
    uint64_t bad, unwritten, nonfinite, worst;
    double max_abs, max_rel, sum_sq_err, sum_sq_want, worst_ratio;
};

struct args {
    uint64_t got, want, row_sums, parts;
    uint64_t poison_key, n, row;
    double rtol, atol_factor, step, scale, overflow;
    int dtype, is_f64, fixed, exact, by_row;
};

#define MAX_PARTS 65536 /* blocks of a launch over n elements are far fewer */

static uint64_t row_of(const struct kg_instance *in, size_t arg)
{
    return in->args[arg].row ? in->args[arg].row : 1;
}

static uint64_t rows_of(const struct kg_instance *in, size_t arg, size_t n)
{
    uint64_t row = row_of(in, arg);
    return (n + row - 1) / row;
}

/* In how many parts the sum of a row is made. */
static uint64_t parts_of(uint64_t row)
{
    uint64_t parts = (row + PART - 1) / PART;
    return parts < CHUNKS ? parts : CHUNKS;
}

/* Has the output rows with scales of their own? One that is all of it has the whole's. */
static bool by_row(const struct kg_instance *in, size_t arg, size_t n)
{
    return row_of(in, arg) >= KG_CMP_MIN_SCALE && rows_of(in, arg, n) > 1;
}

size_t kg_space_compare_scratch(const struct kg_instance *in, size_t arg, size_t n)
{
    uint64_t rows = by_row(in, arg, n) ? rows_of(in, arg, n) : 0;
    return (CHUNKS + rows + rows * parts_of(row_of(in, arg))) * sizeof(double) +
           MAX_PARTS * sizeof(struct part) / 16;
}

/* Sums of squares of 'row' elements each, in 'parts' sums a row, at device address 'sums'. */
static int row_squares(struct kg_gpu *g, const struct kg_space_kernels *k,
                       const struct kg_space_compare_call *c, uint64_t row, uint64_t parts,
                       uint64_t sums, struct kg_error *err)
{
    uint64_t want = c->want, n = c->n, rows = (n + row - 1) / row;
    int dtype = c->in->task->args[c->arg].dtype, is_f64 = c->want_is_f64;
    void *args[] = {&want, &dtype, &is_f64, &n, &row, &parts, &sums};
    return kg_gpu_launch_n(g, k->row_squares, rows * parts * 256, args, err);
}

/* One sum a row at 'sums'; behind them is room for the parts. */
static int all_rows(struct kg_gpu *g, const struct kg_space_kernels *k,
                    const struct kg_space_compare_call *c, uint64_t row, uint64_t sums,
                    struct kg_error *err)
{
    uint64_t rows = rows_of(c->in, c->arg, c->n), parts = parts_of(row);
    uint64_t part = sums + rows * sizeof(double);
    void *args[] = {&part, &parts, &rows, &sums};
    if (parts == 1)
        return row_squares(g, k, c, row, 1, sums, err);
    return row_squares(g, k, c, row, parts, part, err) ||
                   kg_gpu_launch_n(g, k->add_parts, rows, args, err)
               ? -1
               : 0;
}

static int whole_rms(struct kg_gpu *g, const struct kg_space_kernels *k,
                     const struct kg_space_compare_call *c, uint64_t sums, double *out,
                     struct kg_error *err)
{
    double part[CHUNKS], total = 0;
    uint64_t chunk = (c->n + CHUNKS - 1) / CHUNKS, n = (c->n + chunk - 1) / chunk;
    if (row_squares(g, k, c, chunk, 1, sums, err) || kg_gpu_read(g, part, sums, n * 8, err))
        return -1;
    for (uint64_t i = 0; i < n; i++)
        total += part[i];
    *out = sqrt(total / (double)c->n);
    return 0;
}

static void join(struct kg_cmp_stats *s, const struct part *p)
{
    s->bad += p->bad;
    s->unwritten += p->unwritten;
    s->nonfinite += p->nonfinite;
    s->sum_sq_err += p->sum_sq_err;
    s->sum_sq_want += p->sum_sq_want;
    s->max_abs = fmax(s->max_abs, p->max_abs);
    s->max_rel = fmax(s->max_rel, p->max_rel);
    if (p->worst_ratio > s->worst_ratio ||
        (p->worst_ratio > 0 && p->worst_ratio == s->worst_ratio && p->worst < s->worst)) {
        s->worst_ratio = p->worst_ratio;
        s->worst = p->worst;
    }
}

/* The two values at the worst place, as the host would have noted them. */
static int read_worst(struct kg_gpu *g, const struct kg_space_compare_call *c,
                      struct kg_cmp_stats *s, struct kg_error *err)
{
    enum kg_dtype t = c->in->task->args[c->arg].dtype;
    size_t size = kg_dtype_size(t), want_size = c->want_is_f64 ? 8 : size;
    unsigned char got[8], want[8];
    if (kg_gpu_read(g, got, c->got + s->worst * size, size, err) ||
        kg_gpu_read(g, want, c->want + s->worst * want_size, want_size, err))
        return -1;
    s->worst_got = kg_dtype_get(t, got, 0);
    s->worst_want = kg_dtype_get(c->want_is_f64 ? KG_FLOAT64 : t, want, 0);
    return 0;
}

static int compare_pass(struct kg_gpu *g, const struct kg_space_kernels *k,
                        const struct kg_space_compare_call *c, struct args *a,
                        struct kg_cmp_stats *out, struct kg_error *err)
{
    unsigned blocks = kg_gpu_blocks_n(g, c->n);
    if (blocks > MAX_PARTS / 16)
        blocks = MAX_PARTS / 16;
    const unsigned grid[3] = {blocks, 1, 1}, block[3] = {256, 1, 1};
    struct part *parts = kg_mem_array(blocks, sizeof *parts);
    void *args[] = {a};
    int rc = kg_gpu_launch(g, k->compare, grid, block, 0, args, NULL, err) ||
             kg_gpu_read(g, parts, a->parts, blocks * sizeof *parts, err);
    for (unsigned i = 0; !rc && i < blocks; i++)
        join(out, &parts[i]);
    free(parts);
    return rc ? -1 : read_worst(g, c, out, err);
}

int kg_space_compare_gpu(struct kg_gpu *g, const struct kg_space_kernels *k,
                         const struct kg_space_compare_call *c, struct kg_cmp_stats *out,
                         struct kg_error *err)
{
    const struct kg_tolerance *tol = c->tol;
    enum kg_dtype t = c->in->task->args[c->arg].dtype;
    kg_compare_start(c->in, c->arg, c->n, out);
    if (!c->n)
        return 0;
    struct args a = {.got = c->got,
                     .want = c->want,
                     .poison_key = c->poison_key,
                     .n = c->n,
                     .row = row_of(c->in, c->arg),
                     .rtol = tol->rtol,
                     .atol_factor = tol->atol_factor,
                     .step = tol->step,
                     .overflow = kg_cmp_overflow(t),
                     .dtype = t,
                     .is_f64 = c->want_is_f64,
                     .fixed = tol->fixed,
                     .exact = tol->exact};
    a.parts = c->scratch;
    uint64_t chunks = c->scratch + MAX_PARTS / 16 * sizeof(struct part);
    a.row_sums = chunks + CHUNKS * sizeof(double);
    double whole = 0;
    if (!tol->exact) {
        a.by_row = by_row(c->in, c->arg, c->n);
        if (whole_rms(g, k, c, chunks, &whole, err) ||
            (a.by_row && all_rows(g, k, c, a.row, a.row_sums, err)))
            return -1;
        a.scale = c->n >= KG_CMP_MIN_SCALE || c->scale_rms < 0 ? whole : c->scale_rms;
    }
    if (compare_pass(g, k, c, &a, out, err))
        return -1;
    if (!tol->exact)
        kg_compare_finish(tol, whole, a.scale, out);
    return 0;
}
