#include "score/advantage.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "score/exactsum.h"
#include "score/returns.h"

#define ERLOO_NORM_EPS 1e-8
#define FLAT_STD       1e-6 /* a std below it counts as 1 (grpo) or as none (batch_std) */
#define NEARLY_ALL     1e-6 /* a row that leaves less than this of the squares to the others */

/* What has one value and one advantage: a row, or with rloo a trajectory. */
struct unit {
    uint32_t first, n; /* its rows: order[first], n of them */
    double value, advantage;
    bool gives;  /* takes part in the baseline */
    bool single; /* alone in its group, and singleton = others */
};

struct batch {
    const struct kg_policy *p;
    const struct kg_key *keys;
    struct kg_adv_row *rows;
    size_t n;
    uint32_t *order; /* rows by trajectory */
    struct unit *units;
    struct kg_key *unit_keys; /* turn: 0 with rloo */
    uint32_t *unit_order;     /* groups side by side */
    size_t n_units;
};

/* ---- values ------------------------------------------------------------------------------- */

static void add_unit(struct batch *b, size_t at, size_t n, double value, bool gives)
{
    const struct kg_key *k = &b->keys[b->order[at]];
    bool whole = b->p->advantage.estimator == KG_EST_RLOO;
    b->unit_keys[b->n_units] = (struct kg_key){k->uid, k->traj, whole ? 0 : k->turn};
    b->units[b->n_units++] =
        (struct unit){.first = (uint32_t)at, .n = (uint32_t)n, .value = value, .gives = gives};
}

static void set_row(struct kg_adv_row *r, double value)
{
    r->ret = r->advantage = value;
    r->group_size = 0;
}

/* One value for all rows of the trajectory: the sum of its rewards. */
static void trajectory_unit(struct batch *b, size_t at, size_t n, const struct kg_turn *turns)
{
    struct kg_exactsum sum;
    kg_exactsum_init(&sum);
    bool gives = false, any = false;
    for (size_t i = 0; i < n; i++) {
        if (!turns[i].mask)
            continue;
        kg_exactsum_add(&sum, turns[i].reward);
        gives = gives || !(b->rows[b->order[at + i]].flags & KG_ADV_APART);
        any = true;
    }
    double value = kg_exactsum_round(&sum);
    bool scored = isfinite(value);
    for (size_t i = 0; i < n; i++)
        set_row(&b->rows[b->order[at + i]], !turns[i].mask ? 0 : scored ? value : NAN);
    if (any && scored)
        add_unit(b, at, n, value, gives);
}

static void turn_units(struct batch *b, size_t at, size_t n, const struct kg_turn *turns,
                       double *ret)
{
    int est = b->p->advantage.estimator;
    kg_returns(turns, n, est == KG_EST_TURN_GRPO ? 0 : b->p->advantage.gamma, ret);
    for (size_t i = 0; i < n; i++) {
        struct kg_adv_row *r = &b->rows[b->order[at + i]];
        set_row(r, turns[i].mask ? ret[i] : 0);
        if (turns[i].mask && isfinite(ret[i]))
            add_unit(b, at + i, 1, ret[i], !(r->flags & KG_ADV_APART));
    }
}

struct scratch {
    struct kg_turn *turns;
    double *ret;
    bool *mask;
    size_t cap;
};

static void scratch_for(struct scratch *s, size_t n)
{
    if (n <= s->cap)
        return;
    s->cap = n + 16;
    s->turns = kg_mem_realloc(s->turns, s->cap * sizeof *s->turns);
    s->ret = kg_mem_realloc(s->ret, s->cap * sizeof *s->ret);
    s->mask = kg_mem_realloc(s->mask, s->cap * sizeof *s->mask);
}

