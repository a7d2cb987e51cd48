#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/inside.h"

/*
 * Two clocks. The judge's: the window of a verified call, less the window of an empty
 * candidate with the same slots that launches one empty kernel. The tracer's: the device span and
 * the host time that its API records explain. Where the judge sees more than the tracer explains,
 * work is being hidden from the tracer.
 */

#define CALIBRATION 8    /* empty windows */
#define SYNC_US     30.0 /* of the final synchronise count as explained */
#define MISMATCH    1.10 /* the windows may exceed what is explained by so much */

#define HOST_MISMATCH 1.5
#define HOST_SLACK_US 300 /* scratch memory, streams */

/* ---- the empty candidate ------------------------------------------------------------------- */

static int load_empty(struct kg_session *s, struct kg_scene *sc, const struct kg_program *p,
                      struct kg_error *err)
{
    struct kg_kept *k = &s->thread->empty;
    if (kg_kept_load(k, s->thread, p, &sc->bed, KG_BED_CANDIDATE, err))
        return -1;
    if (kg_answer_is_ok(&k->answer))
        return 0;
    struct kg_buf text = KG_BUF_INIT;
    kg_answer_text(&k->answer, &text);
    kg_error_set(err, KG_E_INTERNAL, "the empty candidate: %s", kg_buf_str(&text));
    kg_buf_release(&text);
    return -1;
}

static int empty_window(struct kg_session *s, struct kg_scene *sc, int set, double *us,
                        struct kg_error *err)
{
    struct kg_kept *k = &s->thread->empty;
    struct kg_content none = {.seed = 1};
    uint64_t scalars[KG_WIRE_ARGS];
    kg_runner_scalars(&sc->bed.in, &none, false, scalars);
    if (s->thread->space->ops->settle(s->thread->space, err) ||
        kg_runner_go(&k->runner, set, 0, kg_session_flags(s), scalars, 10, &k->answer, err) ||
        kg_bed_snapshot(&sc->bed, set, sc->bed.snap, err))
        return -1;
    if (!kg_answer_is_ok(&k->answer))
        return kg_error_set(err, KG_E_INTERNAL, "the empty candidate did not answer");
    *us = (kg_clock_now() - k->answer.sent_s) * 1e6;
    kg_runner_launches(&k->runner, &k->answer);
    kg_runner_freeze(&k->runner); /* as a candidate is between its calls */
    return 0;
}

int kg_clocks_load(struct kg_session *s, struct kg_scene *sc)
{
    struct kg_error err = KG_ERROR_INIT;
    enum kg_verdict v = KG_JUDGE_FAULT;
    const struct kg_program *p =
        kg_programs_get(s->judge->programs, s->task, KG_PROGRAM_EMPTY, &v, &err);
    if (p && !load_empty(s, sc, p, &err))
        return 0;
    kg_session_fault(s, &err);
    return -1;
}

int kg_clocks_calibrate(struct kg_session *s, struct kg_scene *sc)
{
    struct kg_error err = KG_ERROR_INIT;
    double x[CALIBRATION + 1];
    for (int i = 0; i <= CALIBRATION; i++)
        if (empty_window(s, sc, i % KG_BED_SETS, &x[i], &err)) {
            kg_session_fault(s, &err);
            return -1;
        }
    s->empty_us = kg_stats_of(x + 1, CALIBRATION); /* the first one warms up */
    return 0;
}

/* ---- what the clocks say -------------------------------------------------------------------- */

double kg_clocks_explained(const struct kg_pair *p, const struct kg_activity *a)
{
    return p->kernel_us + a->lead_us + a->api_us + fmin(a->tail_us, SYNC_US);
}

/*
 * On host a call's window holds what the worker does itself as well (memory of the runtime's,
 * copies), and times are emulated anyway: the claim counts up to a factor. What the judge saw
 * beyond it is the candidate's time, or a host that works beside an idle kernel would be a thousand
 * times as fast. So is what it spent on allocating: that explains the window, but nobody believes
 * that it was not work.
 */
