/* Slots: sealed, aligned, guarded; a worker cannot shrink them or write to inputs. */
#include "worker/slotmem.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_layout(size_t payload)
{
    struct kg_slotmem s;
    struct kg_error err = KG_ERROR_INIT;
    EQ_INT(kg_slotmem_make(&s, payload, false, &err), 0);
    EQ_INT((uintptr_t)kg_slotmem_payload(&s) % KG_SLOT_ALIGN, 0);
    OK(s.offset >= KG_SLOT_GUARD);
    OK(kg_slotmem_tail(&s) >= KG_SLOT_GUARD);
    EQ_INT(s.offset + s.payload + kg_slotmem_tail(&s), s.bytes);
    struct stat st;
    EQ_INT(fstat(s.fd, &st), 0);
    EQ_INT(st.st_size, s.bytes);
    memset(s.map, 0x5a, s.bytes); /* all of it is there */
    kg_slotmem_release(&s);
    EQ_INT(s.fd, -1);
}

static void test_seals(bool read_only)
{
    struct kg_slotmem s;
    EQ_INT(kg_slotmem_make(&s, 10000, read_only, NULL), 0);
    EQ_INT(ftruncate(s.fd, 0), -1);
    EQ_INT(errno, EPERM);
    EQ_INT(ftruncate(s.fd, 1 << 20), -1);
    EQ_INT(fcntl(s.fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    void *w = mmap(NULL, s.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0);
    EQ_INT(w == MAP_FAILED, read_only);
    if (w != MAP_FAILED)
        munmap(w, s.bytes);
    EQ_INT(pwrite(s.fd, "x", 1, 0), read_only ? -1 : 1);
    if (read_only) {
        void *r = kg_slotmem_map(s.fd, s.bytes, true, NULL);
        OK(r != NULL);
        EQ_INT(mprotect(r, s.bytes, PROT_READ | PROT_WRITE), -1);
        kg_slotmem_payload(&s)[5] = 77; /* the judge still writes, and the worker sees it */
        EQ_INT(((unsigned char *)r)[s.offset + 5], 77);
        munmap(r, s.bytes);
        struct kg_error err = KG_ERROR_INIT;
        OK(kg_slotmem_map(s.fd, s.bytes, false, &err) == NULL);
        HAS(err.text, "cannot map a slot");
    }
    kg_slotmem_release(&s);
}

/* "new address": mapping again after unmapping does not come back to the same place */
static void test_addresses(void)
{
    struct kg_slotmem s;
    void *seen[16];
    EQ_INT(kg_slotmem_make(&s, 1 << 16, false, NULL), 0);
    int same = 0;
    for (int i = 0; i < 16; i++) {
        seen[i] = kg_slotmem_map(s.fd, s.bytes, false, NULL);
        for (int j = 0; j < i; j++)
            same += seen[i] == seen[j];
        munmap(seen[i], s.bytes);
    }
    EQ_INT(same, 0);
    kg_slotmem_release(&s);
}

static void test_too_large(void)
{
    struct kg_slotmem s;
    struct kg_error err = KG_ERROR_INIT;
    EQ_INT(kg_slotmem_make(&s, SIZE_MAX / 2, false, &err), -1);
    EQ_INT(err.code, KG_E_LIMIT);
    EQ_INT(s.fd, -1);
    kg_slotmem_release(&s);
}

int main(void)
{
    static const size_t sizes[] = {0, 1, 255, 256, 4096, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        test_layout(sizes[i]);
    test_seals(false);
    test_seals(true);
    test_addresses();
    test_too_large();
    return tap_done();
}
