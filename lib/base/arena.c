#include "base/arena.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 16384
#define KEEP_BYTES  ((size_t)1 << 20)
#define ALIGNMENT   16

struct kg_arena_block {
    struct kg_arena_block *next;
    size_t used, size;
    _Alignas(ALIGNMENT) char data[];
};

static struct kg_arena_block *add_block(struct kg_arena *a, size_t n)
{
    size_t size = n > BLOCK_BYTES ? n : BLOCK_BYTES;
    if (size > SIZE_MAX - sizeof(struct kg_arena_block))
        kg_mem_array(SIZE_MAX, 2); /* ends the program: out of memory */
    struct kg_arena_block *b = kg_mem_alloc(sizeof *b + size);
    b->next = a->head;
    b->used = 0;
    b->size = size;
    a->head = b;
    return b;
}

void *kg_arena_alloc(struct kg_arena *a, size_t n)
{
    n = (n + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct kg_arena_block *b = a->head;
    if (!b || b->size - b->used < n)
        b = add_block(a, n);
    void *p = b->data + b->used;
    b->used += n;
    return memset(p, 0, n);
}

void *kg_arena_array(struct kg_arena *a, size_t n, size_t size)
{
    if (size && n > (SIZE_MAX - ALIGNMENT) / size)
        kg_mem_array(n, size); /* ends the program: out of memory */
    return kg_arena_alloc(a, n * size);
}

char *kg_arena_strndup(struct kg_arena *a, const char *s, size_t n)
{
    char *p = kg_arena_alloc(a, n + 1);
    if (n)
        memcpy(p, s, n);
    return p;
}

char *kg_arena_strdup(struct kg_arena *a, const char *s)
{
    return kg_arena_strndup(a, s, strlen(s));
}

char *kg_arena_printf(struct kg_arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = kg_arena_alloc(a, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}

void kg_arena_reset(struct kg_arena *a)
{
    struct kg_arena_block *keep = NULL; /* the largest: the next document is like this one */
    for (struct kg_arena_block *b = a->head, *next; b; b = next) {
        next = b->next;
        if (b->size <= KEEP_BYTES && (!keep || b->size > keep->size)) {
            free(keep);
            keep = b;
        } else {
            free(b);
        }
    }
    if (keep) {
        keep->next = NULL;
        keep->used = 0;
    }
    a->head = keep;
}

void kg_arena_release(struct kg_arena *a)
{
    for (struct kg_arena_block *b = a->head, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    a->head = NULL;
}