double kg_clocks_seen_on_host(const struct kg_session *s, struct kg_pair *p)
{
    p->explained_us = fmin(p->window_us, p->explained_us + s->answer.done.allocating_us);
    return fmax(p->kernel_us, (p->window_us - s->empty_us.p90) / HOST_MISMATCH);
}

void kg_clocks_check_host(struct kg_session *s)
{
    double *x = kg_mem_array(s->n_pair ? s->n_pair : 1, sizeof *x);
    for (size_t i = 0; i < s->n_pair; i++)
        x[i] =
            (s->pair[i].window_us - s->empty_us.p90 - HOST_SLACK_US - 2 * s->pair[i].explained_us) /
            1e6;
    struct kg_ratio r = kg_stats_ratio(x, s->n_pair);
    double over = log(r.lo) * 1e6;
    free(x);
    if (over > 0)
        kg_session_fail(s, KG_TIMING_MISMATCH,
                        "the judge's clock shows %.0f us a call that no kernel explains: the host "
                        "did the work, or the times are not true",
                        over + HOST_SLACK_US);
}

void kg_clocks_check(struct kg_session *s)
{
    double *x = kg_mem_array(s->n_pair ? s->n_pair : 1, sizeof *x);
    for (size_t i = 0; i < s->n_pair; i++)
        x[i] =
            (s->pair[i].window_us - s->empty_us.median - MISMATCH * s->pair[i].explained_us) / 1e6;
    /* the interval of a median is taken of logs: of seconds, it is one of differences as well */
    struct kg_ratio r = kg_stats_ratio(x, s->n_pair);
    double over = log(r.lo) * 1e6, spread = s->empty_us.p90 - s->empty_us.p10;
    free(x);
    if (over > 0 && over > spread)
        kg_session_fail(s, KG_TIMING_MISMATCH,
                        "the judge's clock shows %.1f us a call that the tracer does not explain "
                        "(calibration: %.1f us, spread %.1f us)",
                        over, s->empty_us.median, spread);
}

/* ---- events -----------------------------------------------------------------------------------
 */

/* A claim of the worker; it cannot exceed the judge's own clock. */
double kg_clocks_events_us(const struct kg_answer *a)
{
    double us = a->what == KG_ANSWER_DONE ? a->done.events_us : 0;
    return us > 0 && us <= a->wall_s * 1e6 ? us : 0;
}

/* The events stand around all that the tracer shows: they cannot be nearer to each other. */
void kg_clocks_check_events(struct kg_session *s)
{
    double *x = kg_mem_array(s->n_pair ? s->n_pair : 1, sizeof *x);
    for (size_t i = 0; i < s->n_pair; i++)
        x[i] = log(s->pair[i].traced_us / s->pair[i].kernel_us);
    struct kg_ratio r = kg_stats_ratio(x, s->n_pair);
    free(x);
    if (kg_judge_by_events(s->judge) && r.lo > MISMATCH)
        kg_session_fail(s, KG_TIMING_MISMATCH,
                        "the tracer shows %.2f times the time that lies between the events around "
                        "a call",
                        r.ratio);
}

/* ---- the floor ------------------------------------------------------------------------------- */

#define FLOOR_SLACK 0.9 /* the bandwidth was measured with a launch in it */

/* Compulsory reads and writes beyond the cache, over the device's read bandwidth. */
double kg_clocks_floor(const struct kg_instance *in, const struct kg_device_info *info)
{
    double bytes = (double)in->min_read + (double)in->out_bytes - (double)info->l2_bytes;
    if (info->read_gb_s <= 0 || bytes <= 0)
        return 0;
    return bytes / info->read_gb_s / 1e3;
}

void kg_clocks_check_floor(struct kg_session *s)
{
    double *x = kg_mem_array(s->n_pair ? s->n_pair : 1, sizeof *x);
    for (size_t i = 0; i < s->n_pair; i++)
        x[i] = s->pair[i].kernel_us;
    double median = kg_stats_of(x, s->n_pair).median;
    free(x);
    if (s->floor_us > 0 && median < FLOOR_SLACK * s->floor_us)
        kg_session_fail(s, KG_IMPOSSIBLE_TIME,
                        "%.2f us a call, but its compulsory reads and writes take %.2f us", median,
                        s->floor_us);
}
