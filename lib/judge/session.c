#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "judge/inside.h"

#define BASELINE_SECONDS(s) ((s)->judge->opts.truth_timeout_s)

void kg_session_init(struct kg_session *s, struct kg_judge_thread *t, const struct kg_task *task,
                     const struct kg_compile_result *built)
{
    memset(s, 0, sizeof *s);
    s->judge = t->judge;
    s->thread = t;
    s->task = task;
    s->built = built;
    s->call_s = t->judge->opts.call_timeout_s;
    s->session_s = t->judge->opts.timeout_s;
    s->trials = (size_t)t->judge->opts.num_correct_trials;
    kg_secret_init(&s->secret, t->judge->opts.seed, built->artifact);
    s->ledger_key = kg_secret_u64(&s->secret);
    kg_buf_init(&s->notes, 4096);
    s->nulls = t->judge->opts.compat ? 0 : (1u << KG_NULLS) - 1;
}

static bool among(const int *calls, unsigned n, int call)
{
    for (unsigned i = 0; i < n; i++)
        if (calls[i] == call)
            return true;
    return false;
}

/* What the baseline's worker was refused as well, libraries of ours tried. */
void kg_session_hear(struct kg_session *s)
{
    struct kg_proc *own = &s->worker.proc;
    struct kg_runner *base = &s->thread->baseline.runner;
    if (!s->worker.started)
        return;
    kg_proc_drain(own);
    if (base->started)
        kg_proc_drain(&base->proc);
    s->tells_refused = s->tells_refused || own->tells_denied;
    for (unsigned i = 0; i < own->n_denied && s->n_refused < KG_PROC_DENIED; i++)
        if (!among(s->refused, s->n_refused, own->denied_call[i]) &&
            !(base->started &&
              among(base->proc.denied_call, base->proc.n_denied, own->denied_call[i])))
            s->refused[s->n_refused++] = own->denied_call[i];
}

/* Of its processes the worker alone uses the device. */
static void check_family(struct kg_session *s)
{
    if (s->judge->host || !kg_session_going(s) || !kg_runner_alive(&s->worker))
        return;
    int n = kg_watch_family(s->thread->uuid, s->worker.proc.pid);
    if (n > 1)
        kg_session_fail(s, KG_FOREIGN_PROCESS,
                        "%d processes of the candidate hold a context on the device", n);
}

void kg_session_end_worker(struct kg_session *s)
{
    check_family(s);
    kg_session_hear(s);
    s->rubbish += s->worker.wire.rubbish;
    kg_runner_stop(&s->worker);
    s->worker.wire.rubbish = 0;
    s->loaded = false;
}

void kg_session_release(struct kg_session *s)
{
    kg_session_end_worker(s);
    if (s->has_ref)
        kg_ref_release(&s->ref);
    kg_answer_release(&s->answer);
    kg_buf_release(&s->notes);
    free(s->ledger.hash);
    free(s->pair);
    free(s->kernel);
}

void kg_session_fail(struct kg_session *s, enum kg_verdict v, const char *fmt, ...)
{
    if (!kg_session_going(s))
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s->message, sizeof s->message, fmt, ap);
    va_end(ap);
    kg_utf8_clean_line(s->message, strlen(s->message));
    s->verdict = v;
}

void kg_session_fault(struct kg_session *s, const struct kg_error *err)
{
    if (kg_session_going(s))
        s->fault = *err;
    kg_session_fail(s, err->code == KG_E_UNSUPPORTED ? KG_UNSUPPORTED : KG_JUDGE_FAULT, "%s",
                    err->text[0] ? err->text : "a fault of the judge");
}

void kg_session_note(struct kg_session *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    kg_buf_vaddf(&s->notes, fmt, ap);
    va_end(ap);
    kg_buf_addc(&s->notes, '\n');
}

double kg_session_left(const struct kg_session *s)
{
    double left = s->session_s - s->used_s;
    left = left < s->call_s ? left : s->call_s;
    return left > 0 ? left : 0;
}

/* ---- the candidate's worker ------------------------------------------------------------------ */

/* The spare one, if it still lives; and another is started for the next candidate, so that its
 * sandbox and its context are made while this one is verified. One: the driver makes contexts one
 * after the other, so that several started together are ready no sooner. */
