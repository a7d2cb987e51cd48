#include "worker/slotmem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#define PAGE 4096

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static int seal(struct kg_slotmem *s, struct kg_error *err)
{
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if (s->read_only)
        seals |= F_SEAL_FUTURE_WRITE;
    if (fcntl(s->fd, F_ADD_SEALS, seals))
        return kg_error_errno(err, KG_E_SYSTEM, "cannot seal a slot");
    return 0;
}

int kg_slotmem_make(struct kg_slotmem *s, size_t payload, bool read_only, struct kg_error *err)
{
    *s = (struct kg_slotmem)KG_SLOTMEM_INIT;
    if (payload > SIZE_MAX / 4)
        return kg_error_set(err, KG_E_LIMIT, "a slot of %zu bytes", payload);
    s->offset = round_up(KG_SLOT_GUARD, KG_SLOT_ALIGN);
    s->payload = payload;
    s->bytes = round_up(s->offset + payload + KG_SLOT_GUARD, PAGE);
    s->read_only = read_only;
    s->fd = memfd_create("kg-slot", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (s->fd < 0)
        return kg_error_errno(err, KG_E_SYSTEM, "cannot make a slot");
    void *map = MAP_FAILED;
    if (ftruncate(s->fd, (off_t)s->bytes))
        kg_error_errno(err, KG_E_SYSTEM, "cannot make a slot of %zu bytes", s->bytes);
    else
        map = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    if (map == MAP_FAILED) {
        kg_error_errno(err, KG_E_SYSTEM, "cannot map a slot of %zu bytes", s->bytes);
        kg_slotmem_release(s);
        return -1;
    }
    s->map = map;
    if (seal(s, err)) {
        kg_slotmem_release(s);
        return -1;
    }
    return 0;
}

void kg_slotmem_release(struct kg_slotmem *s)
{
    if (s->map)
        munmap(s->map, s->bytes);
    if (s->fd >= 0)
        close(s->fd);
    *s = (struct kg_slotmem)KG_SLOTMEM_INIT;
}

/* Somewhere in the lower 46 bits: two draws meet about never, and unmapped slots are not met again.
 */
static void *random_place(void)
{
    uint64_t r = 0;
    if (getrandom(&r, sizeof r, 0) != (ssize_t)sizeof r)
        return NULL;
    return (void *)(uintptr_t)(0x100000000000ull + (r % 0x200000000ull) * PAGE);
}

void *kg_slotmem_map(int fd, size_t bytes, bool read_only, struct kg_error *err)
{
    int prot = read_only ? PROT_READ : PROT_READ | PROT_WRITE;
    void *p = mmap(random_place(), bytes, prot, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (p != MAP_FAILED)
        return p;
    kg_error_errno(err, errno == ENOMEM ? KG_E_LIMIT : KG_E_SYSTEM,
                   "cannot map a slot of %zu bytes", bytes);
    return NULL;
}
