/*
 * Warp operations: a lane leaves its operands and parks; the last lane of the mask computes every
 * lane's result and makes them ready, so that nobody can see operands of a later operation.
 */
#include <string.h>

#include "host/block.h"

#define UNDEFINED 0xFFFFFFFFFFFFFFFFull /* read from a lane that takes no part: a NaN, or -1 */

static const char *const names[] = {
    [KG_WARP_SYNC] = "__syncwarp()",
    [KG_WARP_ACTIVE] = "__activemask()",
    [KG_WARP_SHFL] = "__shfl_sync()",
    [KG_WARP_UP] = "__shfl_up_sync()",
    [KG_WARP_DOWN] = "__shfl_down_sync()",
    [KG_WARP_XOR] = "__shfl_xor_sync()",
    [KG_WARP_BALLOT] = "__ballot_sync()",
    [KG_WARP_ALL] = "__all_sync()",
    [KG_WARP_ANY] = "__any_sync()",
    [KG_WARP_MATCH_ANY] = "__match_any_sync()",
    [KG_WARP_MATCH_ALL] = "__match_all_sync()",
    [KG_WARP_ADD] = "__reduce_add_sync()",
    [KG_WARP_MIN_U] = "__reduce_min_sync()",
    [KG_WARP_MAX_U] = "__reduce_max_sync()",
    [KG_WARP_MIN_S] = "__reduce_min_sync()",
    [KG_WARP_MAX_S] = "__reduce_max_sync()",
    [KG_WARP_AND] = "__reduce_and_sync()",
    [KG_WARP_OR] = "__reduce_or_sync()",
    [KG_WARP_XOR_BITS] = "__reduce_xor_sync()",
};

const char *kg_warp_op_name(int op)
{
    return op >= 0 && op < (int)(sizeof names / sizeof *names) ? names[op] : "a warp operation";
}

/* ---- results ----------------------------------------------------------------------------- */

/* The lane that a shuffle reads; CUDA C++ Programming Guide, warp shuffle functions. */
static unsigned source_lane(const struct kg_thread *t)
{
    unsigned lane = t->linear % KG_WARP, width = (unsigned)t->width, arg = (unsigned)t->arg;
    unsigned first = lane & ~(width - 1), last = lane | (width - 1);
    switch (t->op) {
    case KG_WARP_SHFL:
        return first | (arg & (width - 1));
    case KG_WARP_UP:
        return arg > lane - first ? lane : lane - arg;
    case KG_WARP_DOWN:
        return arg > last - lane ? lane : lane + arg;
    default:
        return (lane ^ arg) > last ? lane : (lane ^ arg);
    }
}

