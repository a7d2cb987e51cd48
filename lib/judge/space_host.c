#include "judge/space.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include "base/mem.h"
#include "base/mix.h"
#include "base/fs.h"
#include "worker/slotmem.h"

#define PAGE ((size_t)4096)

static void host_close(struct kg_space *s)
{
    free(s);
}

static int host_info(struct kg_space *s, struct kg_device_info *out, struct kg_error *err)
{
    struct sysinfo si;
    *out =
        (struct kg_device_info){.name = "host", .uuid = "host", .emulated = true, .timer = "host"};
    if (!sysinfo(&si)) {
        /* what could be had: the page cache gives way, so it is no memory in use */
        out->mem_free = kg_fs_number("/proc/meminfo", "MemAvailable:") * 1024;
        if (!out->mem_free)
            out->mem_free = (uint64_t)si.freeram * si.mem_unit;
        out->mem_total = (uint64_t)si.totalram * si.mem_unit;
    }
    return 0;
}

static void host_mem_free(struct kg_space *s, struct kg_mem *m)
{
    if (m->use == KG_MEM_PRIVATE && m->map)
        munmap(m->map, m->total);
    else if (m->map)
        kg_slotmem_release(&(struct kg_slotmem){m->fd, m->map, m->total, m->offset, m->bytes,
                                                m->use == KG_MEM_INPUT});
    *m = (struct kg_mem){.fd = -1};
}

static int host_mem_new(struct kg_space *s, enum kg_mem_use use, size_t bytes, struct kg_mem *m,
                        struct kg_error *err)
{
    *m = (struct kg_mem){.use = use, .bytes = bytes, .fd = -1};
    if (use == KG_MEM_PRIVATE) {
        m->total = bytes ? (bytes + PAGE - 1) / PAGE * PAGE : PAGE;
        m->map = mmap(NULL, m->total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (m->map != MAP_FAILED)
            return 0;
        *m = (struct kg_mem){.fd = -1};
        return kg_error_errno(err, KG_E_SYSTEM, "cannot get %zu bytes", bytes);
    }
    struct kg_slotmem slot = KG_SLOTMEM_INIT;
    if (kg_slotmem_make(&slot, bytes, use == KG_MEM_INPUT, err))
        return -1;
    m->fd = slot.fd;
    m->map = slot.map;
    m->total = slot.bytes;
    m->offset = slot.offset;
    return 0;
}

static int host_publish(struct kg_space *s, struct kg_mem *m, const struct kg_instance *in,
                        size_t arg, const struct kg_content *c, struct kg_error *err)
{
    kg_gen_fill(in, arg, c, m->map + m->offset);
    return 0;
}

static int host_poison(struct kg_space *s, struct kg_mem *m, enum kg_dtype t, uint64_t key,
                       size_t count, struct kg_error *err)
{
    kg_poison_fill(t, key, m->map + m->offset, count);
    return 0;
}

static int host_guard(struct kg_space *s, struct kg_mem *m, uint64_t key, struct kg_error *err)
{
    size_t i, back = m->offset + m->bytes;
    for (i = 0; i < m->offset; i++)
        m->map[i] = kg_space_guard_byte(kg_mix64(key ^ i / 4), i);
    for (i = back; i < m->total; i++)
        m->map[i] = kg_space_guard_byte(kg_mix64(key ^ i / 4), i);
    return 0;
}

static int host_guard_check(struct kg_space *s, const struct kg_mem *m, uint64_t key,
                            size_t *touched, int64_t *where, struct kg_error *err)
{
    size_t i, back = m->offset + m->bytes, before = 0, behind = 0;
    *where = 0;
    for (i = 0; i < m->offset; i++)
        if (m->map[i] != kg_space_guard_byte(kg_mix64(key ^ i / 4), i)) {
            before++;
            *where = (int64_t)i - (int64_t)m->offset;
        }
    for (i = m->total; i-- > back;)
        if (m->map[i] != kg_space_guard_byte(kg_mix64(key ^ i / 4), i)) {
            behind++;
            *where = (int64_t)(i - m->offset);
        }
    *touched = before + behind;
    return 0;
}

static int host_copy(struct kg_space *s, struct kg_mem *dst, const struct kg_mem *src,
                     struct kg_error *err)
{
    memcpy(dst->map + dst->offset, src->map + src->offset, src->bytes);
    return 0;
}

static int host_upload(struct kg_space *s, struct kg_mem *dst, const void *src, size_t bytes,
                       struct kg_error *err)
{
    memcpy(dst->map + dst->offset, src, bytes);
    return 0;
}

static int host_read(struct kg_space *s, const struct kg_mem *src, size_t offset, void *dst,
                     size_t bytes, struct kg_error *err)
{
    memcpy(dst, src->map + src->offset + offset, bytes);
    return 0;
}

static int host_hash(struct kg_space *s, const struct kg_mem *m, uint64_t key, size_t bytes,
                     uint64_t *out, struct kg_error *err)
{
    *out = kg_space_hash_bytes(key, m->map + m->offset, bytes);
    return 0;
}

static int host_equal(struct kg_space *s, const struct kg_mem *a, const struct kg_mem *b,
                      size_t bytes, bool *out, struct kg_error *err)
{
    *out = !memcmp(a->map + a->offset, b->map + b->offset, bytes);
    return 0;
}

static int host_compare(struct kg_space *s, const struct kg_instance *in, size_t arg,
                        const struct kg_tolerance *tol, const struct kg_mem *got,
                        const struct kg_mem *want, bool want_is_f64, double scale_rms,
                        uint64_t poison_key, size_t n, struct kg_cmp_stats *out,
                        struct kg_error *err)
{
    const unsigned char *w = want->map + want->offset;
    kg_compare(in, arg, tol, got->map + got->offset, want_is_f64 ? NULL : w,
               want_is_f64 ? (const double *)(const void *)w : NULL, scale_rms, poison_key, n, out);
    return 0;
}

/* No cache is flushed: baseline and candidate find what was just published alike, and times on host
 * are emulated anyway ('l2' in the record says warm). */
static int host_settle(struct kg_space *s, struct kg_error *err)
{
    return 0;
}

static int host_recover(struct kg_space *s, double seconds, struct kg_error *err)
{
    return 0;
}

static const struct kg_space_ops host_ops = {
    .name = "host",
    .close = host_close,
    .info = host_info,
    .mem_new = host_mem_new,
    .mem_free = host_mem_free,
    .publish = host_publish,
    .poison = host_poison,
    .guard = host_guard,
    .guard_check = host_guard_check,
    .copy = host_copy,
    .upload = host_upload,
    .read = host_read,
    .hash = host_hash,
    .equal = host_equal,
    .compare = host_compare,
    .settle = host_settle,
    .recover = host_recover,
};

struct kg_space *kg_space_open_host(struct kg_error *err)
{
    struct kg_space *s = kg_mem_zalloc(sizeof *s);
    s->ops = &host_ops;
    return s;
}
