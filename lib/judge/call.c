#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/inside.h"

/* How long an output that is wrong is given to show that somebody still writes to it. */
#define LATE_NS 50000000L

struct span {
    double start, end;
};

static int by_start(const void *a, const void *b)
{
    double x = ((const struct span *)a)->start, y = ((const struct span *)b)->start;
    return (x > y) - (x < y);
}

void kg_call_spans(const struct kg_wire_launch *l, size_t n, double *span_us, double *busy_us)
{
    double first = INFINITY, last = -INFINITY, busy = 0, until = -INFINITY;
    struct span *s = kg_mem_array(n ? n : 1, sizeof *s);
    for (size_t i = 0; i < n; i++)
        s[i] = (struct span){l[i].start_s, fmax(l[i].end_s, l[i].start_s)};
    qsort(s, n, sizeof *s, by_start);
    for (size_t i = 0; i < n; i++) {
        first = fmin(first, s[i].start);
        last = fmax(last, s[i].end);
        if (s[i].end > until) {
            busy += s[i].end - fmax(s[i].start, until);
            until = s[i].end;
        }
    }
    free(s);
    *span_us = n ? (last - first) * 1e6 : 0;
    *busy_us = n ? busy * 1e6 : 0;
}

/* ---- before and at "go"
 * -------------------------------------------------------------------------- */

static int prepare(struct kg_session *s, struct kg_scene *sc, struct kg_call *c, uint64_t *hash,
                   struct kg_error *err)
{
    struct kg_bed *b = &sc->bed;
    bool all = c->plan.pattern != KG_PATTERN_PATCHED;
    c->key = kg_secret_u64(&s->secret);
    if (kg_bed_publish(b, &c->plan, all, err) ||
        kg_bed_hash_inputs(b, c->plan.set, c->key, hash, err))
        return -1;
    if (c->base == KG_BASE_BEFORE && kg_scene_baseline(s, sc, &c->plan, &c->times.reference_us))
        return -1;
    return kg_bed_poison(b, KG_BED_CANDIDATE, c->plan.set, c->key, err) ||
                   s->thread->space->ops->settle(s->thread->space, err)
               ? -1
               : 0;
}

/* Did own kernels run? What else ran is noted in the session. */
static bool launched_own(struct kg_session *s, const struct kg_launches *l)
{
    bool own = false;
    for (size_t i = 0; i < l->n; i++) {
        uint32_t class = l->v[i].class_hint;
        own = own || class == KG_KERNEL_CUSTOM;
        s->other_work = s->other_work || class != KG_KERNEL_CUSTOM;
        s->library_work = s->library_work || class == KG_KERNEL_LIBRARY ||
                          class == KG_KERNEL_LIBRARY_JIT || class == KG_KERNEL_FOREIGN;
    }
    return own;
}

/* Go, answer, snapshot: the window of the call ends when the judge has the bytes. */
static int go(struct kg_session *s, struct kg_scene *sc, struct kg_call *c, struct kg_error *err)
{
    uint64_t scalars[KG_WIRE_ARGS];
    struct kg_answer *a = &s->answer;
    kg_runner_scalars(&sc->bed.in, &c->plan.content, false, scalars);
    if (kg_runner_go(&s->worker, c->plan.set, 0, c->flags | kg_session_flags(s), scalars,
                     kg_session_left(s), a, err))
        return -1;
    s->used_s += a->wall_s;
    if (kg_session_lost_worker(s, err))
        return -1;
    if (a->what != KG_ANSWER_DONE) {
        s->candidate_cpu_s = a->end.user_s;
        s->candidate_wall_s = a->wall_s;
    }
    if (kg_bed_snapshot(&sc->bed, c->plan.set, sc->bed.snap, err))
        return -1;
    c->times.window_us = (kg_clock_now() - a->sent_s) * 1e6;
    kg_runner_launches(&s->worker, a);
    kg_call_spans(a->launches.v, a->launches.n, &c->times.kernel_us, &c->times.busy_us);
    c->facts.no_kernel = a->what == KG_ANSWER_DONE && !launched_own(s, &a->launches);
    c->times.explained_us = kg_clocks_explained(&c->times, &a->activity);
    c->times.traced_us = c->times.kernel_us;
    if (kg_session_flags(s) & KG_GO_EVENTS && c->times.traced_us > 0) {
        c->times.kernel_us = kg_clocks_events_us(a);
        if (!(c->times.kernel_us > 0))
            snprintf(a->no_profile, sizeof a->no_profile,
                     "no credible time between the events around the call");
    }
    c->facts.async = a->what == KG_ANSWER_DONE && (a->activity.outside || a->activity.unjoined);
    return 0;
}