static void one_trajectory(struct batch *b, struct scratch *s, size_t at, size_t end)
{
    while (at < end && b->keys[b->order[at]].turn < 1) {
        b->rows[b->order[at]].flags |= KG_ADV_MASKED;
        set_row(&b->rows[b->order[at++]], 0);
    }
    size_t n = end - at;
    if (!n)
        return;
    scratch_for(s, n);
    bool failed = false;
    for (size_t i = 0; i < n; i++) {
        const struct kg_adv_row *r = &b->rows[b->order[at + i]];
        s->turns[i] = (struct kg_turn){b->keys[b->order[at + i]].turn, r->reward,
                                       !(r->flags & KG_ADV_MASKED)};
        failed = failed || r->flags & KG_ADV_FAILED;
    }
    if (b->p->advantage.void_mask) {
        kg_void_mask(s->turns, n, failed, s->mask);
        for (size_t i = 0; i < n; i++) {
            s->turns[i].mask = s->mask[i];
            if (!s->mask[i])
                b->rows[b->order[at + i]].flags |= KG_ADV_MASKED;
        }
    }
    if (b->p->advantage.estimator == KG_EST_RLOO)
        trajectory_unit(b, at, n, s->turns);
    else
        turn_units(b, at, n, s->turns, s->ret);
}

static void values(struct batch *b)
{
    struct scratch s = {0};
    for (size_t at = 0; at < b->n;) {
        size_t end = kg_order_uid_end(b->keys, b->order, b->n, at);
        uint32_t started = 0;
        for (size_t i = at; i < end;) {
            size_t to = kg_order_traj_end(b->keys, b->order, end, i);
            started += b->keys[b->order[to - 1]].turn >= 1;
            one_trajectory(b, &s, i, to);
            i = to;
        }
        for (; at < end; at++)
            b->rows[b->order[at]].n_started = started;
    }
    free(s.turns);
    free(s.ret);
    free(s.mask);
}

/* ---- groups ------------------------------------------------------------------------------- */

static struct unit *member(struct batch *b, size_t i)
{
    return &b->units[b->unit_order[i]];
}

/* Sum of the values that give a baseline, without 'skip'; their number in *n. */
static double group_sum(struct batch *b, size_t from, size_t to, const struct unit *skip, size_t *n)
{
    struct kg_exactsum s;
    kg_exactsum_init(&s);
    *n = 0;
    for (size_t i = from; i < to; i++) {
        const struct unit *u = member(b, i);
        if (u->gives && u != skip) {
            kg_exactsum_add(&s, u->value);
            ++*n;
        }
    }
    return kg_exactsum_round(&s);
}

/* Sum of squared deviations from the mean of the values that give a baseline, without 'skip'. */
static double group_squares(struct batch *b, size_t from, size_t to, const struct unit *skip)
{
    size_t n;
    double sum = group_sum(b, from, to, skip, &n);
    struct kg_exactsum s;
    kg_exactsum_init(&s);
    for (size_t i = from; i < to; i++) {
        const struct unit *u = member(b, i);
        if (u->gives && u != skip) {
            double d = ((double)n * u->value - sum) / (double)n;
            kg_exactsum_add(&s, d * d);
        }
    }
    return kg_exactsum_round(&s);
}

/*
 * Sample std of the others. Their squares are those of all less what u adds; where u makes up
 * nearly all of it that difference would be rounding noise, so they are summed without it (at most
 * one such u a group, or a group of equals, where the first answer is exact).
 */
static double others_std(struct batch *b, size_t from, size_t to, const struct unit *u, double sum,
                         size_t n, double squares)
{
    double d = ((double)n * u->value - sum) / (double)n;
    double rest = squares - d * d * (double)n / (double)(n - 1);
    if (squares > 0 && rest < NEARLY_ALL * squares)
        rest = group_squares(b, from, to, u);
    return sqrt(rest / (double)(n - 2));
}

static bool is_grpo(const struct kg_policy *p)
{
    return p->advantage.estimator == KG_EST_GRPO || p->advantage.estimator == KG_EST_TURN_GRPO;
}

/* What a group of one is divided by: its std counts as 1. */
static double lone_divisor(const struct kg_policy *p)
{
    if (p->advantage.estimator == KG_EST_ERLOO_NORM)
        return 1 + ERLOO_NORM_EPS;
    bool divides = p->advantage.estimator == KG_EST_REINFORCE || (is_grpo(p) && p->advantage.std);
    return divides ? 1 + p->advantage.std_eps : 1;
}

