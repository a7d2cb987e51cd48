/*
 * Texts and their numbers: equal texts get one number, counted from 0, and one pointer.
 */
#ifndef KG_RL_INTERN_H
#define KG_RL_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct kg_intern {
    struct kg_intern_entry {
        const char *text;
        size_t len;
        uint64_t hash;
    } * entry;      /* [n], by number */
    uint32_t *slot; /* [cap], number + 1; 0: free */
    size_t n, n_alloc, cap;
    struct kg_arena arena;
};

#define KG_INTERN_INIT                                                                             \
    {                                                                                              \
        0                                                                                          \
    }

/* The number of the text (its bytes may hold NULs); *is_new may be NULL. */
uint32_t kg_intern(struct kg_intern *t, const char *text, size_t len, bool *is_new);
const char *kg_intern_text(const struct kg_intern *t, uint32_t number); /* NUL-terminated */
void kg_intern_release(struct kg_intern *t);

#endif
