/*
 * What the parts of the judge share: the judge, a thread of it, and a session. Not for programs.
 */
#ifndef KG_JUDGE_INSIDE_H
#define KG_JUDGE_INSIDE_H

#include <stdatomic.h>

#include "judge/bed.h"
#include "judge/cpus.h"
#include "judge/devices.h"
#include "judge/facts.h"
#include "judge/judge.h"
#include "judge/lock.h"
#include "judge/programs.h"
#include "judge/ref.h"
#include "judge/runner.h"
#include "judge/secret.h"
#include "judge/stats.h"
#include "judge/truth.h"
#include "judge/wants.h"
#include "judge/watch.h"

struct kg_judge {
    struct kg_judge_opts opts;
    struct kg_devices devices;
    struct kg_cpus cpus;
    bool host;
    char target[16];
    struct kg_tasks *tasks;
    struct kg_truths *truths;
    struct kg_programs *programs;
    struct kg_compile_opts compile;
    atomic_int sessions; /* that run now: who is alone cannot blame others */
    atomic_uint crowd;   /* grows whenever a second session begins beside another */
};

/* The other system's way to time a call: two events around it, in the process of who is timed. */
static inline bool kg_judge_by_events(const struct kg_judge *j)
{
    return j->opts.compat == KG_COMPAT_KERNELGYM && !j->host;
}

/* A worker that is kept from one session to the next: what it runs is ours, so on a GPU it may load
 * another task's program as well. */
struct kg_kept {
    const struct kg_program *program; /* the one it calls */
    unsigned loads;                   /* of programs, so far */
    struct kg_runner runner;
    struct kg_answer answer;  /* the last one; not DONE or not OK: the process is of no more use */
    const struct kg_bed *bed; /* whose slots it has now */
};

struct kg_judge_thread {
    struct kg_judge *judge;
    size_t index;
    const char *device;    /* of judge->devices; NULL: all are lost */
    const char *came_back; /* the device that was lost once, and came back */
    struct kg_space *space;
    struct kg_lock lock;
    struct kg_runner_spec spec;
    char uuid[64];
    bool emulated;
    const char *timer;
    struct kg_kept baseline;
    struct kg_kept empty; /* on a GPU: the empty candidate, for the windows */
    struct kg_wants wants;
    struct kg_runner spare; /* started already, for the next candidate */
    bool has_spare;
    struct kg_error fault; /* why it cannot judge: every record is a JUDGE_FAULT then */
};

struct kg_ledger { /* answers of earlier calls, as keyed hashes */
    uint64_t *hash;
    size_t n, cap;
};

struct kg_pair { /* of one timed call and the baseline's on the same inputs */
    double kernel_us, busy_us, reference_us;
    double traced_us;    /* the tracer's span: kernel_us, unless that is of events */
    double window_us;    /* the judge's clock: from "go" to its snapshot */
    double explained_us; /* what the tracer's (on host: the worker's) records explain of it */
};

struct kg_kernel_sum { /* launches of one kernel in the timed calls */
    struct kg_wire_launch first;
    double device_us;
    uint64_t launches;
};

struct kg_worst { /* the element that is furthest from its bound, over all calls */
    bool known;
    size_t arg, index;
    double got, want, ratio;
};

struct kg_session {
    struct kg_judge *judge;
    struct kg_judge_thread *thread;
    const struct kg_task *task;
    const struct kg_compile_result *built; /* the candidate */
    double call_s, session_s;              /* limits, of the candidate alone */
    double used_s;                         /* of session_s */
    size_t trials;
    size_t min_pairs; /* that are timed; 0: the device's default */
    struct kg_secret secret;
    struct kg_ref ref;
    bool has_ref;
    struct kg_runner worker;
    bool loaded; /* the worker holds the candidate */
    struct kg_ledger ledger;
    uint64_t ledger_key;
    struct kg_answer answer; /* of the candidate's last order */

    unsigned nulls; /* answers without work that are right so far (audit.c), as bits */

    /* what came out */
    enum kg_verdict verdict; /* PASSED while nothing was found */
    struct kg_error fault;   /* of ours, behind a JUDGE_FAULT */
    char message[512];
    struct kg_findings findings; /* of the call that decided */
    struct kg_buf notes;         /* lines */
    size_t calls, passed;
    size_t patterns[4];      /* calls by enum kg_pattern */
    char label[256];         /* of the case that decided, or of the last one */
    enum kg_pattern pattern; /* of the call that decided */
    struct kg_tolerance tol;
    size_t tol_arg;
    double max_abs, max_rel, rel_l2;
    uint64_t num_elements, num_bad;
    struct kg_worst worst;
    unsigned layers;
    uint64_t rubbish;
    bool tells_refused;          /* the next two are known */
    unsigned n_refused;          /* system calls that its workers were refused, */
    int refused[KG_PROC_DENIED]; /* by number, each once */
    double mem_free_mb;
    bool short_of_memory;    /* ended because a case did not fit in what was free */
    double candidate_cpu_s;  /* of the worker that ended last, */
    double candidate_wall_s; /* and how long its last call was */

