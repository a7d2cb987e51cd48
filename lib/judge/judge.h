/*
 * The judge: what kg-verify and kg-profile do with a record. It finds the task, builds what is
 * missing, runs a session (session.h) of one candidate against truth (truth.h) and baseline, and
 * writes 'verify', 'profile' and the shared fields (kg-record(5), kg(7)).
 *
 * A judge is process-wide and thread-safe. Each thread of the pool has a kg_judge_thread, which
 * owns what must not be shared: memory of the device, and workers of the trusted programs.
 *
 * The verdict is computed from memory, wait status and the judge's own clock; whatever a
 * candidate's worker says is a claim, and can only lose.
 */
#ifndef KG_JUDGE_JUDGE_H
#define KG_JUDGE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/opt.h"
#include "base/proc.h"
#include "compile/tasks.h"
#include "record/loop.h"
#include "record/record.h"

/* --compat: measures as another system does, for comparing with its published numbers. kernelgym:
 * tolerances of 1e-2, a warm cache, means instead of medians, no veto of a task. */
enum kg_judge_compat { KG_COMPAT_NONE, KG_COMPAT_KERNELGYM };

#define KG_JUDGE_TRIALS 60      /* the most calls a case */
#define KG_JUDGE_PAIRS  1000000 /* the greatest least number of pairs */

struct kg_judge_opts {
    struct kg_opt_list tasks; /* -t */
    const char *device;       /* -d: auto, host, cuda, cuda:N; NULL: KG_DEVICE, else auto */
    const char *seed;         /* -s: makes the judge's choices repeatable; tests only, says so */
    bool redo;                /* judge again where the own object is there already */
    bool env;                 /* --env: only say what is there */
    double timeout_s;      /* wall seconds of the candidate in one record; 0: 60, or the record's */
    double call_timeout_s; /* one call; 0: 10 */
    double truth_timeout_s;     /* reference and baseline; 0: 600 */
    double compile_timeout_s;   /* 0: 60 */
    int64_t num_correct_trials; /* least calls a case; 0: 3, or the record's */
    double rtol, atol;          /* < 0: the task's */
    int compat;                 /* enum kg_judge_compat */
    int sandbox;                /* enum kg_sandbox_mode */
    bool no_cache;
    int64_t truth_bytes; /* bound of the cache of truths; 0: 64 GiB or half of the disk's room */

    /* kg-profile; 0 or < 0: the device's default */
    bool precise, raw;
    int64_t min_runs; /* pairs; 0: the record's, or the default */
    double max_noise; /* 95 % half-width of the log ratio */
    double min_time_s, max_time_s;
    int64_t warmup; /* calls; < 0: default */
};

#define KG_JUDGE_OPTS_INIT                                                                         \
    {                                                                                              \
        .rtol = -1, .atol = -1, .max_noise = -1, .warmup = -1                                      \
    }

/* KG_SANDBOX_AUTO, _REQUIRE, _OFF in the order of enum kg_sandbox_mode. */
extern const char *const kg_judge_sandbox_words[];
extern const char *const kg_judge_compat_words[]; /* of enum kg_judge_compat */

