#include "score/filter.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "score/exactsum.h"

struct traj {
    size_t from, to; /* its rows: order[from, to) */
    double reward;   /* of its last turn; NaN: none */
    uint64_t tokens; /* of its rows that are left */
    bool left;
    double key, draw; /* what it is ranked by: larger first */
};

struct group {
    size_t from, to; /* its rows */
    struct traj *trajs;
    size_t n_trajs, n_left;
    bool out;
    bool complete;
    double draw;
};

struct filter {
    const struct kg_policy *p;
    const struct kg_key *keys;
    struct kg_filter_row *rows;
    const uint32_t *order;
    kg_filter_draw *draw;
    void *ctx;
};

static struct kg_filter_row *row_at(struct filter *f, size_t i)
{
    return &f->rows[f->order[i]];
}

static void drop(struct filter *f, size_t from, size_t to, enum kg_filter why)
{
    for (size_t i = from; i < to; i++)
        if (row_at(f, i)->out == KG_FILTER_KEPT)
            row_at(f, i)->out = why;
}

static void drop_group(struct filter *f, struct group *g, enum kg_filter why)
{
    drop(f, g->from, g->to, why);
    g->out = true;
}

static void read_traj(struct filter *f, struct traj *t, size_t from, size_t to)
{
    *t = (struct traj){.from = from, .to = to, .reward = NAN};
    for (size_t i = from; i < to; i++) {
        const struct kg_filter_row *r = row_at(f, i);
        if (!r->mask)
            continue;
        t->reward = r->reward;
        if (r->keep) {
            t->left = true;
            t->tokens += r->tokens;
        }
    }
}

/* ---- flat groups -------------------------------------------------------------------------- */

static double sample_std(const double *x, size_t n)
{
    double sum = kg_exactsum_of(x, n);
    struct kg_exactsum s;
    kg_exactsum_init(&s);
    for (size_t i = 0; i < n; i++) {
        double d = ((double)n * x[i] - sum) / (double)n;
        kg_exactsum_add(&s, d * d);
    }
    return sqrt(kg_exactsum_round(&s) / (double)(n - 1));
}

static bool is_flat(struct filter *f, const struct group *g)
{
    size_t n = 0;
    double *x = kg_mem_array(g->to - g->from, sizeof *x);
    if (f->p->group.flat_on == KG_FLAT_LAST) {
        for (size_t i = 0; i < g->n_trajs; i++)
            if (isfinite(g->trajs[i].reward))
                x[n++] = g->trajs[i].reward;
    } else {
        for (size_t i = g->from; i < g->to; i++)
            if (row_at(f, i)->mask && isfinite(row_at(f, i)->reward))
                x[n++] = row_at(f, i)->reward;
    }
    bool flat = n > 1 && sample_std(x, n) < f->p->group.drop_flat;
    free(x);
    return flat;
}

/* ---- which groups ------------------------------------------------------------------------- */

static int by_group(const void *pa, const void *pb)
{
    const struct group *a = *(struct group *const *)pa, *b = *(struct group *const *)pb;
    if (a->complete != b->complete)
        return a->complete ? -1 : 1;
    return (a->draw < b->draw) - (a->draw > b->draw);
}

static void choose_groups(struct filter *f, struct group *groups, size_t n)
{
    size_t want = (size_t)f->p->group.groups, left = 0;
    struct group **list = kg_mem_array(n, sizeof *list);
    for (size_t i = 0; i < n; i++)
        if (!groups[i].out && groups[i].n_left)
            list[left++] = &groups[i];
    if (left > want) {
        for (size_t i = 0; i < left; i++) {
            list[i]->draw = f->draw(f->ctx, f->order[list[i]->from], true);
            list[i]->complete = (int64_t)list[i]->n_left >= f->p->group.per_group;
        }
        qsort(list, left, sizeof *list, by_group);
        for (size_t i = want; i < left; i++)
            drop_group(f, list[i], KG_FILTER_GROUPS);
    }
    free(list);
}

/* ---- which trajectories ------------------------------------------------------------------- */

static int by_rank(const void *pa, const void *pb)
{
    const struct traj *a = *(struct traj *const *)pa, *b = *(struct traj *const *)pb;
    if (a->key != b->key)
        return a->key < b->key ? 1 : -1;
    return (a->draw < b->draw) - (a->draw > b->draw);
}

