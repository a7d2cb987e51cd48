#include "judge/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/mix.h"
#include "base/num.h"
#include "device/gpu.h"
#include "device/nvml.h"
#include "judge/space_cuda.h"

#define FRONT_GUARD ((size_t)64 << 10)
#define BACK_GUARD  ((size_t)64 << 10) /* at least; it runs to the end of the last granule */
#define FOUND_WORDS 4

struct cuda_space {
    struct kg_space base;
    struct kg_gpu *gpu;
    struct kg_space_kernels k;
    uint64_t found; /* FOUND_WORDS 64-bit words on the device */
    uint64_t flush; /* twice the L2 that is written, and as much again that is only read */
    size_t flush_bytes;
    uint64_t scratch; /* of a comparison: grown as needed */
    size_t scratch_bytes;
    unsigned salt;
    double read_gb_s;
};

static struct cuda_space *of(struct kg_space *s)
{
    return (struct cuda_space *)s;
}

/* ---- memory ------------------------------------------------------------------------------ */

static void cuda_mem_free(struct kg_space *s, struct kg_mem *m)
{
    struct cuda_space *c = of(s);
    if (m->impl) {
        kg_gpu_shared_free(c->gpu, m->impl);
        free(m->impl);
    } else {
        kg_gpu_free(c->gpu, m->device);
    }
    *m = (struct kg_mem){.fd = -1};
}

static int cuda_mem_new(struct kg_space *s, enum kg_mem_use use, size_t bytes, struct kg_mem *m,
                        struct kg_error *err)
{
    struct cuda_space *c = of(s);
    *m = (struct kg_mem){.use = use, .bytes = bytes, .fd = -1};
    if (use == KG_MEM_PRIVATE) {
        m->total = bytes;
        return kg_gpu_alloc(c->gpu, bytes, &m->device, err);
    }
    struct kg_gpu_shared *shared = kg_mem_zalloc(sizeof *shared);
    if (kg_gpu_shared_new(c->gpu, FRONT_GUARD + bytes + BACK_GUARD, shared, err)) {
        free(shared);
        *m = (struct kg_mem){.fd = -1};
        return -1;
    }
    m->impl = shared;
    m->fd = shared->fd;
    m->device = shared->address;
    m->total = shared->bytes;
    m->offset = FRONT_GUARD;
    return 0;
}

static uint64_t payload(const struct kg_mem *m)
{
    return m->device + m->offset;
}

/* ---- content ----------------------------------------------------------------------------- */

static int fill(struct cuda_space *c, uint64_t dst, struct kg_gen *g, uint64_t begin, uint64_t end,
                struct kg_error *err)
{
    void *args[] = {&dst, g, &begin, &end};
    bool blocks = kg_gen_in_blocks(g->kind);
    uint64_t n = blocks ? (end - begin) / (uint64_t)g->lanes + 2 : end - begin;
    if (begin >= end)
        return 0;
    return kg_gpu_launch_n(c->gpu, blocks ? c->k.fill_blocks : c->k.fill_values, n, args, err);
}

static int cuda_publish(struct kg_space *s, struct kg_mem *m, const struct kg_instance *in,
                        size_t arg, const struct kg_content *content, struct kg_error *err)
{
    struct cuda_space *c = of(s);
    struct kg_gen g = kg_gen_make(in, arg, content, false);
    if (fill(c, payload(m), &g, 0, in->args[arg].count, err))
        return -1;
    uint64_t begin, end;
    kg_gen_patch_range(in, arg, content, &begin, &end);
    if (begin < end) {
        g = kg_gen_make(in, arg, content, true);
        if (fill(c, payload(m), &g, begin, end, err))
            return -1;
    }
    return kg_gpu_synchronize(c->gpu, err);
}

static int cuda_poison(struct kg_space *s, struct kg_mem *m, enum kg_dtype t, uint64_t key,
                       size_t count, struct kg_error *err)
{
    struct cuda_space *c = of(s);
    uint64_t dst = payload(m), n = count;
    int dtype = t;
    void *args[] = {&dst, &dtype, &key, &n};
    return kg_gpu_launch_n(c->gpu, c->k.poison, n, args, err) || kg_gpu_synchronize(c->gpu, err)
               ? -1
               : 0;
}