static int take_worker(struct kg_session *s, struct kg_error *err)
{
    struct kg_judge_thread *t = s->thread;
    /* it may have been killed while it waited: no candidate is to be blamed for that */
    if (t->has_spare && kg_runner_alive(&t->spare) && !kg_proc_wait(&t->spare.proc, 0)) {
        s->worker = t->spare;
        s->worker.proc.output = &s->worker.output;
    } else {
        if (t->has_spare)
            kg_runner_stop(&t->spare);
        if (kg_runner_start(&s->worker, &t->spec, err)) {
            t->has_spare = false;
            return -1;
        }
    }
    s->layers = s->worker.proc.layers;
    struct kg_error ignored = KG_ERROR_INIT; /* found again when it is needed */
    t->has_spare = !kg_runner_start(&t->spare, &t->spec, &ignored);
    return 0;
}

/* Nobody in a pid namespace can end its process 1, or kg-init outside of it. */
bool kg_session_lost_worker(const struct kg_session *s, struct kg_error *err)
{
    if (s->answer.what != KG_ANSWER_ENDED || s->answer.end.how != KG_PROC_LOST ||
        !(s->layers & KG_LAYER_PID))
        return false;
    kg_error_set(err, KG_E_SYSTEM, "the candidate's worker was killed from outside");
    return true;
}

/* An order other than 'go': what the worker says of it is a finding. */
static int order_done(struct kg_session *s, const struct kg_scene *sc, int rc, const char *what,
                      struct kg_findings *found, struct kg_error *err)
{
    if (rc || kg_session_lost_worker(s, err)) {
        kg_session_fault(s, err);
        return -1;
    }
    s->used_s += s->answer.wall_s;
    if (kg_answer_is_ok(&s->answer))
        return 0;
    struct kg_facts f = {.in = &sc->bed.in, .answer = &s->answer};
    kg_facts_judge(&f, found);
    if (!found->n)
        kg_findings_add(found, KG_RUNTIME_ERROR, "the worker could not %s", what);
    return 0;
}

static int load(struct kg_session *s, struct kg_scene *sc, struct kg_findings *found)
{
    struct kg_error err = KG_ERROR_INIT;
    const char *const entries[] = {s->built->entry[0] ? s->built->entry : "kg_call", NULL};
    if (!kg_runner_alive(&s->worker)) {
        kg_session_end_worker(s);
        if (take_worker(s, &err)) {
            kg_session_fault(s, &err);
            return -1;
        }
    }
    struct kg_runner_load l = {.kind = s->judge->host ? KG_WORKER_HOST : KG_WORKER_CUDA,
                               .role = KG_WORKER_CANDIDATE,
                               .path = s->loaded ? NULL : s->built->path,
                               .in = &sc->bed.in,
                               .entries = entries};
    s->loaded = true;
    if (order_done(s, sc, kg_runner_load(&s->worker, &l, kg_session_left(s), &s->answer, &err),
                   "load", found, &err))
        return -1;
    if (found->n)
        return 0;
    return order_done(
        s, sc,
        kg_bed_lend(&sc->bed, &s->worker, KG_BED_CANDIDATE, kg_session_left(s), &s->answer, &err),
        "map slots", found, &err);
}

int kg_scene_load(struct kg_session *s, struct kg_scene *sc, struct kg_findings *found)
{
    int rc = load(s, sc, found);
    kg_runner_freeze(&s->worker);
    return rc;
}

/* ---- the baseline ------------------------------------------------------------------------- */

static int baseline_fault(struct kg_session *s, const struct kg_answer *a, int rc,
                          const struct kg_error *err)
{
    if (rc) {
        kg_session_fault(s, err);
        return -1;
    }
    if (kg_answer_is_ok(a))
        return 0;
    struct kg_buf text = KG_BUF_INIT;
    kg_answer_text(a, &text);
    kg_session_fail(s, kg_answer_is_our_fault(a) ? KG_JUDGE_FAULT : KG_REFERENCE_ERROR,
                    "the baseline of task '%s': %s", s->task->task_id, kg_buf_str(&text));
    kg_buf_release(&text);
    return -1;
}