/* Drops all but the first 'want' of the ranked list. */
static void cut(struct filter *f, struct traj **list, size_t n, size_t want)
{
    if (n <= want)
        return;
    qsort(list, n, sizeof *list, by_rank);
    for (size_t i = want; i < n; i++)
        drop(f, list[i]->from, list[i]->to, KG_FILTER_PER_GROUP);
}

static void cut_by_efficiency(struct filter *f, struct traj **list, size_t n, size_t want)
{
    struct traj **good = kg_mem_array(n, sizeof *good), **rest = kg_mem_array(n, sizeof *rest);
    size_t n_good = 0, n_rest = 0;
    for (size_t i = 0; i < n; i++) {
        struct traj *t = list[i];
        bool positive = t->reward > 0;
        t->key = positive ? t->reward / ((double)t->tokens + 1e-6) : -(double)t->tokens;
        if (positive)
            good[n_good++] = t;
        else
            rest[n_rest++] = t;
    }
    double places = rint((double)want * ((double)n_good / (double)n));
    if (n_good && n_rest && want > 1)
        places = fmax(1, fmin(places, (double)want - 1));
    cut(f, good, n_good, (size_t)places);
    cut(f, rest, n_rest, want - (size_t)places);
    free(good);
    free(rest);
}

static void thin(struct filter *f, struct group *g)
{
    size_t want = (size_t)f->p->group.per_group, n = 0;
    if (g->n_left <= want)
        return;
    struct traj **list = kg_mem_array(g->n_trajs, sizeof *list);
    for (size_t i = 0; i < g->n_trajs; i++) {
        if (g->trajs[i].left) {
            g->trajs[i].draw = f->draw(f->ctx, f->order[g->trajs[i].from], false);
            list[n++] = &g->trajs[i];
        }
    }
    if (f->p->group.by == KG_THIN_EFFICIENCY)
        cut_by_efficiency(f, list, n, want);
    else
        cut(f, list, n, want);
    free(list);
}

/* ---- the batch ---------------------------------------------------------------------------- */

static size_t read_groups(struct filter *f, size_t n, struct group *groups, struct traj *trajs)
{
    size_t n_groups = 0, n_trajs = 0;
    for (size_t at = 0; at < n;) {
        struct group *g = &groups[n_groups++];
        *g = (struct group){.from = at, .to = kg_order_uid_end(f->keys, f->order, n, at)};
        g->trajs = &trajs[n_trajs];
        for (; at < g->to; g->n_trajs++) {
            size_t end = kg_order_traj_end(f->keys, f->order, g->to, at);
            read_traj(f, &g->trajs[g->n_trajs], at, end);
            g->n_left += g->trajs[g->n_trajs].left;
            at = end;
        }
        n_trajs += g->n_trajs;
    }
    return n_groups;
}

void kg_filter(const struct kg_policy *p, const struct kg_key *keys, struct kg_filter_row *rows,
               const uint32_t *order, size_t n, kg_filter_draw *draw, void *ctx)
{
    struct filter f = {p, keys, rows, order, draw, ctx};
    struct group *groups = kg_mem_array(n, sizeof *groups);
    struct traj *trajs = kg_mem_array(n, sizeof *trajs);
    for (size_t i = 0; i < n; i++)
        rows[i].out = KG_FILTER_KEPT;
    size_t n_groups = read_groups(&f, n, groups, trajs);
    for (size_t i = 0; i < n_groups; i++) {
        if (p->group.drop_flat > 0 && is_flat(&f, &groups[i]))
            drop_group(&f, &groups[i], KG_FILTER_FLAT);
        else if ((int64_t)groups[i].n_left < p->group.min_group)
            drop_group(&f, &groups[i], KG_FILTER_MIN_GROUP);
    }
    if (p->group.groups > 0)
        choose_groups(&f, groups, n_groups);
    for (size_t i = 0; i < n_groups && p->group.per_group > 0; i++)
        if (!groups[i].out)
            thin(&f, &groups[i]);
    free(groups);
    free(trajs);
}

bool kg_filter_wanted(const struct kg_policy *p)
{
    return p->group.drop_flat > 0 || p->group.min_group > 0 || p->group.groups > 0 ||
           p->group.per_group > 0;
}