static int cuda_guard(struct kg_space *s, struct kg_mem *m, uint64_t key, struct kg_error *err)
{
    struct cuda_space *c = of(s);
    uint64_t front = m->offset, back = m->offset + m->bytes, total = m->total;
    void *args[] = {&m->device, &key, &front, &back, &total};
    return kg_gpu_launch_n(c->gpu, c->k.guard, front + total - back, args, err) ||
                   kg_gpu_synchronize(c->gpu, err)
               ? -1
               : 0;
}

/* Words of c->found are set, the kernel adds to them, and they are read back. */
static int with_found(struct cuda_space *c, uint64_t kernel, uint64_t n, void **args,
                      uint64_t found[FOUND_WORDS], struct kg_error *err)
{
    size_t bytes = FOUND_WORDS * sizeof *found;
    return kg_gpu_upload(c->gpu, c->found, found, bytes, err) ||
                   kg_gpu_launch_n(c->gpu, kernel, n, args, err) ||
                   kg_gpu_read(c->gpu, found, c->found, bytes, err)
               ? -1
               : 0;
}

static int cuda_guard_check(struct kg_space *s, const struct kg_mem *m, uint64_t key,
                            size_t *touched, int64_t *where, struct kg_error *err)
{
    struct cuda_space *c = of(s);
    uint64_t slot = m->device, front = m->offset, back = m->offset + m->bytes, total = m->total;
    uint64_t found[FOUND_WORDS] = {0, 0, UINT64_MAX, 0};
    void *args[] = {&slot, &key, &front, &back, &total, &c->found};
    if (with_found(c, c->k.guard_check, front + total - back, args, found, err))
        return -1;
    *touched = found[0];
    *where = 0;
    if (found[2] != UINT64_MAX)
        *where = (int64_t)(found[2] - front);
    else if (found[1])
        *where = (int64_t)(found[1] - 1) - (int64_t)front;
    return 0;
}

static int cuda_copy(struct kg_space *s, struct kg_mem *dst, const struct kg_mem *src,
                     struct kg_error *err)
{
    return kg_gpu_copy(of(s)->gpu, payload(dst), payload(src), src->bytes, err);
}

static int cuda_upload(struct kg_space *s, struct kg_mem *dst, const void *src, size_t bytes,
                       struct kg_error *err)
{
    return kg_gpu_upload(of(s)->gpu, payload(dst), src, bytes, err);
}

static int cuda_read(struct kg_space *s, const struct kg_mem *src, size_t offset, void *dst,
                     size_t bytes, struct kg_error *err)
{
    return kg_gpu_read(of(s)->gpu, dst, payload(src) + offset, bytes, err);
}

static int cuda_hash(struct kg_space *s, const struct kg_mem *m, uint64_t key, size_t bytes,
                     uint64_t *out, struct kg_error *err)
{
    struct cuda_space *c = of(s);
    uint64_t p = payload(m), n = bytes, found[FOUND_WORDS] = {0};
    void *args[] = {&p, &key, &n, &c->found};
    if (with_found(c, c->k.hash, (n + 3) / 4, args, found, err))
        return -1;
    *out = found[0] + kg_mix_word(key, ~(uint64_t)0, (uint32_t)bytes);
    return 0;
}

static int cuda_equal(struct kg_space *s, const struct kg_mem *a, const struct kg_mem *b,
                      size_t bytes, bool *out, struct kg_error *err)
{
    struct cuda_space *c = of(s);
    uint64_t x = payload(a), y = payload(b), n = bytes, found[FOUND_WORDS] = {0};
    void *args[] = {&x, &y, &n, &c->found};
    if (with_found(c, c->k.differs, n / 16 + 1, args, found, err))
        return -1;
    *out = !found[0];
    return 0;
}

/* ---- cache and health -------------------------------------------------------------------- */

static int cuda_settle(struct kg_space *s, struct kg_error *err)
{
    struct cuda_space *c = of(s);
    uint64_t n = c->flush_bytes / 16, clean = c->flush + c->flush_bytes;
    unsigned salt = c->salt = c->salt * 1103515245u + 12345u;
    void *dirty_args[] = {&c->flush, &n, &salt}, *clean_args[] = {&clean, &n, &c->found};
    if (s->warm)
        return kg_gpu_synchronize(c->gpu, err);
    /* first everything is pushed out by writes, then their dirty lines by reads: what the next
     * kernel evicts costs it no write-back, as after the vendor's profiler has emptied the cache */
    return kg_gpu_reset_l2(c->gpu, err) ||
                   kg_gpu_launch_n(c->gpu, c->k.flush, n, dirty_args, err) ||
                   kg_gpu_launch_n(c->gpu, c->k.read, n, clean_args, err) ||
                   kg_gpu_synchronize(c->gpu, err)
               ? -1
               : 0;
}