/* ---- after
 * ------------------------------------------------------------------------------------------ */

static int check_inputs(struct kg_session *s, struct kg_scene *sc, struct kg_call *c,
                        const uint64_t *hash, struct kg_error *err)
{
    uint64_t now[KG_TASK_MAX_ARGS];
    if (kg_bed_hash_inputs(&sc->bed, c->plan.set, c->key, now, err))
        return -1;
    for (size_t i = 0; i < s->task->n_args; i++)
        if (kg_arg_goes_in(&s->task->args[i]) && now[i] != hash[i] && !c->facts.mutated) {
            c->facts.mutated = true;
            c->facts.mutated_arg = i;
        }
    return kg_bed_guards(&sc->bed, c->plan.set, c->key, &c->facts.guard_bytes, &c->facts.guard_arg,
                         &c->facts.guard_where, err);
}

static void add_up(struct kg_session *s, size_t arg, const struct kg_cmp_stats *st)
{
    s->max_abs = fmax(s->max_abs, st->max_abs);
    s->max_rel = fmax(s->max_rel, st->max_rel);
    s->rel_l2 = fmax(s->rel_l2, st->rel_l2);
    s->num_elements += st->count;
    s->num_bad += st->bad;
    if (st->count && (!s->worst.known || st->worst_ratio > s->worst.ratio))
        s->worst =
            (struct kg_worst){true, arg, st->worst, st->worst_got, st->worst_want, st->worst_ratio};
}

/* The bytes of an answer, as a hash, among those of earlier calls? Then remembers them. */
static int look_up(struct kg_session *s, struct kg_scene *sc, size_t arg, size_t n, bool *seen,
                   struct kg_error *err)
{
    size_t bytes = n * kg_dtype_size(s->task->args[arg].dtype);
    uint64_t h;
    if (s->thread->space->ops->hash(s->thread->space, &sc->bed.snap[arg],
                                    kg_bed_key(s->ledger_key, arg, "answer"), bytes, &h, err))
        return -1;
    *seen = false;
    for (size_t i = 0; i < s->ledger.n && !*seen; i++)
        *seen = s->ledger.hash[i] == h;
    if (*seen)
        return 0;
    s->ledger.hash =
        kg_mem_grow(s->ledger.hash, s->ledger.n, &s->ledger.cap, sizeof *s->ledger.hash);
    s->ledger.hash[s->ledger.n++] = h;
    return 0;
}

static int compare_one(struct kg_session *s, struct kg_scene *sc, struct kg_call *c,
                       const struct kg_mem *got, size_t arg, size_t *n, struct kg_cmp_stats *st,
                       struct kg_error *err)
{
    struct kg_bed *b = &sc->bed;
    struct kg_space *space = s->thread->space;
    bool truth = c->plan.truth >= 0 || s->task->checked;
    const struct kg_mem *want = truth ? b->want : b->theirs;
    if (kg_bed_count(b, arg, want, &c->plan, n, err))
        return -1;
    if (space->ops->compare(space, &b->in, arg, &b->tol[arg], got, &want[arg],
                            truth && kg_dtype_is_float(s->task->args[arg].dtype),
                            sc->truth->rms[arg], kg_bed_key(c->key, arg, "out"), *n, st, err))
        return -1;
    if (s->task->checked)
        kg_cmp_values_aside(s->task->args[arg].dtype, kg_checked_finite(s, arg, *n), st);
    return 0;
}

/* The wanted answer where it can be compared with. */
static int find_want(struct kg_session *s, struct kg_scene *sc, struct kg_call *c,
                     struct kg_error *err)
{
    if (s->task->checked)
        return kg_checked_ready(s, sc, &c->plan);
    return c->plan.truth >= 0 ? kg_scene_want(s, sc, c->plan.truth, err) : 0;
}

