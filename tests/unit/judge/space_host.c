/* The host's space: guards, poison, hashes, seals. */
#include "judge/space.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

static struct kg_space *s;
static struct kg_error err;

static void guards(void)
{
    struct kg_mem m;
    size_t touched;
    int64_t where;
    OK(!s->ops->mem_new(s, KG_MEM_WRITABLE, 10, &m, &err));
    OK(m.fd >= 0 && m.offset >= 4096 && m.offset % 256 == 0);
    OK(m.total >= m.offset + 10 + 4096);
    OK(!s->ops->guard(s, &m, 7, &err));
    memset(m.map + m.offset, 0, 10); /* the payload is no guard */
    OK(!s->ops->guard_check(s, &m, 7, &touched, &where, &err));
    EQ_INT(touched, 0);
    static const int64_t at[] = {-1, -4096, 10, 11, 4000};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        unsigned char *p = m.map + m.offset + at[i];
        *p ^= 1;
        s->ops->guard_check(s, &m, 7, &touched, &where, &err);
        EQ_INT(touched, 1);
        EQ_INT(where, at[i]);
        *p ^= 1;
    }
    s->ops->guard_check(s, &m, 8, &touched, &where, &err);
    OK(touched > 8000); /* another key, another pattern */
    m.map[m.total - 1] ^= 1;
    s->ops->guard_check(s, &m, 7, &touched, &where, &err);
    EQ_INT(touched, 1);
    EQ_INT(where, (int64_t)(m.total - m.offset) - 1);
    s->ops->mem_free(s, &m);
    EQ_INT(m.fd, -1);
}

static void seals(void)
{
    struct kg_mem in, out;
    OK(!s->ops->mem_new(s, KG_MEM_INPUT, 100, &in, &err));
    OK(!s->ops->mem_new(s, KG_MEM_WRITABLE, 100, &out, &err));
    OK(ftruncate(in.fd, 0) && errno == EPERM);
    OK(ftruncate(out.fd, 0) && errno == EPERM);
    OK(ftruncate(out.fd, 1 << 20) && errno == EPERM);
    OK(mmap(NULL, in.total, PROT_READ | PROT_WRITE, MAP_SHARED, in.fd, 0) == MAP_FAILED);
    void *p = mmap(NULL, in.total, PROT_READ, MAP_SHARED, in.fd, 0);
    OK(p != MAP_FAILED);
    in.map[in.offset] = 42; /* the judge's own mapping still writes */
    EQ_INT(((unsigned char *)p)[in.offset], 42);
    OK(mprotect(p, in.total, PROT_READ | PROT_WRITE) != 0);
    munmap(p, in.total);
    OK(pwrite(in.fd, "x", 1, 0) < 0);
    OK(fcntl(in.fd, F_ADD_SEALS, F_SEAL_WRITE) != 0);
    s->ops->mem_free(s, &in);
    s->ops->mem_free(s, &out);
}

static void hashes(void)
{
    unsigned char a[23], b[23];
    memset(a, 5, sizeof a);
    memcpy(b, a, sizeof a);
    EQ_INT(kg_space_hash_bytes(1, a, 23), kg_space_hash_bytes(1, b, 23));
    OK(kg_space_hash_bytes(1, a, 23) != kg_space_hash_bytes(2, a, 23));
    OK(kg_space_hash_bytes(1, a, 23) != kg_space_hash_bytes(1, a, 22));
    for (int i = 0; i < 23; i++) {
        b[i] ^= 0x80;
        OK(kg_space_hash_bytes(1, a, 23) != kg_space_hash_bytes(1, b, 23));
        b[i] ^= 0x80;
    }
    memset(a, 0, sizeof a);
    OK(kg_space_hash_bytes(1, a, 20) != kg_space_hash_bytes(1, a, 21)); /* padding is not content */
    b[0] = 1;
    memset(b + 1, 0, 22);
    memset(a, 0, sizeof a);
    a[4] = 1; /* the same words at other places */
    OK(kg_space_hash_bytes(1, a, 8) != kg_space_hash_bytes(1, b, 8));
    struct kg_mem m;
    uint64_t h;
    s->ops->mem_new(s, KG_MEM_PRIVATE, 23, &m, &err);
    s->ops->upload(s, &m, a, 23, &err);
    s->ops->hash(s, &m, 9, 23, &h, &err);
    OK(h == kg_space_hash_bytes(9, a, 23));
    s->ops->mem_free(s, &m);
}

static void copies(void)
{
    struct kg_mem slot, snap;
    bool same;
    unsigned char got[5];
    s->ops->mem_new(s, KG_MEM_WRITABLE, 5, &slot, &err);
    s->ops->mem_new(s, KG_MEM_PRIVATE, 5, &snap, &err);
    EQ_INT(snap.fd, -1);
    s->ops->upload(s, &slot, "hello", 5, &err);
    s->ops->copy(s, &snap, &slot, &err);
    s->ops->equal(s, &snap, &slot, 5, &same, &err);
    OK(same);
    slot.map[slot.offset + 4] = 'p';
    s->ops->equal(s, &snap, &slot, 5, &same, &err);
    OK(!same);
    s->ops->equal(s, &snap, &slot, 4, &same, &err);
    OK(same);
    s->ops->read(s, &snap, 1, got, 4, &err);
    OK(!memcmp(got, "ello", 4));
    s->ops->mem_free(s, &slot);
    s->ops->mem_free(s, &snap);
}

static void poisons(void)
{
    struct kg_mem m;
    s->ops->mem_new(s, KG_MEM_WRITABLE, 400, &m, &err);
    s->ops->poison(s, &m, KG_FLOAT32, 3, 100, &err);
    int left = 0, other = 0;
    for (size_t i = 0; i < 100; i++) {
        float f;
        memcpy(&f, m.map + m.offset + 4 * i, 4);
        left += kg_poison_is(KG_FLOAT32, 3, m.map + m.offset, i) && isnan(f);
        other += kg_poison_is(KG_FLOAT32, 4, m.map + m.offset, i);
    }
    EQ_INT(left, 100);
    EQ_INT(other, 0);
    s->ops->mem_free(s, &m);
    OK(!s->ops->mem_new(s, KG_MEM_WRITABLE, 0, &m, &err)); /* an empty array is one too */
    s->ops->mem_free(s, &m);
}

int main(void)
{
    s = kg_space_open("host", &err);
    OK(s != NULL);
    guards();
    seals();
    hashes();
    copies();
    poisons();
    kg_space_close(s);
    OK(!kg_space_open("no-such-device", &err));
    return tap_done();
}
