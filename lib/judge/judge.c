#include "judge/judge.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/exit.h"
#include "base/mem.h"
#include "base/msg.h"
#include "compile/stamp.h"
#include "judge/inside.h"
#include "record/loop.h"

#define TRIES           3  /* of a session that ended by a fault of ours */
#define RECOVER_SECONDS 10 /* until a device answers after a crash */

const char *const kg_judge_sandbox_words[] = {"auto", "require", "off", NULL};
const char *const kg_judge_compat_words[] = {"none", "kernelgym", NULL};

/* ---- the judge ----------------------------------------------------------------------------- */

static void set_defaults(struct kg_judge_opts *o)
{
    if (o->call_timeout_s <= 0)
        o->call_timeout_s = 10;
    if (o->truth_timeout_s <= 0)
        o->truth_timeout_s = 600;
    if (o->compile_timeout_s <= 0)
        o->compile_timeout_s = 60;
    if (o->compat == KG_COMPAT_KERNELGYM && o->rtol < 0 && o->atol < 0)
        o->rtol = o->atol = 1e-2;
}

static int choose_device(struct kg_judge *j, struct kg_error *err)
{
    const char *text = j->opts.device ? j->opts.device : getenv("KG_DEVICE");
    if (kg_devices_find(&j->devices, text, j->target, err) ||
        kg_cpus_parse(getenv("KG_CPUS"), &j->cpus, err))
        return -1;
    j->host = !strcmp(j->target, "host");
    return 0;
}

struct kg_judge *kg_judge_new(const struct kg_judge_opts *o, struct kg_error *err)
{
    struct kg_judge *j = kg_mem_zalloc(sizeof *j);
    j->opts = *o;
    set_defaults(&j->opts);
    if (choose_device(j, err) || !(j->tasks = kg_tasks_new(&j->opts.tasks, err)) ||
        !(j->truths = kg_truths_new(o->no_cache, o->truth_bytes, err))) {
        kg_judge_free(j);
        return NULL;
    }
    struct kg_space *probe = kg_space_open(j->devices.name[0], err);
    if (!probe) {
        kg_judge_free(j);
        return NULL;
    }
    kg_space_close(probe);
    j->compile = (struct kg_compile_opts){.target = j->target,
                                          .timeout_s = j->opts.compile_timeout_s,
                                          .no_cache = o->no_cache,
                                          .sandbox = (enum kg_sandbox_mode)o->sandbox};
    j->programs = kg_programs_new(&j->compile);
    if (o->seed)
        kg_msg_warn("--seed makes the judge's choices predictable: for tests only");
    return j;
}

int64_t kg_judge_jobs(const struct kg_judge *j)
{
    return j->host ? 0 : (int64_t)j->devices.n;
}

void kg_judge_free(struct kg_judge *j)
{
    if (!j)
        return;
    kg_programs_free(j->programs);
    kg_truths_free(j->truths);
    kg_tasks_free(j->tasks);
    free(j);
}

/* ---- a session for a record
 * ----------------------------------------------------------------------- */

struct job {
    struct kg_judge *judge;
    struct kg_judge_thread *thread;
    struct kg_record *record;
    const struct kg_task *task;
    struct kg_compile_result built;
    bool verify, profile; /* which objects are to be written */
    double timeout_s;
    size_t trials, pairs;
};

/* Alone from its beginning to its end, in this process? (Other processes are not known.) */
static unsigned enter(struct kg_judge *j)
{
    if (atomic_fetch_add(&j->sessions, 1) > 0)
        atomic_fetch_add(&j->crowd, 1);
    return atomic_load(&j->crowd);
}

static void leave(struct kg_judge *j)
{
    atomic_fetch_sub(&j->sessions, 1);
}

/* What the candidate had on the device is gone before others, who may measure, get it; and after
 * one that hung or crashed the device has to answer. If it does not, the next record finds out. */
static void leave_device(struct job *b, struct kg_session *s)
{
    struct kg_space *space = b->thread->space;
    kg_session_end_worker(s);
    if (kg_verdict_class(s->verdict) == KG_CLASS_CRASH &&
        space->ops->recover(space, RECOVER_SECONDS, &b->thread->fault))
        b->thread->fault.code = KG_E_LOST;
}