static uint32_t reduce2(int op, uint32_t a, uint32_t b)
{
    switch (op) {
    case KG_WARP_ADD:
        return a + b;
    case KG_WARP_MIN_U:
        return a < b ? a : b;
    case KG_WARP_MAX_U:
        return a > b ? a : b;
    case KG_WARP_MIN_S:
        return (int32_t)a < (int32_t)b ? a : b;
    case KG_WARP_MAX_S:
        return (int32_t)a > (int32_t)b ? a : b;
    case KG_WARP_AND:
        return a & b;
    case KG_WARP_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/* Votes and reductions: one result for all lanes. */
static uint64_t common_result(const struct kg_thread *base, int op, uint32_t lanes)
{
    uint32_t ballot = 0, sum = 0;
    bool first = true;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const struct kg_thread *t = base + __builtin_ctz(rest);
        uint32_t v = (uint32_t)t->value;
        ballot |= t->value ? rest & -rest : 0;
        sum = first ? v : reduce2(op, sum, v);
        first = false;
    }
    switch (op) {
    case KG_WARP_SYNC:
        return 0;
    case KG_WARP_ACTIVE:
        return lanes;
    case KG_WARP_BALLOT:
        return ballot;
    case KG_WARP_ALL:
        return ballot == lanes;
    case KG_WARP_ANY:
        return ballot != 0;
    default:
        return sum;
    }
}

static uint64_t match(const struct kg_thread *base, const struct kg_thread *t, uint32_t lanes)
{
    uint32_t same = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (base[__builtin_ctz(rest)].value == t->value)
            same |= rest & -rest;
    return t->op == KG_WARP_MATCH_ANY || same == lanes ? same : 0;
}

static void compute(struct kg_thread *base, int op, uint32_t lanes)
{
    bool shuffle = op >= KG_WARP_SHFL && op <= KG_WARP_XOR;
    bool matches = op == KG_WARP_MATCH_ANY || op == KG_WARP_MATCH_ALL;
    uint64_t common = shuffle || matches ? 0 : common_result(base, op, lanes);
    uint64_t result[KG_WARP];
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        const struct kg_thread *t = base + lane;
        if (shuffle) {
            unsigned from = source_lane(t);
            result[lane] = lanes >> from & 1 ? base[from].value : UNDEFINED;
        } else {
            result[lane] = matches ? match(base, t, lanes) : common;
        }
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        base[__builtin_ctz(rest)].value = result[__builtin_ctz(rest)];
}

/* ---- waiting ----------------------------------------------------------------------------- */

/* All lanes of the operation are here: results, and everyone but 'caller' becomes ready. */
static void complete(struct kg_block *b, unsigned warp, unsigned i, const struct kg_thread *caller)
{
    struct kg_warp *w = &b->warps[warp];
    struct kg_pending p = w->pending[i];
    w->pending[i] = w->pending[--w->n_pending];
    struct kg_thread *base = &b->threads[warp * KG_WARP];
    compute(base, p.op, p.arrived);
    w->waiting &= ~p.arrived;
    for (uint32_t rest = p.arrived; rest; rest &= rest - 1) {
        struct kg_thread *t = base + __builtin_ctz(rest);
        if (t != caller)
            kg_block_ready(t);
    }
}

static bool whole(const struct kg_warp *w, const struct kg_pending *p)
{
    return p->op != KG_WARP_ACTIVE && !(p->mask & w->live & ~p->arrived);
}

void kg_warp_exited(struct kg_block *b, unsigned warp)
{
    struct kg_warp *w = &b->warps[warp];
    for (unsigned i = 0; i < w->n_pending;) {
        if (whole(w, &w->pending[i])) {
            complete(b, warp, i, NULL);
            i = 0;
        } else {
            i++;
        }
    }
    kg_warp_settle(b, warp, false);
}

bool kg_warp_settle(struct kg_block *b, unsigned warp, bool force)
{
    struct kg_warp *w = &b->warps[warp];
    if (!force && w->waiting != w->live)
        return false;
    for (unsigned i = 0; i < w->n_pending; i++) {
        if (w->pending[i].op == KG_WARP_ACTIVE) {
            complete(b, warp, i, NULL);
            return true;
        }
    }
    return false;
}

static unsigned join(struct kg_warp *w, const struct kg_thread *t, uint32_t bit)
{
    unsigned i = 0;
    for (; i < w->n_pending; i++) {
        struct kg_pending *p = &w->pending[i];
        if (p->op == t->op && p->mask == t->mask && (t->op != KG_WARP_ACTIVE || p->line == t->line))
            break;
    }
    if (i == w->n_pending)
        w->pending[w->n_pending++] = (struct kg_pending){t->op, t->line, t->mask, 0};
    w->pending[i].arrived |= bit;
    return i;
}

uint64_t kg_host_warp(int op, uint32_t mask, uint64_t value, int arg, int width, int line)
{
    struct kg_thread *t = kg_thread_here();
    if (!t) {
        kg_host_fail(KG_HOST_DIVERGENT_BARRIER, "a warp operation outside of a kernel");
        return value;
    }
    struct kg_block *b = t->block;
    unsigned warp = t->linear / KG_WARP;
    struct kg_warp *w = &b->warps[warp];
    uint32_t bit = 1u << (t->linear % KG_WARP);
    if (!(mask & bit))
        kg_host_trap(KG_HOST_DIVERGENT_BARRIER,
                     "a warp operation whose mask lacks the calling lane", line);
    t->op = (uint8_t)op;
    t->mask = mask;
    t->value = value;
    t->arg = arg;
    t->width = (uint8_t)(width > 0 && width <= KG_WARP && !(width & (width - 1)) ? width : KG_WARP);
    t->line = line;
    unsigned i = join(w, t, bit);
    if (whole(w, &w->pending[i])) {
        complete(b, warp, i, t);
        return t->value;
    }
    t->state = KG_THREAD_WARP;
    w->waiting |= bit;
    kg_warp_settle(b, warp, false);
    kg_block_park(t);
    return t->value;
}

void kg_host_together(int line)
{
    if (kg_thread_here())
        kg_host_warp(KG_WARP_ACTIVE, ~0u, 0, 0, KG_WARP, line);
}

/* ---- what has no need to wait ------------------------------------------------------------ */

unsigned kg_host_lane(void)
{
    struct kg_thread *t = kg_thread_here();
    return t ? t->linear % KG_WARP : 0;
}

unsigned kg_host_thread_rank(void)
{
    struct kg_thread *t = kg_thread_here();
    return t ? t->linear : 0;
}
