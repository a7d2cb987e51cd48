#include "judge/plan.h"

#include "base/mix.h"

static bool can_patch(const struct kg_instance *in, size_t i)
{
    const struct kg_arg *a = &in->task->args[i];
    const struct kg_init *init = in->args[i].init;
    if (a->scalar || a->role == KG_ROLE_OUT || !init || !in->args[i].count)
        return false;
    switch (init->kind) {
    case KG_INIT_ZEROS:
    case KG_INIT_ONES:
    case KG_INIT_ARANGE:
    case KG_INIT_CUSTOM:
        return false;
    default:
        return true;
    }
}

int kg_plan_patchable(const struct kg_instance *in, uint64_t pick)
{
    size_t able[KG_TASK_MAX_ARGS], n = 0;
    for (size_t i = 0; i < in->task->n_args; i++)
        if (can_patch(in, i))
            able[n++] = i;
    return n ? (int)able[pick % n] : -1;
}

/* A row, or one element: a cache that looks at samples of its inputs misses an element, one that
 * looks at all of them by rows does not see a row moved. An array of one row has no row to change.
 */
enum patch_kind { PATCH_ANY, PATCH_ROW, PATCH_ELEMENT };

static void patch(const struct kg_instance *in, struct kg_plan_call *c, int arg, uint64_t which,
                  enum patch_kind kind, uint32_t call)
{
    bool element = in->args[arg].count == in->args[arg].row || kind == PATCH_ELEMENT ||
                   (kind == PATCH_ANY && (which & 3) == 0);
    c->patch_arg = arg;
    c->content.patch = true;
    c->content.patch_call = call;
    c->content.patch_row = which >> 2;
    c->content.patch_element = element ? (int64_t)(which >> 3) : -1;
}

void kg_plan_truth(const struct kg_instance *in, uint64_t seed, size_t n,
                   struct kg_plan_call out[KG_PLAN_TRUTH])
{
    /* the truth's own draws come from its seed, so that the seed alone gives the calls again */
    uint64_t pick = kg_mix64(seed ^ 0x70617463ull), which = kg_mix64(seed ^ 0x726f77ull);
    int arg = kg_plan_patchable(in, pick);
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct kg_plan_call){.truth = (int)i, .patch_arg = -1};
        out[i].content = (struct kg_content){.seed = seed, .call = i ? 1 : 0, .patch_element = -1};
        if (i >= 2 && arg >= 0)
            patch(in, &out[i], arg, which, PATCH_ANY, (uint32_t)i);
    }
}

static struct kg_plan_call fresh(struct kg_secret *s)
{
    struct kg_plan_call c = {.truth = -1, .patch_arg = -1};
    c.content = (struct kg_content){.seed = kg_secret_u64(s), .patch_element = -1};
    return c;
}

/* A unit: one call with new content, perhaps followed by its patched forms. */
struct unit {
    struct kg_plan_call call[3];
    size_t n;
};

static void add_patch(const struct kg_instance *in, struct unit *u, int arg, enum patch_kind kind,
                      struct kg_secret *s)
{
    u->call[u->n] = u->call[0];
    patch(in, &u->call[u->n], arg, kg_secret_u64(s), kind, (uint32_t)u->n);
    u->n++;
}

static struct unit fresh_unit(const struct kg_instance *in, struct kg_secret *s, bool patched)
{
    struct unit u = {.n = 1};
    u.call[0] = fresh(s);
    int arg = kg_plan_patchable(in, kg_secret_u64(s));
    if (patched && arg >= 0) {
        bool row_first = kg_secret_below(s, 2);
        add_patch(in, &u, arg, row_first ? PATCH_ROW : PATCH_ELEMENT, s);
        add_patch(in, &u, arg, row_first ? PATCH_ELEMENT : PATCH_ROW, s);
    }
    return u;
}

static void lay_out(const struct unit *u, const size_t *order, size_t n, struct kg_secret *s,
                    struct kg_plan *out)
{
    /* alternate between staying and swapping, so that three units hold both */
    bool swap = kg_secret_below(s, 2);
    int set = (int)kg_secret_below(s, 2);
    out->n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct unit *v = &u[order[i]];
        if (i && swap)
            set ^= 1;
        for (size_t k = 0; k < v->n && out->n < KG_PLAN_MAX; k++) {
            struct kg_plan_call *c = &out->call[out->n++];
            *c = v->call[k];
            c->set = set;
            c->pattern = k      ? KG_PATTERN_PATCHED
                         : !i   ? KG_PATTERN_FIRST
                         : swap ? KG_PATTERN_NEW
                                : KG_PATTERN_SAME;
        }
        if (i)
            swap = i < 2 ? !swap : kg_secret_below(s, 2);
    }
}

void kg_plan_case(const struct kg_instance *in, const struct kg_plan_call *truth, size_t n_truth,
                  size_t least, struct kg_secret *s, struct kg_plan *out)
{
    struct unit u[KG_PLAN_MAX];
    size_t n = 0, calls = 0, order[KG_PLAN_MAX];
    for (size_t i = 0; i < n_truth; i++)
        if (i >= 2 && truth[i].patch_arg >= 0) { /* belongs right behind its unpatched form */
            u[1].call[u[1].n++] = truth[i];
        } else {
            u[n] = (struct unit){.n = 1};
            u[n++].call[0] = truth[i];
        }
    calls = n_truth;
    size_t extra = 1 + kg_secret_below(s, 2);
    bool patched = n_truth < KG_PLAN_TRUTH; /* the timed size has its patch in a fresh unit */
    while ((extra || calls < least) && calls + 3 <= KG_PLAN_MAX) {
        u[n] = fresh_unit(in, s, patched || !kg_secret_below(s, 3));
        calls += u[n++].n;
        extra -= extra ? 1 : 0;
        patched = false;
    }
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    kg_secret_shuffle(s, order, n);
    lay_out(u, order, n, s, out);
}

void kg_plan_fresh(const struct kg_instance *in, const struct kg_plan_call *prev,
                   struct kg_secret *s, struct kg_plan_call *out)
{
    enum kg_pattern p = prev ? KG_PATTERN_SAME + kg_secret_below(s, 3) : KG_PATTERN_FIRST;
    int arg = kg_plan_patchable(in, kg_secret_u64(s));
    if (p == KG_PATTERN_PATCHED && prev->patch_arg >= 0)
        arg = prev->patch_arg; /* only this argument is made again: no other may keep a patch */
    if (p == KG_PATTERN_PATCHED && arg >= 0) {
        *out = *prev;
        out->truth = -1;
        patch(in, out, arg, kg_secret_u64(s), PATCH_ANY, prev->content.patch_call + 2);
    } else {
        *out = fresh(s);
        out->set = !prev ? (int)kg_secret_below(s, 2) : prev->set ^ (p == KG_PATTERN_NEW);
        p = p == KG_PATTERN_PATCHED ? KG_PATTERN_SAME : p;
    }
    out->pattern = p;
}

struct kg_content kg_plan_content(const struct kg_plan_call *c, size_t arg)
{
    struct kg_content k = c->content;
    k.patch = k.patch && (int)arg == c->patch_arg;
    return k;
}