int kg_scene_load_baseline(struct kg_session *s, struct kg_scene *sc)
{
    struct kg_kept *k = &s->thread->baseline;
    struct kg_error err = KG_ERROR_INIT;
    int rc = kg_kept_load(k, s->thread, sc->baseline, &sc->bed, KG_BED_BASELINE, &err);
    return baseline_fault(s, &k->answer, rc, &err);
}

int kg_scene_baseline(struct kg_session *s, struct kg_scene *sc, const struct kg_plan_call *c,
                      double *span_us)
{
    struct kg_kept *k = &s->thread->baseline;
    struct kg_error err = KG_ERROR_INIT;
    uint64_t scalars[KG_WIRE_ARGS];
    double busy;
    if (kg_scene_load_baseline(s, sc))
        return -1;
    kg_runner_scalars(&sc->bed.in, &c->content, false, scalars);
    if (kg_bed_poison(&sc->bed, KG_BED_BASELINE, c->set, kg_secret_u64(&s->secret), &err) ||
        s->thread->space->ops->settle(s->thread->space, &err)) {
        kg_session_fault(s, &err);
        return -1;
    }
    int rc = kg_runner_go(&k->runner, c->set, 0, kg_session_flags(s), scalars, BASELINE_SECONDS(s),
                          &k->answer, &err);
    if (baseline_fault(s, &k->answer, rc, &err))
        return -1;
    kg_runner_launches(&k->runner, &k->answer);
    if (!span_us)
        return 0;
    kg_call_spans(k->answer.launches.v, k->answer.launches.n, span_us, &busy);
    if (!kg_judge_by_events(s->judge) || !(*span_us > 0))
        return 0;
    *span_us = kg_clocks_events_us(&k->answer);
    if (*span_us > 0)
        return 0;
    kg_session_fail(s, KG_JUDGE_FAULT, "no time between the events around the baseline's call");
    return -1;
}

/* ---- the scene
 * ----------------------------------------------------------------------------------- */

int kg_scene_want(struct kg_session *s, struct kg_scene *sc, int call, struct kg_error *err)
{
    for (size_t k = 0; k < sc->bed.n_out; k++) {
        size_t arg = sc->bed.out[k];
        if (kg_wants_copy(&s->thread->wants, s->thread->space, sc->truth, call, arg,
                          kg_ref_out_bytes(&sc->bed.in, arg), &sc->bed.want[arg], err))
            return -1;
    }
    return 0;
}

/* Where the answer is not unique: by what check says of the baseline's. */
static int baseline_checked(struct kg_session *s, struct kg_scene *sc, const struct kg_plan_call *c)
{
    int result;
    if (kg_checked_ready(s, sc, c) || kg_checked_ask(s, sc, c, sc->bed.theirs, &result))
        return -1;
    if (result)
        kg_session_fail(s, KG_REFERENCE_ERROR,
                        "check of the reference of task '%s' refuses the baseline's answer (%s): "
                        "it returned %d",
                        s->task->task_id, sc->bed.in.which->label, result);
    return result ? -1 : 0;
}

/* One of the truth's calls by the baseline, within the tighter bound. */
static int baseline_agrees(struct kg_session *s, struct kg_scene *sc, int call)
{
    struct kg_space *space = s->thread->space;
    struct kg_error err = KG_ERROR_INIT;
    struct kg_plan_call *c = &sc->truth->call[call];
    size_t n;
    if (kg_bed_publish(&sc->bed, c, true, &err)) {
        kg_session_fault(s, &err);
        return -1;
    }
    if (kg_scene_baseline(s, sc, c, NULL))
        return -1;
    if (s->task->checked)
        return baseline_checked(s, sc, c);
    if (kg_scene_want(s, sc, call, &err)) {
        kg_session_fault(s, &err);
        return -1;
    }
    for (size_t k = 0; k < sc->bed.n_out; k++) {
        size_t arg = sc->bed.out[k];
        bool f64 = kg_dtype_is_float(s->task->args[arg].dtype);
        struct kg_tolerance tight = kg_tolerance_baseline(&sc->bed.in, arg);
        struct kg_cmp_stats st;
        if (kg_bed_count(&sc->bed, arg, sc->bed.want, c, &n, &err) ||
            space->ops->compare(space, &sc->bed.in, arg, &tight, &sc->bed.theirs[arg],
                                &sc->bed.want[arg], f64, sc->truth->rms[arg], 0, n, &st, &err)) {
            kg_session_fault(s, &err);
            return -1;
        }
        if (kg_cmp_ok(&st))
            continue;
        kg_session_fail(s, KG_REFERENCE_ERROR,
                        "baseline and reference of task '%s' disagree (%s): %zu of %zu elements "
                        "of '%s', worst at %zu: baseline %.9g, reference %.9g",
                        s->task->task_id, sc->bed.in.which->label, st.bad, st.count,
                        s->task->args[arg].name, st.worst, st.worst_got, st.worst_want);
        return -1;
    }
    return 0;
}

