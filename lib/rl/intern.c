#include "rl/intern.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

/* FNV-1a, finished so that the low bits are as good as the others */
static uint64_t hash_of(const char *s, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h ^ (h >> 29);
}

static void grow(struct kg_intern *t)
{
    size_t cap = t->cap ? 2 * t->cap : FIRST_SLOTS;
    uint32_t *slot = kg_mem_array(cap, sizeof *slot);
    for (size_t i = 0; i < t->n; i++) {
        size_t at = t->entry[i].hash & (cap - 1);
        while (slot[at])
            at = (at + 1) & (cap - 1);
        slot[at] = (uint32_t)i + 1;
    }
    free(t->slot);
    t->slot = slot;
    t->cap = cap;
}

uint32_t kg_intern(struct kg_intern *t, const char *text, size_t len, bool *is_new)
{
    uint64_t h = hash_of(text, len);
    if (2 * (t->n + 1) > t->cap)
        grow(t);
    size_t at = h & (t->cap - 1);
    for (; t->slot[at]; at = (at + 1) & (t->cap - 1)) {
        const struct kg_intern_entry *e = &t->entry[t->slot[at] - 1];
        if (e->hash == h && e->len == len && !memcmp(e->text, text, len)) {
            if (is_new)
                *is_new = false;
            return t->slot[at] - 1;
        }
    }
    t->entry = kg_mem_grow(t->entry, t->n, &t->n_alloc, sizeof *t->entry);
    t->entry[t->n] = (struct kg_intern_entry){kg_arena_strndup(&t->arena, text, len), len, h};
    t->slot[at] = (uint32_t)++t->n;
    if (is_new)
        *is_new = true;
    return (uint32_t)t->n - 1;
}

const char *kg_intern_text(const struct kg_intern *t, uint32_t number)
{
    return t->entry[number].text;
}

void kg_intern_release(struct kg_intern *t)
{
    free(t->entry);
    free(t->slot);
    kg_arena_release(&t->arena);
    memset(t, 0, sizeof *t);
}
