#include "base/arena.h"
#include "tap.h"

#include <stdint.h>

int main(void)
{
    struct kg_arena a = KG_ARENA_INIT;
    int clear = 1, aligned = 1;
    for (int round = 0; round < 3; round++) {
        for (size_t n = 1; n < 3000; n += 7) {
            unsigned char *p = kg_arena_alloc(&a, n);
            aligned = aligned && (uintptr_t)p % 16 == 0;
            for (size_t i = 0; i < n; i++)
                clear = clear && p[i] == 0;
            memset(p, 0xAA, n);
        }
        kg_arena_reset(&a); /* used again: must be cleared again */
    }
    OK(clear);
    OK(aligned);
    char *big = kg_arena_alloc(&a, 1 << 20);
    big[(1 << 20) - 1] = 1;
    EQ_STR(kg_arena_strdup(&a, "abc"), "abc");
    char *part = kg_arena_strndup(&a, "a\0bc", 3);
    OK(!memcmp(part, "a\0b", 4));
    EQ_STR(kg_arena_strndup(&a, NULL, 0), "");
    EQ_STR(kg_arena_printf(&a, "%s-%d", "x", 5), "x-5");
    uint64_t *v = kg_arena_array(&a, 100, sizeof *v);
    EQ_INT(v[99], 0);
    kg_arena_release(&a);
    kg_arena_release(&a);
    kg_arena_reset(&a);
    EQ_STR(kg_arena_strdup(&a, ""), "");
    kg_arena_release(&a);
    return tap_done();
}