static int compare_all(struct kg_session *s, struct kg_scene *sc, struct kg_call *c,
                       struct kg_error *err)
{
    if (find_want(s, sc, c, err))
        return -1;
    for (size_t k = 0; k < sc->bed.n_out; k++) {
        struct kg_output_facts *o = &c->facts.out[k];
        size_t n;
        o->arg = sc->bed.out[k];
        if (compare_one(s, sc, c, &sc->bed.snap[o->arg], o->arg, &n, &o->stats, err) ||
            look_up(s, sc, o->arg, n, &o->stale, err))
            return -1;
        if (!(c->flags & KG_GO_ABLATE) && !s->task->checked)
            add_up(s, o->arg, &o->stats);
    }
    c->facts.n_out = sc->bed.n_out;
    /* check is not shown what nobody wrote: that is wrong whatever it would say */
    if (s->task->checked && kg_facts_right(&c->facts))
        return kg_checked_ask(s, sc, &c->plan, sc->bed.snap, &c->facts.refused);
    return 0;
}

/* The second snapshot. Where the first one is wrong, a moment is given for the writes to show; and
 * what was unwritten then and is written now is late, not unwritten. */
static int look_again(struct kg_session *s, struct kg_scene *sc, struct kg_call *c,
                      struct kg_error *err)
{
    struct kg_space *space = s->thread->space;
    bool equal, wrong = !kg_facts_right(&c->facts);
    if (wrong) {
        kg_runner_thaw(&s->worker);
        nanosleep(&(struct timespec){0, LATE_NS}, NULL);
    }
    if (kg_bed_snapshot(&sc->bed, c->plan.set, sc->bed.late, err))
        return -1;
    for (size_t k = 0; k < c->facts.n_out; k++) {
        struct kg_output_facts *o = &c->facts.out[k];
        struct kg_cmp_stats st;
        size_t n;
        if (space->ops->equal(space, &sc->bed.snap[o->arg], &sc->bed.late[o->arg],
                              sc->bed.in.args[o->arg].bytes, &equal, err))
            return -1;
        o->late = !equal;
        if (!o->late || !o->stats.unwritten)
            continue;
        if (compare_one(s, sc, c, &sc->bed.late[o->arg], o->arg, &n, &st, err))
            return -1;
        o->late_written = st.unwritten < o->stats.unwritten;
    }
    return 0;
}

static int observe(struct kg_session *s, struct kg_scene *sc, struct kg_call *c,
                   const uint64_t *hash, struct kg_error *err)
{
    bool answered = kg_answer_is_ok(&s->answer);
    bool base = c->base == KG_BASE_AFTER ||
                (c->base == KG_BASE_NONE && c->plan.truth < 0 && !s->task->checked);
    if (check_inputs(s, sc, c, hash, err))
        return -1;
    if (!answered)
        return 0;
    if (base && kg_scene_baseline(s, sc, &c->plan, &c->times.reference_us))
        return -1;
    /* what goes on between calls is seen on a GPU, by the tracer; on host it would only disturb */
    if (!s->judge->host)
        kg_runner_thaw(&s->worker);
    return compare_all(s, sc, c, err) || look_again(s, sc, c, err) ? -1 : 0;
}

int kg_call_run(struct kg_session *s, struct kg_scene *sc, struct kg_call *c)
{
    struct kg_error err = KG_ERROR_INIT;
    uint64_t hash[KG_TASK_MAX_ARGS];
    c->facts = (struct kg_facts){.in = &sc->bed.in, .answer = &s->answer};
    c->findings.n = 0;
    c->times = (struct kg_pair){0};
    int rc = prepare(s, sc, c, hash, &err) || go(s, sc, c, &err);
    kg_runner_freeze(&s->worker);
    rc = rc || observe(s, sc, c, hash, &err);
    kg_runner_freeze(&s->worker); /* it may have been let go on */
    if (rc) {
        kg_session_fault(s, &err); /* says nothing when the verdict is known already */
        return -1;
    }
    if (c->flags & KG_GO_ABLATE)
        return 0;
    s->calls++;
    s->patterns[c->plan.pattern]++;
    kg_facts_judge(&c->facts, &c->findings);
    s->passed += !c->findings.n;
    return 0;
}