static int probe(struct cuda_space *c, struct kg_error *err)
{
    unsigned x = (c->salt = c->salt * 1103515245u + 12345u), got = 0;
    const unsigned one[3] = {1, 1, 1};
    void *args[] = {&c->found, &x};
    if (kg_gpu_launch(c->gpu, c->k.probe, one, one, 0, args, NULL, err) ||
        kg_gpu_read(c->gpu, &got, c->found, sizeof got, err))
        return -1;
    if (got == x * 3u + 1u)
        return 0;
    return kg_error_set(err, KG_E_LOST, "the device computes wrong results");
}

/* The memory of a killed process comes back when the driver has torn its context down. */
static int cuda_recover(struct kg_space *s, double seconds, struct kg_error *err)
{
    struct cuda_space *c = of(s);
    double until = kg_clock_now() + seconds;
    uint64_t before = 0, now = 0, total;
    if (probe(c, err) || kg_gpu_mem_info(c->gpu, &before, &total, err))
        return -1;
    while (kg_clock_now() < until) {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        if (kg_gpu_mem_info(c->gpu, &now, &total, err))
            return -1;
        if (now <= before)
            break; /* nothing more came back: it is all there */
        before = now;
    }
    return probe(c, err);
}

/* ---- the device -------------------------------------------------------------------------- */

static int cuda_info(struct kg_space *s, struct kg_device_info *out, struct kg_error *err)
{
    struct cuda_space *c = of(s);
    const struct kg_cuda_device *d = kg_gpu_device(c->gpu);
    *out = (struct kg_device_info){.timer = "cupti", .l2_bytes = kg_gpu_l2_bytes(c->gpu)};
    snprintf(out->name, sizeof out->name, "%.127s", d->name);
    snprintf(out->uuid, sizeof out->uuid, "%s", d->uuid);
    out->read_gb_s = c->read_gb_s;
    struct kg_nvml_state state;
    kg_nvml_state(d->uuid, &state);
    out->sm_clock_mhz = state.sm_clock_mhz;
    out->throttled = state.throttled;
    return kg_gpu_mem_info(c->gpu, &out->mem_free, &out->mem_total, err);
}

/* Best of five reads of 1 GiB (or a quarter of what is free), by the judge's clock: a launch and a
 * synchronise of some 10 us are in it, so it is a little low, and the floor is a little late. */
static int measure_bandwidth(struct cuda_space *c, double *gb_s, struct kg_error *err)
{
    uint64_t mem_free, total, p;
    if (kg_gpu_mem_info(c->gpu, &mem_free, &total, err))
        return -1;
    uint64_t bytes = (uint64_t)1 << 30;
    if (bytes > mem_free / 4)
        bytes = mem_free / 4 / 16 * 16;
    if (kg_gpu_alloc(c->gpu, bytes, &p, err))
        return -1;
    uint64_t n = bytes / 16;
    void *args[] = {&p, &n, &c->found};
    double best = 0;
    int rc = kg_gpu_launch_n(c->gpu, c->k.read, n, args, err) || kg_gpu_synchronize(c->gpu, err);
    for (int i = 0; !rc && i < 5; i++) {
        double t = kg_clock_now();
        rc = kg_gpu_launch_n(c->gpu, c->k.read, n, args, err) || kg_gpu_synchronize(c->gpu, err);
        t = kg_clock_now() - t;
        if (!rc && (double)bytes / t / 1e9 > best)
            best = (double)bytes / t / 1e9;
    }
    kg_gpu_free(c->gpu, p);
    *gb_s = best;
    return rc ? -1 : 0;
}

/* Measured once for a device and kept beside the other caches. */
static int find_bandwidth(struct cuda_space *c, struct kg_error *err)
{
    char *dir = kg_fs_cache("device", NULL), *path = NULL;
    struct kg_buf text = KG_BUF_INIT;
    kg_buf_init(&text, 64);
    int rc = 0;
    if (dir)
        path = kg_mem_printf("%s/%s.read_gb_s", dir, kg_gpu_device(c->gpu)->uuid);
    if (!path || kg_fs_read(path, &text, NULL) ||
        kg_num_double(kg_buf_str(&text), 1, 1e6, &c->read_gb_s, NULL)) {
        char number[KG_NUM_TEXT];
        rc = measure_bandwidth(c, &c->read_gb_s, err);
        /* a cache that cannot be written costs only time */
        if (!rc && path)
            kg_fs_write(path, number, kg_num_format(c->read_gb_s, number), 0600, NULL);
    }
    kg_buf_release(&text);
    free(path);
    free(dir);
    return rc;
}