#define KG_JUDGE_OPTIONS(o)                                                                        \
    {                                                                                              \
        't',                                                                                       \
        "tasks",                                                                                   \
        KG_OPT_LIST,                                                                               \
        "PATH",                                                                                    \
        "tasks: a file, a folder or a name (again for more)",                                      \
        &(o).tasks},                                                                               \
        {'d', "device", KG_OPT_STR, "NAME", "auto, host, cuda or cuda:N", &(o).device},            \
        {'s',                                                                                      \
         "seed",                                                                                   \
         KG_OPT_STR,                                                                               \
         "TEXT",                                                                                   \
         "repeatable choices: for tests only, never in training",                                  \
         &(o).seed},                                                                               \
        {0, "redo", KG_OPT_FLAG, NULL, "judge again what was judged already", &(o).redo},          \
        {0, "env", KG_OPT_FLAG, NULL, "print what was found and from where, and end", &(o).env},   \
        {0,     "timeout", KG_OPT_NUM, "S", "wall seconds for one candidate (60)", &(o).timeout_s, \
         0.001, 86400},                                                                            \
        {0,                                                                                        \
         "call-timeout",                                                                           \
         KG_OPT_NUM,                                                                               \
         "S",                                                                                      \
         "wall seconds for one call (10)",                                                         \
         &(o).call_timeout_s,                                                                      \
         0.001,                                                                                    \
         86400},                                                                                   \
        {0,                                                                                        \
         "truth-timeout",                                                                          \
         KG_OPT_NUM,                                                                               \
         "S",                                                                                      \
         "seconds for reference and baseline (600)",                                               \
         &(o).truth_timeout_s,                                                                     \
         0.001,                                                                                    \
         86400},                                                                                   \
        {0,                                                                                        \
         "compile-timeout",                                                                        \
         KG_OPT_NUM,                                                                               \
         "S",                                                                                      \
         "seconds for a compiler (60)",                                                            \
         &(o).compile_timeout_s,                                                                   \
         0.001,                                                                                    \
         86400},                                                                                   \
        {0,                                                                                        \
         "num-correct-trials",                                                                     \
         KG_OPT_INT,                                                                               \
         "N",                                                                                      \
         "least number of calls a case (3)",                                                       \
         &(o).num_correct_trials,                                                                  \
         1,                                                                                        \
         KG_JUDGE_TRIALS},                                                                         \
        {0,         "rtol", KG_OPT_NUM, "X", "relative tolerance instead of the task's",           \
         &(o).rtol, 0,      1e300},                                                                \
        {0,         "atol", KG_OPT_NUM, "X", "absolute tolerance instead of the task's",           \
         &(o).atol, 0,      1e300},                                                                \
        {0,                                                                                        \
         "compat",                                                                                 \
         KG_OPT_WORD,                                                                              \
         "SYSTEM",                                                                                 \
         "judge as another system does: none or kernelgym",                                        \
         &(o).compat,                                                                              \
         .words = kg_judge_compat_words},                                                          \
        {0,                                                                                        \
         "sandbox",                                                                                \
         KG_OPT_WORD,                                                                              \
         "MODE",                                                                                   \
         "sandbox of candidates: auto, require or off",                                            \
         &(o).sandbox,                                                                             \
         .words = kg_judge_sandbox_words},                                                         \
        {0, "no-cache", KG_OPT_FLAG, NULL, "do not use the caches", &(o).no_cache},                \
    {                                                                                              \
        0, "truth-size", KG_OPT_BYTES, "BYTES", "bound of the cache of truths (64G)",              \
            &(o).truth_bytes, 1, 1e18                                                              \
    }

#define KG_JUDGE_TIMING_OPTIONS(o)                                                                   \
    {0, "precise", KG_OPT_FLAG, NULL, "measure to 0.5 % instead of 2 %", &(o).precise},              \
        {0, "raw", KG_OPT_FLAG, NULL, "write the single times as well", &(o).raw},                   \
        {0, "min-runs", KG_OPT_INT, "N", "least number of pairs", &(o).min_runs, 2, KG_JUDGE_PAIRS}, \
        {0,                                                                                          \
         "max-noise",                                                                                \
         KG_OPT_NUM,                                                                                 \
         "X",                                                                                        \
         "half-width of the interval that ends the measurement",                                     \
         &(o).max_noise,                                                                             \
         0,                                                                                          \
         10},                                                                                        \
        {0, "min-time", KG_OPT_NUM, "S", "least seconds of measurement", &(o).min_time_s, 0, 86400}, \
        {0,                                                                                          \
         "max-time",                                                                                 \
         KG_OPT_NUM,                                                                                 \
         "S",                                                                                        \
         "seconds after which the measurement ends",                                                 \
         &(o).max_time_s,                                                                            \
         0.001,                                                                                      \
         86400},                                                                                     \
    {                                                                                                \
        0, "warmup", KG_OPT_INT, "N", "calls before the timed ones", &(o).warmup, 0, 1000            \
    }

struct kg_judge;
struct kg_judge_thread;

/* Opens the device and the tasks; NULL with err (KG_E_MISSING: no such device, KG_E_INPUT: a task
 * named with -t is broken). o is copied, its strings are not. */
struct kg_judge *kg_judge_new(const struct kg_judge_opts *o, struct kg_error *err);
void kg_judge_free(struct kg_judge *j);

/* How many records at once are best: 0, as many as processors, on the host; one a GPU, since
 * processes on it take turns and their contexts are made one after the other. */
int64_t kg_judge_jobs(const struct kg_judge *j);

struct kg_judge_thread *kg_judge_thread_new(struct kg_judge *j, int index);
void kg_judge_thread_free(struct kg_judge_thread *t);

/* What a program does with one record (work functions of the pool loop). They never fail: what goes
 * wrong is a verdict. Always KG_LOOP_KEEP. */
int kg_judge_verify(struct kg_judge *j, struct kg_judge_thread *t, struct kg_record *r);
int kg_judge_profile(struct kg_judge *j, struct kg_judge_thread *t, struct kg_record *r);

/* For --env: devices, tasks, caches, what the sandbox can do; one 'name: value' a line. */
void kg_judge_env(const struct kg_judge_opts *o, struct kg_buf *out);

/* All of a program behind its options: --env, or the judge and the pool of records. The exit
 * status. timed: kg-profile, else kg-verify. */
int kg_judge_program(const struct kg_judge_opts *o, struct kg_loop_opts *loop, bool timed);

#endif