    /* timing */
    struct kg_pair *pair;
    size_t n_pair, cap_pair;
    struct kg_kernel_sum *kernel;
    size_t n_kernel, cap_kernel;
    double kernels_us; /* all launches of all timed calls */
    uint64_t launches;
    double class_us[KG_KERNEL_CLASSES]; /* the same by enum kg_kernel_class */
    uint64_t class_launches[KG_KERNEL_CLASSES];
    double floor_us;               /* below it nobody can be; 0: not known */
    struct kg_stats empty_us;      /* windows of the empty candidate */
    bool other_work, library_work; /* device work that is not its own kernels'; a library's */
    struct kg_ratio ratio;
    const char *stop;
    unsigned thrown_away; /* rounds in which the device was slowed */
    bool throttled;       /* so it was in rounds that count, too */
};

/* ---- thread.c ------------------------------------------------------------------------------ */

/* What kept the thread from its device may be over: no descriptors, no memory, no lock file. False:
 * it is not, or the device is lost. */
bool kg_judge_thread_reopen(struct kg_judge_thread *t);

/* After its device was lost: to the same one if it comes back, else to another; false: there is
 * none. A session may hold workers still, but no memory of the device. */
bool kg_judge_thread_move(struct kg_judge_thread *t, const struct kg_error *why);

/* Until the next candidate's worker has opened the device: done while this session holds the lock,
 * and before anything is timed, which a context that comes to life would disturb. */
void kg_judge_thread_wait(const struct kg_judge_thread *t);

/* ---- kept.c -------------------------------------------------------------------------------- */

/* p into the worker (a new one where there is none, or the one there is is of no more use), with
 * the slots of the bed that are for 'slots'; what is there already stays. 0: k->answer says whether
 * it could; -1: the judge failed. */
int kg_kept_load(struct kg_kept *k, const struct kg_judge_thread *t, const struct kg_program *p,
                 struct kg_bed *bed, enum kg_bed_for slots, struct kg_error *err);
/* The bed goes away. */
void kg_kept_forget(struct kg_kept *k, const struct kg_bed *bed);
void kg_kept_stop(struct kg_kept *k);

/* ---- session.c: one candidate, from its worker to its verdict -------------------------------- */

void kg_session_init(struct kg_session *s, struct kg_judge_thread *t, const struct kg_task *task,
                     const struct kg_compile_result *built);
void kg_session_release(struct kg_session *s);
void kg_session_end_worker(struct kg_session *s); /* harmless when there is none */
void kg_session_hear(struct kg_session *s);       /* what the worker was refused until now */

