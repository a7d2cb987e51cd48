#include "judge/wants.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SMALL (1 << 20) /* bytes that are not worth it */
#define SHARE 16        /* of the device's memory, the part that they may take */

static void drop_one(struct kg_wants *w, struct kg_space *space, size_t i)
{
    w->bytes -= w->v[i].mem.bytes;
    space->ops->mem_free(space, &w->v[i].mem);
    w->v[i] = w->v[--w->n];
}

void kg_wants_drop(struct kg_wants *w, struct kg_space *space)
{
    while (w->n)
        drop_one(w, space, w->n - 1);
    free(w->v);
    memset(w, 0, sizeof *w);
}

/* false: it is too large for what may be taken. */
static bool make_room(struct kg_wants *w, struct kg_space *space, size_t bytes)
{
    struct kg_device_info info;
    struct kg_error ignored = KG_ERROR_INIT;
    if (space->ops->info(space, &info, &ignored))
        return false;
    uint64_t most = info.mem_total / SHARE;
    while (w->n && w->bytes + bytes > most) {
        size_t oldest = 0;
        for (size_t i = 1; i < w->n; i++)
            if (w->v[i].used < w->v[oldest].used)
                oldest = i;
        drop_one(w, space, oldest);
    }
    return w->bytes + bytes <= most && bytes < info.mem_free / 2;
}

static struct kg_want *find(struct kg_wants *w, const struct kg_truth *truth, int call, size_t arg)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->v[i].truth == truth && w->v[i].call == call && w->v[i].arg == arg)
            return &w->v[i];
    return NULL;
}

int kg_wants_copy(struct kg_wants *w, struct kg_space *space, const struct kg_truth *truth,
                  int call, size_t arg, size_t bytes, struct kg_mem *dst, struct kg_error *err)
{
    const void *answer = kg_truth_want(truth, call, arg);
    bool host = dst->map; /* the CPU writes there itself */
    if (host || bytes < SMALL)
        return space->ops->upload(space, dst, answer, bytes, err);
    struct kg_want *k = find(w, truth, call, arg);
    if (!k) {
        struct kg_want made = {.truth = truth, .call = call, .arg = arg};
        if (!make_room(w, space, bytes))
            return space->ops->upload(space, dst, answer, bytes, err);
        if (space->ops->mem_new(space, KG_MEM_PRIVATE, bytes, &made.mem, err))
            return -1;
        if (space->ops->upload(space, &made.mem, answer, bytes, err)) {
            space->ops->mem_free(space, &made.mem);
            return -1;
        }
        w->v = kg_mem_grow(w->v, w->n, &w->cap, sizeof *w->v);
        w->v[w->n] = made;
        w->bytes += bytes;
        k = &w->v[w->n++];
    }
    k->used = ++w->now;
    return space->ops->copy(space, dst, &k->mem, err);
}
