/*
 * An arena: many small allocations, freed together. Everything parsed from one document lives in
 * that document's arena and dies with one call.
 */
#ifndef KG_BASE_ARENA_H
#define KG_BASE_ARENA_H

#include <stddef.h>

struct kg_arena_block;
struct kg_arena {
    struct kg_arena_block *head;
};

#define KG_ARENA_INIT                                                                              \
    {                                                                                              \
        0                                                                                          \
    }

void *kg_arena_alloc(struct kg_arena *a, size_t n); /* cleared, aligned for any type */
void *kg_arena_array(struct kg_arena *a, size_t n, size_t size);
char *kg_arena_strdup(struct kg_arena *a, const char *s);
char *kg_arena_strndup(struct kg_arena *a, const char *s, size_t n);
char *kg_arena_printf(struct kg_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void kg_arena_reset(struct kg_arena *a);   /* frees all but one block, which is used again */
void kg_arena_release(struct kg_arena *a); /* frees all */

#endif