static void run_session(struct job *b, struct kg_session *s, bool alone)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_device_info info;
    kg_session_init(s, b->thread, b->task, &b->built);
    s->session_s = b->timeout_s;
    s->trials = b->trials;
    s->min_pairs = b->pairs;
    if (b->thread->fault.code && !kg_judge_thread_reopen(b->thread)) {
        kg_session_fault(s, &b->thread->fault);
        return;
    }
    if (kg_lock_take(&b->thread->lock, alone, &err)) {
        kg_session_fault(s, &err);
        return;
    }
    if (!b->thread->space->ops->info(b->thread->space, &info, &err))
        s->mem_free_mb = (double)info.mem_free / 1e6;
    if (b->verify)
        kg_session_verify(s);
    if (b->profile)
        kg_session_time(s);
    kg_session_hear(s);
    kg_judge_thread_wait(b->thread);
    if (!b->judge->host)
        leave_device(b, s);
    kg_lock_drop(&b->thread->lock);
}

/* A time limit that was passed while others used the device says little, unless the candidate had
 * half of that time on a processor; nor do we know then who took the memory. */
static bool blame_is_doubtful(const struct kg_session *s, bool crowded)
{
    return crowded && (s->short_of_memory ||
                       (s->verdict == KG_TIMEOUT && s->candidate_cpu_s < s->candidate_wall_s / 2));
}

static void judge(struct job *b, struct kg_session *s)
{
    bool alone = false;
    for (int try = 1;; try++) {
        unsigned before = enter(b->judge);
        bool beside = atomic_load(&b->judge->sessions) > 1;
        run_session(b, s, alone);
        bool crowded = beside || atomic_load(&b->judge->crowd) != before;
        leave(b->judge);
        bool suspect = kg_verdict_class(s->verdict) == KG_CLASS_SUSPECT;
        bool repeat = !alone && (blame_is_doubtful(s, crowded) || suspect);
        bool fault = s->verdict == KG_JUDGE_FAULT && try < TRIES;
        bool lost = s->fault.code == KG_E_LOST;
        if (kg_loop_stopping() || !(repeat || fault) || (!lost && b->thread->fault.code) ||
            (lost && !kg_judge_thread_move(b->thread, &s->fault)))
            return;
        alone = alone || repeat;
        kg_session_release(s);
    }
}

/* ---- the record
 * ------------------------------------------------------------------------------------- */

static double number(struct kg_record *r, const char *key, double option, double fallback)
{
    const struct kg_value *v = kg_record_get(r, key);
    if (option > 0)
        return option;
    if (!v || v->type == KG_VALUE_NULL)
        return fallback;
    if (v->type != KG_VALUE_NUMBER || !(v->number > 0)) {
        kg_record_fault(r, "field '%s' is no positive number", key);
        return fallback;
    }
    return v->number;
}

static size_t count(struct kg_record *r, const char *key, int64_t option, double fallback,
                    double most)
{
    double n = number(r, key, (double)option, fallback);
    if (n != floor(n))
        kg_record_fault(r, "field '%s' is no integer", key);
    return (size_t)fmin(n, most);
}

/* A record may ask for more than there is; then it gets the most. */
static int read_limits(struct job *b)
{
    const struct kg_judge_opts *o = &b->judge->opts;
    b->timeout_s = number(b->record, "timeout", o->timeout_s, 60);
    b->trials = count(b->record, "num_correct_trials", o->num_correct_trials, 3, KG_JUDGE_TRIALS);
    b->pairs = count(b->record, "num_perf_trials", o->min_runs, 0, KG_JUDGE_PAIRS);
    return b->record->error.code ? -1 : 0;
}

static void fail_source(struct job *b, enum kg_verdict v, const char *text)
{
    b->built.verdict = v;
    snprintf(b->built.message, sizeof b->built.message, "%.500s", text);
}