/* What the whole group is divided by. */
static double divisor(struct batch *b, size_t from, size_t to, size_t n)
{
    const struct kg_policy *p = b->p;
    bool divides = p->advantage.estimator == KG_EST_REINFORCE || (is_grpo(p) && p->advantage.std);
    if (!divides || n < 2)
        return lone_divisor(p);
    double std = sqrt(group_squares(b, from, to, NULL) / (double)(n - 1));
    if (is_grpo(p) && std < FLAT_STD)
        std = 1;
    return std + p->advantage.std_eps;
}

static void lone_unit(struct batch *b, struct unit *u)
{
    int rule = b->p->advantage.estimator == KG_EST_REINFORCE ? KG_SINGLETON_RETURN
                                                             : b->p->advantage.singleton;
    u->advantage = rule == KG_SINGLETON_ZERO ? 0 : u->value / lone_divisor(b->p);
    u->single = rule == KG_SINGLETON_OTHERS;
}

static void set_group_size(struct batch *b, const struct unit *u, size_t n)
{
    for (size_t k = 0; k < u->n; k++) {
        struct kg_adv_row *r = &b->rows[b->order[u->first + k]];
        if (!(r->flags & KG_ADV_MASKED))
            r->group_size = (uint32_t)n;
    }
}

static void one_group(struct batch *b, size_t from, size_t to)
{
    const struct kg_policy *p = b->p;
    int est = p->advantage.estimator;
    bool norm = est == KG_EST_ERLOO_NORM;
    bool leave_one_out = est == KG_EST_TRLOO || est == KG_EST_RLOO || est == KG_EST_ERLOO || norm;
    size_t n;
    double sum = group_sum(b, from, to, NULL, &n);
    double scale = divisor(b, from, to, n);
    double squares = norm && n > 2 ? group_squares(b, from, to, NULL) : 0;
    for (size_t i = from; i < to; i++) {
        struct unit *u = member(b, i);
        set_group_size(b, u, n);
        if (!u->gives) {
            u->advantage = 0;
            continue;
        }
        if (n == 1) {
            lone_unit(b, u);
            continue;
        }
        double d = (double)n * u->value - sum;
        u->advantage = d / (double)(leave_one_out ? n - 1 : n) / scale;
        if (norm && n > 2) {
            double std = others_std(b, from, to, u, sum, n, squares);
            if (std < p->advantage.std_floor)
                std = 1;
            u->advantage = d / (double)(n - 1) / (std + ERLOO_NORM_EPS);
        }
    }
}

static void groups(struct batch *b)
{
    int est = b->p->advantage.estimator;
    bool by_turn = est == KG_EST_TRLOO || est == KG_EST_GRPO;
    kg_order_rows(b->unit_keys, b->n_units, KG_ORDER_TURN, b->unit_order);
    for (size_t at = 0; at < b->n_units;) {
        size_t end = est == KG_EST_REINFORCE ? b->n_units
                     : by_turn ? kg_order_turn_end(b->unit_keys, b->unit_order, b->n_units, at)
                               : kg_order_uid_end(b->unit_keys, b->unit_order, b->n_units, at);
        one_group(b, at, end);
        at = end;
    }
}

/*
 * singleton = others: the baseline of a group of one is the mean of the same turn in other uids
 * (independent of the row, so unbiased); where there is none, it is 0 as with 'return'.
 */
