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

/* Three quarters of the patches change a row: one element alone often changes no answer. */
static void patch(struct kg_plan_call *c, int arg, uint64_t which, uint32_t call)
{
    c->patch_arg = arg;
    c->content.patch = true;
    c->content.patch_call = call;
    c->content.patch_row = which >> 2;
    c->content.patch_element = (which & 3) == 0 ? (int64_t)(which >> 3) : -1;
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
            patch(&out[i], arg, which, (uint32_t)i);
    }
}

static struct kg_plan_call fresh(struct kg_secret *s)
{
    struct kg_plan_call c = {.truth = -1, .patch_arg = -1};
    c.content = (struct kg_content){.seed = kg_secret_u64(s), .patch_element = -1};
    return c;
}

/* A unit: one call with new content, perhaps followed by its patched form. */
struct unit {
    struct kg_plan_call call[2];
    size_t n;
};

static struct unit fresh_unit(const struct kg_instance *in, struct kg_secret *s, bool patched)
{
    struct unit u = {.n = 1};
    u.call[0] = fresh(s);
    int arg = kg_plan_patchable(in, kg_secret_u64(s));
    if (patched && arg >= 0) {
        u.call[1] = u.call[0];
        patch(&u.call[1], arg, kg_secret_u64(s), 1);
        u.n = 2;
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
    while ((extra || calls < least) && calls + 2 <= KG_PLAN_MAX) {
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
        patch(out, arg, kg_secret_u64(s), prev->content.patch_call + 2);
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
