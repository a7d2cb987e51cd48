#include "base/bound.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void join(struct kg_bound_item *to, struct kg_bound_item *from)
{
    to->bytes += from->bytes;
    if (from->used_ns > to->used_ns)
        to->used_ns = from->used_ns;
    free(from->name);
}

void kg_bound_add(struct kg_bound *b, char *name, const struct stat *st)
{
    struct kg_bound_item item = {name, (int64_t)st->st_blocks * 512,
                                 (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec};
    b->bytes += item.bytes;
    if (b->n && !strcmp(b->v[b->n - 1].name, name)) {
        join(&b->v[b->n - 1], &item);
        return;
    }
    b->v = kg_mem_grow(b->v, b->n, &b->cap, sizeof *b->v);
    b->v[b->n++] = item;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct kg_bound_item *)a)->name, ((const struct kg_bound_item *)b)->name);
}

static int by_use(const void *a, const void *b)
{
    int64_t x = ((const struct kg_bound_item *)a)->used_ns;
    int64_t y = ((const struct kg_bound_item *)b)->used_ns;
    return (x > y) - (x < y);
}

static void join_all(struct kg_bound *b)
{
    size_t n = 0;
    qsort(b->v, b->n, sizeof *b->v, by_name);
    for (size_t i = 0; i < b->n; i++)
        if (n && !strcmp(b->v[n - 1].name, b->v[i].name))
            join(&b->v[n - 1], &b->v[i]);
        else
            b->v[n++] = b->v[i];
    b->n = n;
}

void kg_bound_shrink(struct kg_bound *b, int64_t bytes, void (*drop)(const char *name))
{
    if (b->bytes > bytes) {
        join_all(b);
        qsort(b->v, b->n, sizeof *b->v, by_use);
        for (size_t i = 0; i < b->n && b->bytes > bytes - bytes / 16; i++) {
            drop(b->v[i].name);
            b->bytes -= b->v[i].bytes;
        }
    }
    for (size_t i = 0; i < b->n; i++)
        free(b->v[i].name);
    free(b->v);
    *b = (struct kg_bound)KG_BOUND_INIT;
}
