#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/inside.h"

#define HOPELESS         0.3 /* an upper bound of the speedup below which no more calls are worth it */
#define THROTTLED_ROUNDS 3 /* that are thrown away */

/* When a measurement ends (kg-profile(1)); on host: 8 pairs or 2 s, unless a noise is asked for. */
struct recipe {
    size_t min_pairs, warmup;
    double noise, min_s, max_s;
};

static struct recipe recipe_of(const struct kg_session *s)
{
    const struct kg_judge_opts *o = &s->judge->opts;
    bool asked = o->precise || o->max_noise >= 0;
    struct recipe r = {.min_pairs = s->thread->emulated ? 8 : 10, .warmup = 1};
    r.noise = o->max_noise >= 0     ? o->max_noise
              : o->precise          ? 0.005
              : s->thread->emulated ? INFINITY
                                    : 0.02;
    r.max_s = o->max_time_s > 0 ? o->max_time_s : s->thread->emulated && !asked ? 2 : 15;
    r.min_s = o->min_time_s > 0 ? o->min_time_s : 0;
    if (!(o->max_time_s > 0))
        r.max_s = fmax(r.max_s, r.min_s);
    if (s->min_pairs > 0)
        r.min_pairs = s->min_pairs;
    if (o->warmup >= 0)
        r.warmup = (size_t)o->warmup;
    return r;
}

static void count_kernels(struct kg_session *s, const struct kg_launches *launches)
{
    for (size_t i = 0; i < launches->n; i++) {
        const struct kg_wire_launch *l = &launches->v[i];
        double us = fmax(0, l->end_s - l->start_s) * 1e6;
        size_t k = 0;
        while (k < s->n_kernel && (s->kernel[k].first.class_hint != l->class_hint ||
                                   strcmp(s->kernel[k].first.name, l->name)))
            k++;
        if (k == s->n_kernel) {
            s->kernel = kg_mem_grow(s->kernel, k, &s->cap_kernel, sizeof *s->kernel);
            s->kernel[s->n_kernel++] = (struct kg_kernel_sum){.first = *l};
        }
        s->kernel[k].device_us += us;
        s->kernel[k].launches++;
        s->class_us[l->class_hint % KG_KERNEL_CLASSES] += us;
        s->class_launches[l->class_hint % KG_KERNEL_CLASSES]++;
        s->kernels_us += us;
        s->launches++;
    }
}

static void add_launches(struct kg_launches *to, const struct kg_launches *from)
{
    for (size_t i = 0; i < from->n; i++) {
        to->v = kg_mem_grow(to->v, to->n, &to->cap, sizeof *to->v);
        to->v[to->n++] = from->v[i];
    }
}

/* One timed call, verified like any other; its launches are added to 'seen' (NULL: it is a warm-up
 * and counts nowhere). -1: the session is over. */
static int timed_call(struct kg_session *s, struct kg_scene *sc, struct kg_plan_call *prev,
                      bool first, enum kg_call_base base, struct kg_launches *seen)
{
    struct kg_call c = {.base = base};
    kg_plan_fresh(&sc->bed.in, first ? NULL : prev, &s->secret, &c.plan);
    *prev = c.plan;
    if (kg_call_run(s, sc, &c))
        return -1;
    if (c.findings.n) {
        kg_followup(s, sc, &c);
        return -1;
    }
    if (!(c.times.kernel_us > 0 && c.times.reference_us > 0)) {
        /* a right answer has launches; that they took no time at all is a claim nobody believes */
        if (!(c.times.reference_us > 0))
            kg_session_fail(s, KG_REFERENCE_ERROR, "the baseline of task '%s' launched no kernel",
                            s->task->task_id);
        else
            kg_session_fail(s, KG_IMPOSSIBLE_TIME, "a call took no time at all");
        return -1;
    }
    if (s->judge->host)
        c.times.kernel_us = kg_clocks_seen_on_host(s, &c.times);
    /* who remembers the last call's answer has most of a patched one: such a call is verified, but
     * its time says little */
    if (!seen || c.plan.pattern == KG_PATTERN_PATCHED)
        return 0;
    s->pair = kg_mem_grow(s->pair, s->n_pair, &s->cap_pair, sizeof *s->pair);
    s->pair[s->n_pair++] = c.times;
    add_launches(seen, &s->answer.launches);
    return 0;
}

static struct kg_ratio ratio_of(const struct kg_session *s)
{
    double *x = kg_mem_array(s->n_pair ? s->n_pair : 1, sizeof *x);
    for (size_t i = 0; i < s->n_pair; i++)
        x[i] = log(s->pair[i].reference_us / s->pair[i].kernel_us);
    struct kg_ratio r = kg_stats_ratio(x, s->n_pair);
    free(x);
    return r;
}

