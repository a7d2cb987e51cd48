#include "score/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CMP(a, b) (((a) > (b)) - ((a) < (b)))

static int compare(const struct kg_key *a, const struct kg_key *b, enum kg_order by)
{
    int c = CMP(a->uid, b->uid);
    if (c)
        return c;
    int traj = CMP(a->traj, b->traj), turn = CMP(a->turn, b->turn);
    if (by == KG_ORDER_TRAJ)
        return traj ? traj : turn;
    return turn ? turn : traj;
}

/* Merges the sorted runs [a, b) and [b, c) of from into to. */
static void merge(const struct kg_key *keys, enum kg_order by, const uint32_t *from, uint32_t *to,
                  size_t a, size_t b, size_t c)
{
    size_t i = a, j = b;
    for (size_t k = a; k < c; k++) {
        if (j >= c || (i < b && compare(&keys[from[i]], &keys[from[j]], by) <= 0))
            to[k] = from[i++];
        else
            to[k] = from[j++];
    }
}

void kg_order_rows(const struct kg_key *keys, size_t n, enum kg_order by, uint32_t *order)
{
    bool sorted = true;
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
        sorted = sorted && (!i || compare(&keys[i - 1], &keys[i], by) <= 0);
    }
    if (sorted)
        return;
    uint32_t *other = kg_mem_array(n, sizeof *other), *from = order, *to = other;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t a = 0; a < n; a += 2 * width) {
            size_t b = a + width < n ? a + width : n, c = a + 2 * width < n ? a + 2 * width : n;
            if (b >= c || compare(&keys[from[b - 1]], &keys[from[b]], by) <= 0)
                memcpy(to + a, from + a, (c - a) * sizeof *to);
            else
                merge(keys, by, from, to, a, b, c);
        }
        uint32_t *t = from;
        from = to;
        to = t;
    }
    if (from != order)
        memcpy(order, from, n * sizeof *order);
    free(other);
}

size_t kg_order_uid_end(const struct kg_key *keys, const uint32_t *order, size_t n, size_t from)
{
    size_t i = from + 1;
    while (i < n && keys[order[i]].uid == keys[order[from]].uid)
        i++;
    return i;
}

size_t kg_order_traj_end(const struct kg_key *keys, const uint32_t *order, size_t n, size_t from)
{
    size_t i = from + 1;
    while (i < n && kg_key_same_traj(&keys[order[i]], &keys[order[from]]))
        i++;
    return i;
}

size_t kg_order_turn_end(const struct kg_key *keys, const uint32_t *order, size_t n, size_t from)
{
    const struct kg_key *a = &keys[order[from]];
    size_t i = from + 1;
    while (i < n && keys[order[i]].uid == a->uid && keys[order[i]].turn == a->turn)
        i++;
    return i;
}
