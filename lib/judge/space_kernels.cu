/*
 * The judge's own kernels on a GPU: publish, poison, guards, hash, compare, flush. Compiled by NVRTC
 * at first use and cached. The element functions are the texts of lib/task and lib/base that the
 * host uses too; space_cuda.c puts them in front of this one.
 *
 * All kernels are grid-stride loops over one index; sizes are elements unless a name says bytes.
 */
#define KG_FOR(i, n)                                                                               \
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < (n);                    \
         i += gridDim.x * (uint64_t)blockDim.x)

__device__ static void kg_store(int dtype, void *dst, uint64_t i, double x)
{
    switch (dtype) {
    case KG_FLOAT64:
        ((double *)dst)[i] = x;
        break;
    case KG_FLOAT32:
        ((float *)dst)[i] = (float)x;
        break;
    case KG_FLOAT16:
        ((unsigned short *)dst)[i] = (unsigned short)kg_small_from_double(x, 10, 15);
        break;
    case KG_BFLOAT16:
        ((unsigned short *)dst)[i] = (unsigned short)kg_small_from_double(x, 7, 127);
        break;
    case KG_INT64:
        ((long long *)dst)[i] = (long long)x;
        break;
    case KG_INT32:
        ((int *)dst)[i] = (int)x;
        break;
    case KG_INT8:
        ((signed char *)dst)[i] = (signed char)x;
        break;
    default:
        ((unsigned char *)dst)[i] = (unsigned char)x;
        break;
    }
}

__device__ static double kg_load(int dtype, const void *p, uint64_t i)
{
    switch (dtype) {
    case KG_FLOAT64:
        return ((const double *)p)[i];
    case KG_FLOAT32:
        return ((const float *)p)[i];
    case KG_FLOAT16:
        return kg_small_to_double(((const unsigned short *)p)[i], 10, 15);
    case KG_BFLOAT16:
        return kg_small_to_double(((const unsigned short *)p)[i], 7, 127);
    case KG_INT64:
        return (double)((const long long *)p)[i];
    case KG_INT32:
        return ((const int *)p)[i];
    case KG_INT8:
        return ((const signed char *)p)[i];
    default:
        return ((const unsigned char *)p)[i];
    }
}

__device__ static uint64_t kg_bits(int dtype, const void *p, uint64_t i)
{
    switch (dtype) {
    case KG_FLOAT64:
    case KG_INT64:
        return ((const uint64_t *)p)[i];
    case KG_FLOAT32:
    case KG_INT32:
        return ((const unsigned *)p)[i];
    case KG_FLOAT16:
    case KG_BFLOAT16:
        return ((const unsigned short *)p)[i];
    default:
        return ((const unsigned char *)p)[i];
    }
}

/* elements [begin, end) of kinds whose elements come in blocks */
extern "C" __global__ void kg_fill_blocks(void *dst, struct kg_gen g, uint64_t begin, uint64_t end)
{
    uint64_t lanes = (uint64_t)g.lanes, first = begin / lanes, n = (end + lanes - 1) / lanes - first;
    KG_FOR(k, n)
    {
        double v[4];
        uint64_t block = first + k;
        kg_gen_block(&g, block, v);
        for (int lane = 0; lane < g.lanes; lane++) {
            uint64_t i = block * lanes + (uint64_t)lane;
            if (i >= begin && i < end)
                kg_store(g.dtype, dst, i, v[lane]);
        }
    }
}

extern "C" __global__ void kg_fill_values(void *dst, struct kg_gen g, uint64_t begin, uint64_t end)
{
    KG_FOR(k, end - begin)
    kg_store(g.dtype, dst, begin + k, kg_gen_value(&g, begin + k));
}

extern "C" __global__ void kg_poison(void *dst, int dtype, uint64_t key, uint64_t n)
{
    KG_FOR(i, n)
    {
        uint64_t w = kg_poison_bits(dtype, key, i);
        switch (dtype) {
        case KG_FLOAT64:
        case KG_INT64:
            ((uint64_t *)dst)[i] = w;
            break;
        case KG_FLOAT32:
        case KG_INT32:
            ((unsigned *)dst)[i] = (unsigned)w;
            break;
        case KG_FLOAT16:
        case KG_BFLOAT16:
            ((unsigned short *)dst)[i] = (unsigned short)w;
            break;
        default:
            ((unsigned char *)dst)[i] = (unsigned char)w;
            break;
        }
    }
}

__device__ static unsigned char kg_guard_at(uint64_t key, uint64_t i)
{
    return (unsigned char)(kg_mix64(key ^ (i / 4)) >> (8 * (i & 3)));
}

/* byte i of the slot, for all bytes in front of 'front' and from 'back' on */
extern "C" __global__ void kg_guard(unsigned char *slot, uint64_t key, uint64_t front, uint64_t back,
                                    uint64_t total)
{
    KG_FOR(k, front + (total - back))
    {
        uint64_t i = k < front ? k : back + (k - front);
        slot[i] = kg_guard_at(key, i);
    }
}