/* The first verdict stands. */
void kg_session_fail(struct kg_session *s, enum kg_verdict v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void kg_session_fault(struct kg_session *s, const struct kg_error *err); /* ours */
void kg_session_note(struct kg_session *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static inline bool kg_session_going(const struct kg_session *s)
{
    return s->verdict == KG_PASSED;
}
/* What each order to go says, whoever it goes to (enum kg_go_flags). */
static inline unsigned kg_session_flags(const struct kg_session *s)
{
    return kg_judge_by_events(s->judge) ? KG_GO_EVENTS : 0;
}
/* The answer is no answer: somebody outside of its sandbox killed the worker. True with err. */
bool kg_session_lost_worker(const struct kg_session *s, struct kg_error *err);
double kg_session_left(const struct kg_session *s); /* seconds for the candidate's next order */

/* A bed with truth, baseline and candidate ready for calls. -1: the verdict says why. */
struct kg_scene {
    struct kg_bed bed;
    struct kg_truth *truth;
    const struct kg_program *baseline;
};
int kg_scene_open(struct kg_session *s, const struct kg_case *c, struct kg_scene *sc);
void kg_scene_close(struct kg_session *s, struct kg_scene *sc);
/* The candidate into the worker (a new one where there is none) with slots of the scene. */
int kg_scene_load(struct kg_session *s, struct kg_scene *sc, struct kg_findings *found);
/* The truth's answers of a call into bed.want: all of them, since one output may say how many
 * elements of another count. */
int kg_scene_want(struct kg_session *s, struct kg_scene *sc, int call, struct kg_error *err);
/* The baseline into its worker, with slots of the scene. kg_scene_baseline does it where it was not
 * done before. -1: the verdict says why. */
int kg_scene_load_baseline(struct kg_session *s, struct kg_scene *sc);
/* The baseline on the inputs of a call; its answer lies in bed.theirs. span_us may be NULL. */
int kg_scene_baseline(struct kg_session *s, struct kg_scene *sc, const struct kg_plan_call *c,
                      double *span_us);

/* ---- checked.c: what init_NAME and check of the reference file do in a session -----------------
 */

/* Where the reference makes inputs. */
struct kg_init_maker kg_checked_maker(struct kg_session *s);
/* For a task with check: the reference's memory ready to be asked about answers to the call c, the
 * wanted answer in bed.want too: the truth's, or, for a call that is none of the truth's, what the
 * reference answers now. Lasts until the next call, load or making. -1: the verdict says why. */
int kg_checked_ready(struct kg_session *s, struct kg_scene *sc, const struct kg_plan_call *c);
/* Are the first n elements of an output finite in the wanted answer? Between ready and the next. */
bool kg_checked_finite(const struct kg_session *s, size_t arg, size_t n);
/* What check returns for an answer, the arrays of 'got' by argument: 0 is right. */
int kg_checked_ask(struct kg_session *s, struct kg_scene *sc, const struct kg_plan_call *c,
                   const struct kg_mem *got, int *result);

/* ---- call.c: one call, from its inputs to its findings
 * ------------------------------------------------------------ */

enum kg_call_base { KG_BASE_NONE, KG_BASE_BEFORE, KG_BASE_AFTER };

struct kg_call {
    struct kg_plan_call plan;
    enum kg_call_base base;
    struct kg_facts facts;
    struct kg_findings findings;
    struct kg_pair times;
    uint64_t key;   /* of poison and guards */
    unsigned flags; /* enum kg_go_flags; an ablated call counts nowhere */
};

/* Makes the call and gathers its facts and findings. -1: the judge failed (the verdict says so). */
int kg_call_run(struct kg_session *s, struct kg_scene *sc, struct kg_call *c);

/* First start to last end, and union of the intervals, of launch records, in microseconds. */
void kg_call_spans(const struct kg_wire_launch *l, size_t n, double *span_us, double *busy_us);

/* ---- followup.c: what a fault needs to be told apart ------------------------------------- */

/* After a call with findings: looks closer (a new worker with writable inputs, the same inputs
 * again, the other cases once each) and sets the session's verdict. */
void kg_followup(struct kg_session *s, struct kg_scene *sc, struct kg_call *c);

/* ---- audit.c: is the task worth anything -------------------------------------------------- */

#define KG_NULLS 7
/* Drops from s->nulls the answers without work that are wrong in this case. -1: the judge failed.
 */
int kg_audit_case(struct kg_session *s, struct kg_scene *sc);
void kg_audit_verdict(struct kg_session *s); /* DEGENERATE_TASK when one is left after all cases */

/* ---- verify.c, timing.c ------------------------------------------------------------------- */

void kg_session_verify(struct kg_session *s);
void kg_session_time(struct kg_session *s);
/* One call of a case, to see whether it fails; for the downgrade decision. */
int kg_verify_probe(struct kg_session *s, const struct kg_case *c, struct kg_cmp_stats *out);

/* ---- ablate.c, clocks.c: on a GPU ---------------------------------------------------------- */

void kg_session_ablate(struct kg_session *s);
/* The empty candidate into its worker, then its windows, with the scene's slots. -1: the verdict
 * says why. */
int kg_clocks_load(struct kg_session *s, struct kg_scene *sc);
int kg_clocks_calibrate(struct kg_session *s, struct kg_scene *sc);
double kg_clocks_explained(const struct kg_pair *p, const struct kg_activity *a);
void kg_clocks_check(struct kg_session *s);            /* TIMING_MISMATCH */
double kg_clocks_events_us(const struct kg_answer *a); /* 0: there is no credible one */
void kg_clocks_check_events(struct kg_session *s);     /* TIMING_MISMATCH */
/* The kernel time of the call just made; what it says of allocating is added to explained_us. */
double kg_clocks_seen_on_host(const struct kg_session *s, struct kg_pair *p);
void kg_clocks_check_host(struct kg_session *s); /* TIMING_MISMATCH */
double kg_clocks_floor(const struct kg_instance *in, const struct kg_device_info *info);
void kg_clocks_check_floor(struct kg_session *s); /* IMPOSSIBLE_TIME */

/* ---- write.c ------------------------------------------------------------------------------ */

void kg_write_verify(struct kg_record *r, const struct kg_session *s, double ms);
void kg_write_profile(struct kg_record *r, const struct kg_session *s, double ms);

#endif