static int check_baseline(struct kg_session *s, struct kg_scene *sc)
{
    const char *artifact = sc->baseline->built.artifact;
    if (kg_truth_agreed(s->judge->truths, sc->truth, artifact))
        return 0;
    for (size_t i = 0; i < sc->truth->n_calls; i++)
        if (baseline_agrees(s, sc, (int)i))
            return -1;
    kg_truth_agree(s->judge->truths, sc->truth, artifact);
    return 0;
}

static int find_truth(struct kg_session *s, struct kg_scene *sc)
{
    struct kg_error err = KG_ERROR_INIT;
    enum kg_verdict v = KG_JUDGE_FAULT;
    const struct kg_program *ref =
        kg_programs_get(s->judge->programs, s->task, KG_PROGRAM_REFERENCE, &v, &err);
    if (ref && !s->has_ref) {
        kg_ref_init(&s->ref, &s->thread->spec, ref->built.path, s->judge->opts.truth_timeout_s);
        s->has_ref = true;
    }
    kg_ref_restart(&s->ref);
    sc->truth =
        ref ? kg_truth_get(s->judge->truths, s->thread->space, &sc->bed.in, &s->ref, &v, &err)
            : NULL;
    sc->baseline = sc->truth
                       ? kg_programs_get(s->judge->programs, s->task, KG_PROGRAM_BASELINE, &v, &err)
                       : NULL;
    if (sc->baseline)
        return 0;
    kg_session_fail(s, v, "%s", err.text);
    return -1;
}

/* There is no room for a bed: workers still have the slots of the last one, and whatever a
 * candidate keeps. They are started again when they are needed, so nobody can hold memory that
 * another needs, or see to it that he is judged no further. */
static void give_back_memory(struct kg_session *s)
{
    kg_session_end_worker(s);
    kg_kept_stop(&s->thread->baseline);
    kg_kept_stop(&s->thread->empty);
    kg_wants_drop(&s->thread->wants, s->thread->space);
    if (s->has_ref)
        kg_ref_release(&s->ref);
    s->has_ref = false;
}

int kg_scene_open(struct kg_session *s, const struct kg_case *c, struct kg_scene *sc)
{
    struct kg_error err = KG_ERROR_INIT;
    const struct kg_judge_opts *o = &s->judge->opts;
    memset(sc, 0, sizeof *sc);
    int rc = kg_bed_init(&sc->bed, s->thread->space, s->task, c, o->rtol, o->atol, &err);
    if (rc && err.code == KG_E_UNSUPPORTED) {
        give_back_memory(s);
        kg_error_clear(&err);
        rc = kg_bed_init(&sc->bed, s->thread->space, s->task, c, o->rtol, o->atol, &err);
    }
    s->short_of_memory = s->short_of_memory || (rc && err.code == KG_E_UNSUPPORTED);
    if (rc) {
        if (err.code == KG_E_INPUT)
            kg_session_fail(s, KG_REFERENCE_ERROR, "task '%s': %s", s->task->task_id, err.text);
        else
            kg_session_fault(s, &err);
        return -1;
    }
    sc->bed.maker = kg_checked_maker(s);
    if (!find_truth(s, sc) && !check_baseline(s, sc))
        return 0;
    kg_scene_close(s, sc);
    return -1;
}

void kg_scene_close(struct kg_session *s, struct kg_scene *sc)
{
    kg_kept_forget(&s->thread->baseline, &sc->bed);
    kg_kept_forget(&s->thread->empty, &sc->bed);
    kg_ref_forget(&s->ref, &sc->bed.in);
    kg_bed_release(&sc->bed);
}