/* found[0]: bytes that differ; found[1]: largest index + 1 in front; found[2]: smallest behind */
extern "C" __global__ void kg_guard_check(const unsigned char *slot, uint64_t key, uint64_t front,
                                          uint64_t back, uint64_t total, unsigned long long *found)
{
    KG_FOR(k, front + (total - back))
    {
        uint64_t i = k < front ? k : back + (k - front);
        if (slot[i] == kg_guard_at(key, i))
            continue;
        atomicAdd(&found[0], 1ull);
        if (i < front)
            atomicMax(&found[1], (unsigned long long)(i + 1));
        else
            atomicMin(&found[2], (unsigned long long)i);
    }
}

__device__ static unsigned long long kg_block_sum(unsigned long long v)
{
    __shared__ unsigned long long part[32];
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xFFFFFFFFu, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    if (threadIdx.x == 0)
        for (unsigned w = 0; w < (blockDim.x + 31) / 32; w++)
            v += part[w];
    return v;
}

/* sum of kg_mix_word over whole words; the rest of the bytes is one word padded with zeros */
extern "C" __global__ void kg_hash(const unsigned char *p, uint64_t key, uint64_t bytes,
                                   unsigned long long *out)
{
    unsigned long long sum = 0;
    uint64_t words = (bytes + 3) / 4;
    KG_FOR(i, words)
    {
        uint32_t w = 0;
        if (4 * i + 4 <= bytes)
            w = ((const uint32_t *)p)[i];
        else
            for (uint64_t b = 4 * i; b < bytes; b++)
                w |= (uint32_t)p[b] << (8 * (b & 3));
        sum += kg_mix_word(key, i, w);
    }
    sum = kg_block_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

extern "C" __global__ void kg_differs(const unsigned char *a, const unsigned char *b, uint64_t bytes,
                                      unsigned long long *out)
{
    unsigned long long n = 0;
    KG_FOR(i, bytes / 16)
    {
        uint4 x = ((const uint4 *)a)[i], y = ((const uint4 *)b)[i];
        n += x.x != y.x || x.y != y.y || x.z != y.z || x.w != y.w;
    }
    if (blockIdx.x == 0)
        for (uint64_t i = bytes / 16 * 16 + threadIdx.x; i < bytes; i += blockDim.x)
            n += a[i] != b[i];
    n = kg_block_sum(n);
    if (threadIdx.x == 0 && n)
        atomicAdd(out, n);
}

/* twice the cache is read and written, with data that is not constant */
extern "C" __global__ void kg_flush(uint4 *p, uint64_t n, unsigned salt)
{
    KG_FOR(i, n)
    {
        uint4 v = p[i];
        v.x = v.x * 1664525u + salt;
        v.y ^= v.x;
        v.z += v.y;
        v.w ^= (unsigned)i;
        p[i] = v;
    }
}

/* a read that cannot be left out: for the bandwidth of the device */
extern "C" __global__ void kg_read(const uint4 *p, uint64_t n, unsigned *out)
{
    unsigned x = 0;
    KG_FOR(i, n)
    {
        uint4 v = p[i];
        x ^= v.x ^ v.y ^ v.z ^ v.w;
    }
    if (x == 0x9E3779B9u)
        *out = x;
}

/* Something to answer with after a crash. */
extern "C" __global__ void kg_probe(unsigned *out, unsigned x)
{
    *out = x * 3u + 1u;
}

/* ---- comparison: two passes, the same rules as kg_compare ------------------------------------- */

__device__ static double kg_want(int dtype, const void *want, int is_f64, uint64_t i)
{
    return is_f64 ? ((const double *)want)[i] : kg_load(dtype, want, i);
}

/* Sums of squares of the finite wants, for each row of 'row' elements in 'parts' sums: a block each,
 * so that a long row keeps the whole device busy. */
extern "C" __global__ void kg_row_squares(const void *want, int dtype, int is_f64, uint64_t n,
                                          uint64_t row, uint64_t parts, double *sums)
{
    __shared__ double shared[32];
    uint64_t rows = (n + row - 1) / row, length = (row + parts - 1) / parts;
    for (uint64_t k = blockIdx.x; k < rows * parts; k += gridDim.x) {
        double s = 0;
        uint64_t begin = k / parts * row, end = begin + row < n ? begin + row : n;
        begin += k % parts * length;
        end = begin + length < end ? begin + length : end;
        for (uint64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
            double w = kg_want(dtype, want, is_f64, i);
            if (kg_cmp_is_finite(w))
                s += w * w;
        }
        for (int d = 16; d; d >>= 1)
            s += __shfl_down_sync(0xFFFFFFFFu, s, d);
        if (threadIdx.x % 32 == 0)
            shared[threadIdx.x / 32] = s;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (unsigned w = 1; w < (blockDim.x + 31) / 32; w++)
                s += shared[w];
            sums[k] = s;
        }
        __syncthreads();
    }
}