/* ---- comparison: see space_cuda_compare in space_compare.c -------------------------------- */

static int cuda_compare(struct kg_space *s, const struct kg_instance *in, size_t arg,
                        const struct kg_tolerance *tol, const struct kg_mem *got,
                        const struct kg_mem *want, bool want_is_f64, double scale_rms,
                        uint64_t poison_key, size_t n, struct kg_cmp_stats *out,
                        struct kg_error *err)
{
    struct cuda_space *c = of(s);
    size_t need = kg_space_compare_scratch(in, arg, n);
    if (need > c->scratch_bytes) {
        kg_gpu_free(c->gpu, c->scratch);
        c->scratch_bytes = 0;
        if (kg_gpu_alloc(c->gpu, need, &c->scratch, err))
            return -1;
        c->scratch_bytes = need;
    }
    struct kg_space_compare_call call = {.in = in,
                                         .arg = arg,
                                         .tol = tol,
                                         .got = payload(got),
                                         .want = payload(want),
                                         .want_is_f64 = want_is_f64,
                                         .scale_rms = scale_rms,
                                         .poison_key = poison_key,
                                         .n = n,
                                         .scratch = c->scratch};
    return kg_space_compare_gpu(c->gpu, &c->k, &call, out, err);
}

static void cuda_close(struct kg_space *s)
{
    struct cuda_space *c = of(s);
    kg_gpu_free(c->gpu, c->found);
    kg_gpu_free(c->gpu, c->flush);
    kg_gpu_free(c->gpu, c->scratch);
    kg_gpu_module_free(c->gpu, c->k.module);
    kg_gpu_close(c->gpu);
    free(c);
}

static const struct kg_space_ops cuda_ops = {
    .name = "cuda",
    .close = cuda_close,
    .info = cuda_info,
    .mem_new = cuda_mem_new,
    .mem_free = cuda_mem_free,
    .publish = cuda_publish,
    .poison = cuda_poison,
    .guard = cuda_guard,
    .guard_check = cuda_guard_check,
    .copy = cuda_copy,
    .upload = cuda_upload,
    .read = cuda_read,
    .hash = cuda_hash,
    .equal = cuda_equal,
    .compare = cuda_compare,
    .settle = cuda_settle,
    .recover = cuda_recover,
};

/* "cuda:N" or a UUID -> index; -1 with err. */
static int find_index(const char *device, struct kg_error *err)
{
    int64_t index = -1;
    int n = kg_cuda_count(err);
    if (n < 0)
        return -1;
    if (!strcmp(device, "cuda"))
        index = 0;
    else if (!strncmp(device, "cuda:", 5) && kg_num_int(device + 5, 0, 1 << 16, &index, err))
        return -1;
    for (int i = 0; i < n && index < 0; i++) {
        struct kg_cuda_device d;
        if (kg_cuda_device(i, &d, err))
            return -1;
        if (!strcmp(d.uuid, device))
            index = i;
    }
    if (index >= 0 && index < n)
        return (int)index;
    return kg_error_set(err, KG_E_MISSING, "device '%s' is not there: %d visible", device, n);
}

struct kg_space *kg_space_open_cuda(const char *device, struct kg_error *err)
{
    int index = find_index(device, err);
    if (index < 0)
        return NULL;
    struct cuda_space *c = kg_mem_zalloc(sizeof *c);
    c->base.ops = &cuda_ops;
    c->salt = (unsigned)index + 1;
    c->gpu = kg_gpu_open(index, err);
    if (!c->gpu) {
        free(c);
        return NULL;
    }
    c->flush_bytes = 2 * kg_gpu_l2_bytes(c->gpu);
    if (kg_space_kernels_load(c->gpu, &c->k, err) ||
        kg_gpu_alloc(c->gpu, FOUND_WORDS * 8, &c->found, err) ||
        kg_gpu_alloc(c->gpu, 2 * c->flush_bytes, &c->flush, err) || find_bandwidth(c, err)) {
        cuda_close(&c->base);
        return NULL;
    }
    return &c->base;
}