static void lend_baselines(struct batch *b)
{
    struct kg_key *by_turn = kg_mem_array(b->n_units, sizeof *by_turn);
    for (size_t i = 0; i < b->n_units; i++)
        by_turn[i] = (struct kg_key){0, b->unit_keys[i].uid, b->unit_keys[i].turn};
    kg_order_rows(by_turn, b->n_units, KG_ORDER_TURN, b->unit_order);
    for (size_t at = 0; at < b->n_units;) {
        size_t end = kg_order_turn_end(by_turn, b->unit_order, b->n_units, at), n = 0;
        struct kg_exactsum s;
        kg_exactsum_init(&s);
        for (size_t i = at; i < end; i++) {
            if (member(b, i)->gives) {
                kg_exactsum_add(&s, member(b, i)->value);
                n++;
            }
        }
        for (; at < end; at++) {
            struct unit *u = member(b, at);
            if (!u->single || n < 2)
                continue;
            kg_exactsum_add(&s, -u->value);
            double mean = kg_exactsum_round(&s) / (double)(n - 1);
            kg_exactsum_add(&s, u->value);
            u->advantage = (u->value - mean) / lone_divisor(b->p);
        }
    }
    free(by_turn);
}

/* ---- the batch ---------------------------------------------------------------------------- */

static void write_rows(struct batch *b)
{
    for (size_t i = 0; i < b->n_units; i++) {
        const struct unit *u = &b->units[i];
        for (size_t k = 0; k < u->n; k++) {
            struct kg_adv_row *r = &b->rows[b->order[u->first + k]];
            if (!(r->flags & KG_ADV_MASKED))
                r->advantage = r->flags & (KG_ADV_APART | KG_ADV_REJECTED) ? 0 : u->advantage;
        }
    }
}

static bool takes_part(const struct kg_adv_row *r)
{
    return !(r->flags & (KG_ADV_MASKED | KG_ADV_APART | KG_ADV_REJECTED)) && isfinite(r->advantage);
}

/* (A - mean)/std over the rows that have an advantage; left alone when the std is undefined or
 * below 1e-6. */
static void standardise(struct kg_adv_row *rows, size_t n)
{
    struct kg_exactsum s;
    size_t count = 0;
    kg_exactsum_init(&s);
    for (size_t i = 0; i < n; i++) {
        if (takes_part(&rows[i])) {
            kg_exactsum_add(&s, rows[i].advantage);
            count++;
        }
    }
    if (count < 2)
        return;
    double mean = kg_exactsum_round(&s) / (double)count;
    kg_exactsum_init(&s);
    for (size_t i = 0; i < n; i++) {
        double d = takes_part(&rows[i]) ? rows[i].advantage - mean : 0;
        kg_exactsum_add(&s, d * d);
    }
    double std = sqrt(kg_exactsum_round(&s) / (double)(count - 1));
    if (!(std >= FLAT_STD))
        return;
    for (size_t i = 0; i < n; i++)
        if (takes_part(&rows[i]))
            rows[i].advantage = (rows[i].advantage - mean) / std;
}

int kg_advantage(const struct kg_policy *p, const struct kg_key *keys, struct kg_adv_row *rows,
                 size_t n, struct kg_error *err)
{
    struct batch b = {.p = p, .keys = keys, .rows = rows, .n = n};
    b.order = kg_mem_array(n, sizeof *b.order);
    b.units = kg_mem_array(n, sizeof *b.units);
    b.unit_keys = kg_mem_array(n, sizeof *b.unit_keys);
    b.unit_order = kg_mem_array(n, sizeof *b.unit_order);
    kg_order_rows(keys, n, KG_ORDER_TRAJ, b.order);
    values(&b);
    int status = 0;
    if (p->advantage.estimator == KG_EST_REINFORCE && n && !b.n_units) {
        status = kg_error_set(err, KG_E_INPUT,
                              "reinforce needs a record with a return, and all are masked or "
                              "without a reward");
    } else {
        groups(&b);
        if (p->advantage.singleton == KG_SINGLETON_OTHERS)
            lend_baselines(&b);
        write_rows(&b);
        if (p->advantage.batch_std)
            standardise(rows, n);
    }
    free(b.order);
    free(b.units);
    free(b.unit_keys);
    free(b.unit_order);
    return status;
}

const char *kg_advantage_whole_batch(const struct kg_policy *p)
{
    if (p->advantage.estimator == KG_EST_REINFORCE)
        return "--estimator reinforce";
    if (p->advantage.singleton == KG_SINGLETON_OTHERS)
        return "--singleton others";
    return p->advantage.batch_std ? "--batch-std" : NULL;
}