static void build(struct job *b)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_record *r = b->record;
    const char *backend = kg_record_str(r, "backend", NULL), *src;
    size_t len;
    if (!backend && !kg_value_is(kg_record_get(r, "backend"), KG_VALUE_NULL) &&
        kg_record_has(r, "backend")) {
        kg_record_fault(r, "field 'backend' is no string");
        return;
    }
    if (backend && strcmp(backend, "cuda")) {
        kg_error_set(&err, KG_E_UNSUPPORTED, "backend '%s': a native task is written in 'cuda'",
                     backend);
        fail_source(b, KG_UNSUPPORTED, err.text);
    } else if (!(src = kg_compile_source(r, KG_EXTRACT_FENCED, &len, &err))) {
        fail_source(b, KG_NO_CODE, err.text);
    } else {
        kg_compile(b->task, KG_SOURCE_CANDIDATE, src, len, &b->judge->compile, &b->built);
    }
    if (b->built.verdict == KG_JUDGE_FAULT && b->built.code == KG_E_MISSING) {
        kg_msg_warn_once("no-compiler", "%s", b->built.message);
        kg_loop_status(KG_EXIT_MISSING);
    }
}

/* The seven fields; a speedup is known to kg-profile alone, which writes it later. */
static void write_verdict(struct job *b, const struct kg_session *s)
{
    kg_record_set_verdict(b->record, s->verdict, s->message[0] ? s->message : NULL);
    kg_record_set_null(b->record, "speedup");
    kg_stamp(b->record, b->task);
}

static void answer(struct job *b, const struct kg_session *s, double ms)
{
    if (b->verify)
        kg_write_verify(b->record, s, ms);
    write_verdict(b, s);
    if (b->profile && (!b->verify || s->verdict == KG_PASSED || s->n_pair))
        kg_write_profile(b->record, s, ms);
}

static void run_job(struct job *b)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_record *r = b->record;
    double since = kg_clock_now();
    b->task = kg_tasks_of(b->judge->tasks, r, &err);
    if (!b->task) {
        kg_record_fault(r, "%s", err.text);
        return;
    }
    if (read_limits(b))
        return;
    build(b);
    if (!r->error.code) {
        if (!kg_record_has(r, "compile"))
            kg_compile_write(r, &b->judge->compile, &b->built);
        if (b->built.verdict != KG_PASSED) {
            kg_record_set_verdict(r, b->built.verdict, b->built.message);
            kg_stamp(r, b->task);
        } else {
            struct kg_session s;
            judge(b, &s);
            answer(b, &s, (kg_clock_now() - since) * 1e3);
            if (s.verdict == KG_JUDGE_FAULT && b->thread->fault.code == KG_E_LOST)
                kg_loop_status(KG_EXIT_LOST);
            kg_session_release(&s);
        }
    }
    kg_compile_result_release(&b->built);
}

int kg_judge_verify(struct kg_judge *j, struct kg_judge_thread *t, struct kg_record *r)
{
    if (kg_record_is_settled(r, "verify", j->opts.redo) || r->error.code)
        return KG_LOOP_KEEP;
    struct job b = {.judge = j, .thread = t, .record = r, .verify = true};
    run_job(&b);
    return KG_LOOP_KEEP;
}

int kg_judge_profile(struct kg_judge *j, struct kg_judge_thread *t, struct kg_record *r)
{
    if (kg_record_is_settled(r, "profile", j->opts.redo) || r->error.code)
        return KG_LOOP_KEEP;
    struct job b = {.judge = j, .thread = t, .record = r, .profile = true};
    b.verify = !kg_record_has(r, "verify");
    run_job(&b);
    return KG_LOOP_KEEP;
}

void kg_judge_env(const struct kg_judge_opts *o, struct kg_buf *out)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_judge *j = kg_judge_new(o, &err);
    struct kg_device_info info;
    struct kg_space *space = j ? kg_space_open(j->devices.name[0], &err) : NULL;
    if (space && !space->ops->info(space, &info, &err))
        kg_buf_addf(out, "device: %s (%s), %s, timer %s, %.0f MB free\n", j->devices.name[0],
                    info.name, j->target, kg_judge_by_events(j) ? "events" : info.timer,
                    (double)info.mem_free / 1e6);
    else
        kg_buf_addf(out, "device: none: %s\n", err.text);
    kg_space_close(space);
    kg_judge_free(j);
    kg_compile_env(out);
}