/* of 'parts' neighbours each one sum */
extern "C" __global__ void kg_add_parts(const double *part, uint64_t parts, uint64_t rows, double *sums)
{
    KG_FOR(r, rows)
    {
        double s = 0;
        for (uint64_t k = 0; k < parts; k++)
            s += part[r * parts + k];
        sums[r] = s;
    }
}

struct kg_part { /* what one block found; space_compare.c has the same */
    unsigned long long bad, unwritten, nonfinite, worst;
    double max_abs, max_rel, sum_sq_err, sum_sq_want, worst_ratio;
};

struct kg_compare_args { /* likewise */
    const void *got, *want;
    const double *row_sums;
    struct kg_part *parts;
    uint64_t poison_key, n, row;
    double rtol, atol_factor, step, scale, overflow;
    int dtype, is_f64, fixed, exact, by_row;
};

__device__ static void kg_note(struct kg_part *p, const struct kg_compare_args *a, uint64_t i,
                               int flags, double got, double want, double ratio)
{
    if (flags & KG_CMP_BAD) {
        p->bad++;
        p->nonfinite += (flags & KG_CMP_NONFINITE) != 0;
        p->unwritten += kg_bits(a->dtype, a->got, i) == kg_poison_bits(a->dtype, a->poison_key, i);
    }
    if (flags & KG_CMP_FINITE) {
        double err = fabs(got - want), rel = err > 0 ? err / fabs(want) : 0;
        p->sum_sq_err += err * err;
        p->sum_sq_want += want * want;
        p->max_abs = err > p->max_abs ? err : p->max_abs;
        if (want != 0 && rel > p->max_rel)
            p->max_rel = rel;
    }
    if (ratio > p->worst_ratio) {
        p->worst_ratio = ratio;
        p->worst = i;
    }
}

__device__ static void kg_one(struct kg_part *p, const struct kg_compare_args *a, uint64_t i)
{
    double got = kg_load(a->dtype, a->got, i), want = kg_want(a->dtype, a->want, a->is_f64, i);
    double infinite = kg_double_of(0x7FFull << 52);
    if (a->exact) {
        int bad = a->is_f64 ? got != want
                            : kg_bits(a->dtype, a->got, i) != kg_bits(a->dtype, a->want, i);
        double err = fabs(got - want);
        kg_note(p, a, i, (bad ? KG_CMP_BAD : KG_CMP_OK) | KG_CMP_FINITE, got, want,
                bad ? (err > 1 ? err : 1) : 0);
        return;
    }
    double scale = a->scale;
    if (a->by_row) {
        uint64_t r = i / a->row;
        uint64_t len = (r + 1) * a->row <= a->n ? a->row : a->n - r * a->row;
        if (len >= KG_CMP_MIN_SCALE)
            scale = sqrt(a->row_sums[r] / (double)len);
    }
    double atol = (a->fixed ? a->atol_factor : a->atol_factor * scale) + a->step;
    double bound = kg_cmp_bound(want, a->rtol, atol), ratio = 0;
    int flags = kg_cmp_element(got, want, bound, a->overflow);
    if (kg_cmp_is_nan(got))
        flags = kg_cmp_written(flags, kg_bits(a->dtype, a->got, i) ==
                                          kg_poison_bits(a->dtype, a->poison_key, i));
    if ((flags & KG_CMP_FINITE) && got != want)
        ratio = bound > 0 ? fabs(got - want) / bound : infinite;
    else if (flags & KG_CMP_BAD)
        ratio = infinite;
    kg_note(p, a, i, flags, got, want, ratio);
}

__device__ static void kg_join(struct kg_part *a, const struct kg_part *b)
{
    a->bad += b->bad;
    a->unwritten += b->unwritten;
    a->nonfinite += b->nonfinite;
    a->sum_sq_err += b->sum_sq_err;
    a->sum_sq_want += b->sum_sq_want;
    a->max_abs = b->max_abs > a->max_abs ? b->max_abs : a->max_abs;
    a->max_rel = b->max_rel > a->max_rel ? b->max_rel : a->max_rel;
    if (b->worst_ratio > a->worst_ratio ||
        (b->worst_ratio == a->worst_ratio && b->worst < a->worst)) {
        a->worst_ratio = b->worst_ratio;
        a->worst = b->worst;
    }
}

extern "C" __global__ void __launch_bounds__(256) kg_compare(struct kg_compare_args a)
{
    __shared__ struct kg_part shared[256];
    struct kg_part mine = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    mine.worst = ~0ull;
    KG_FOR(i, a.n)
    kg_one(&mine, &a, i);
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned d = 128; d; d >>= 1) {
        if (threadIdx.x < d)
            kg_join(&shared[threadIdx.x], &shared[threadIdx.x + d]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        a.parts[blockIdx.x] = shared[0];
}