static const char *stop_reason(const struct kg_session *s, const struct recipe *r, double since)
{
    double took = kg_clock_now() - since;
    if (s->ratio.n >= 6 && s->ratio.hi < HOPELESS)
        return "hopeless";
    if (s->n_pair >= r->min_pairs && took >= r->min_s && s->ratio.half_width <= r->noise)
        return isinf(r->noise) ? "runs" : "noise";
    if (took >= r->max_s)
        return "time";
    /* what is left of the candidate's own time must do for two more calls like the longest */
    double longest = 0;
    for (size_t i = 0; i < s->n_pair; i++)
        longest = fmax(longest, s->pair[i].window_us * 1e-6);
    return s->session_s - s->used_s < 4 * longest ? "timeout" : NULL;
}

/* A B B A; thrown away when the device was slowed in it, until that was done often enough: then it
 * counts and the record says so. -1: the session is over. */
static int one_round(struct kg_session *s, struct kg_scene *sc, struct kg_plan_call *prev,
                     bool first)
{
    struct kg_launches seen = {.n = 0};
    struct kg_device_info info;
    struct kg_error err = KG_ERROR_INIT;
    size_t before = s->n_pair;
    int rc = timed_call(s, sc, prev, first, KG_BASE_AFTER, &seen) ||
                     timed_call(s, sc, prev, false, KG_BASE_BEFORE, &seen)
                 ? -1
                 : 0;
    if (!rc && s->thread->space->ops->info(s->thread->space, &info, &err)) {
        kg_session_fault(s, &err);
        rc = -1;
    }
    if (!rc && info.throttled && s->thrown_away < THROTTLED_ROUNDS) {
        s->n_pair = before;
        s->thrown_away++;
    } else if (!rc) {
        s->throttled = s->throttled || info.throttled;
        count_kernels(s, &seen);
    }
    free(seen.v);
    return rc;
}

static void rounds(struct kg_session *s, struct kg_scene *sc)
{
    struct recipe r = recipe_of(s);
    struct kg_plan_call prev;
    bool first = true;
    for (size_t i = 0; i < r.warmup; i++, first = false)
        if (timed_call(s, sc, &prev, first, KG_BASE_AFTER, NULL))
            return;
    double since = kg_clock_now();
    while (!s->stop) {
        if (one_round(s, sc, &prev, first))
            return;
        first = false;
        if (s->n_pair) {
            s->ratio = ratio_of(s);
            s->stop = stop_reason(s, &r, since);
        }
    }
}

/* Somebody who knows no locks: nobody's fault here, and no time to be believed. */
static void check_strangers(struct kg_session *s, uint64_t since_us)
{
    char name[64];
    pid_t pid = kg_watch_stranger(s->thread->uuid, since_us, name);
    if (pid)
        kg_session_fail(s, KG_JUDGE_FAULT,
                        "process %d (%s), which is not of kg, used device %s while it was timed",
                        (int)pid, name, s->thread->device);
}

/* The times have to stand up to the judge's own clock, on a GPU also to the memory's speed. */
static void measure(struct kg_session *s, struct kg_scene *sc)
{
    struct kg_device_info info;
    struct kg_error err = KG_ERROR_INIT;
    double own = s->judge->opts.compat ? 0 : s->task->library_floor;
    uint64_t since_us = kg_watch_now_us();
    if (kg_clocks_calibrate(s, sc))
        return;
    rounds(s, sc);
    if (!kg_session_going(s))
        return;
    if (s->judge->host) {
        kg_clocks_check_host(s);
        return;
    }
    check_strangers(s, since_us);
    if (s->thread->space->ops->info(s->thread->space, &info, &err)) {
        kg_session_fault(s, &err);
        return;
    }
    s->floor_us = kg_clocks_floor(&sc->bed.in, &info);
    if (own > 0 && s->class_us[KG_KERNEL_CUSTOM] < own * s->kernels_us)
        kg_session_fail(s, KG_LIBRARY_ONLY, "%.1f %% of the device time is its own, %.1f %% is due",
                        100 * s->class_us[KG_KERNEL_CUSTOM] / s->kernels_us, 100 * own);
    kg_clocks_check_events(s);
    kg_clocks_check(s);
    kg_clocks_check_floor(s);
}

/* All that makes contexts, loads modules and maps memory, while others may do the same; false: the
 * verdict says why. */
static bool ready(struct kg_session *s, struct kg_scene *sc)
{
    struct kg_findings found = {.n = 0};
    if (kg_scene_load(s, sc, &found) || (!found.n && kg_scene_load_baseline(s, sc)))
        return false;
    if (found.n) {
        s->findings = found;
        kg_session_fail(s, kg_findings_verdict(&found), "%s", found.item[0].text);
        return false;
    }
    if (kg_clocks_load(s, sc))
        return false;
    kg_judge_thread_wait(s->thread);
    return true;
}

void kg_session_time(struct kg_session *s)
{
    struct kg_scene sc;
    struct kg_error err = KG_ERROR_INIT;
    if (!kg_session_going(s) ||
        kg_scene_open(s, s->judge->host ? &s->task->timed_host : &s->task->timed, &sc))
        return;
    snprintf(s->label, sizeof s->label, "%s", sc.bed.in.which->label);
    if (ready(s, &sc)) {
        if (kg_lock_take(&s->thread->lock, true, &err))
            kg_session_fault(s, &err);
        else
            measure(s, &sc);
    }
    kg_scene_close(s, &sc);
}
