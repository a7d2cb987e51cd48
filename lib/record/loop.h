/*
 * The record loop: how every program reads and answers JSON Lines. Three forms: map (a record at a
 * time), group (records that must be seen together), pool (several at once, in threads).
 *
 * Common to all: blank lines skipped, CRLF and a missing last newline accepted; a line that is no
 * JSON object gives one message with file and line, goes verbatim to --rejects, and no output line;
 * an object with a fault goes on as BAD_RECORD; the exit status is then KG_EXIT_INPUT. Output is
 * flushed whenever the next read would block. A failed write ends the run with KG_EXIT_OUTPUT.
 * SIGINT, SIGTERM and SIGHUP: records in flight are answered (JUDGE_FAULT, "interrupted"), then the
 * run ends with 128 plus the signal's number, as a shell shows it; a second one ends it at once. A
 * first SIGINT while a pipe is read (stop.h): map and group go on as before to the end of input,
 * pool answers what is in flight and passes on untouched what else it reads; the exit status is the
 * same. A reader of our output that has gone ends the run quietly with 128 + SIGPIPE.
 */
#ifndef KG_RECORD_LOOP_H
#define KG_RECORD_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/opt.h"
#include "record/record.h"

#define KG_LOOP_LINE_MAX ((size_t)256 << 20)

struct kg_loop_opts {
    struct kg_opt_common common;
    const char *rejects;    /* --rejects FILE */
    const char *const *own; /* map, pool: NULL-terminated keys that the program writes, or NULL: a
                               BAD_RECORD answer has null for those of reward, return, advantage */
    bool fail;              /* --fail: a verdict that is not PASSED gives KG_EXIT_VERDICT */
    bool unordered;         /* --unordered (pool) */
    int64_t jobs;           /* -j (pool); 0: number of processors */
    bool grouped;           /* --grouped (group) */
    int64_t group_size;     /* --group-size K (group) */
    const char *uid_key, *traj_key, *turn_key; /* --uid-key ... ; NULL: uid, traj, turn */
    char **files;                              /* operands; none: stdin */
    int n_files;
};

/* Rows of option tables, for the forms that know them. */
#define KG_LOOP_OPTIONS(o)                                                                         \
    {                                                                                              \
        0,           "rejects", KG_OPT_STR, "FILE", "write lines that are no JSON object to FILE", \
        &(o).rejects},                                                                             \
        {0, "fail", KG_OPT_FLAG, NULL, "exit with 1 when some verdict is not PASSED", &(o).fail},  \
        KG_OPT_COMMON((o).common)
#define KG_LOOP_POOL_OPTIONS(o)                                                                    \
    {'j',       "jobs", KG_OPT_INT, "N", "records handled at once (0: as many as processors)",     \
     &(o).jobs, 0,      1024},                                                                     \
        {0, "unordered", KG_OPT_FLAG, NULL, "answer in the order of completion", &(o).unordered},  \
        KG_LOOP_OPTIONS(o)
#define KG_LOOP_GROUP_OPTIONS(o)                                                                   \
    {0, "grouped", KG_OPT_FLAG, NULL, "a uid's records stand together: stream", &(o).grouped},     \
        {0,                                                                                        \
         "group-size",                                                                             \
         KG_OPT_INT,                                                                               \
         "K",                                                                                      \
         "a uid is complete after K trajectories with done",                                       \
         &(o).group_size,                                                                          \
         1,                                                                                        \
         1 << 30},                                                                                 \
        {0, "uid-key", KG_OPT_STR, "KEY", "key of the group (uid)", &(o).uid_key},                 \
        {0, "traj-key", KG_OPT_STR, "KEY", "key of the trajectory (traj)", &(o).traj_key},         \
        {0, "turn-key", KG_OPT_STR, "KEY", "key of the turn (turn)", &(o).turn_key},               \
        KG_LOOP_OPTIONS(o)

/* For every option that names a file to be written (the loop does it for --rejects): true, and
 * told, when that file is an operand, what stdin, stdout or stderr is, or that of --rejects:
 * writing it would lose records. 'option' with its dashes, for the message. The exit status is then
 * KG_EXIT_INPUT. Call it before the loop begins. */
bool kg_loop_refuse_output(const struct kg_loop_opts *o, const char *option, const char *path);
/* The same where stdout is appended to a regular file that is read: the run would never end. The
 * loops ask by themselves; who writes something else than records has to. */
bool kg_loop_refuse_append(const struct kg_loop_opts *o);

enum kg_loop_answer { KG_LOOP_KEEP = 0, KG_LOOP_DROP = 1 };

/* What every main begins with: the program's name for messages, options by the table (it holds *o's
 * own), the level of messages and the operands into *o. -1: go on; else the exit status. */
int kg_loop_args(struct kg_loop_opts *o, const struct kg_opt *table,
                 const struct kg_opt_usage *usage, int argc, char **argv);

/*
 * map: f reads r and sets fields, and returns KG_LOOP_KEEP or KG_LOOP_DROP. A fault of the record
 * is told by kg_record_fault(). Returns the exit status of the program.
 */
typedef int kg_map_fn(void *ctx, struct kg_record *r);
int kg_loop_map(const struct kg_loop_opts *o, kg_map_fn *f, void *ctx);

/*
 * pool: as map, but f runs in opts.jobs threads at once. 'begin' and 'end' (may be NULL) run in
 * each thread before its first and after its last record; begin's result is handed to f as thread
 * state. f may call kg_loop_stopping() to see whether the run was interrupted.
 */
struct kg_pool_ops {
    int (*work)(void *ctx, void *thread, struct kg_record *r);
    void *(*begin)(void *ctx, int index);
    void (*end)(void *ctx, void *thread);
};
int kg_loop_pool(const struct kg_loop_opts *o, const struct kg_pool_ops *ops, void *ctx);
bool kg_loop_stopping(void);

/* The run goes on, but will end with this status (the largest cause wins over smaller ones: 5, 4,
 * 3, 2, 1). Thread-safe. */
void kg_loop_status(int exit_status);

/*
 * group: every record is read once (take) and answered once (emit), and between the two the whole
 * batch is there (close). A batch is the whole input; with --grouped one uid; with --group-size a
 * uid that is complete (its answers come together then; what is incomplete at the end of input is
 * a batch as it is). Batches never overlap: take ... take, close, emit ... emit, then the next.
 * Lines wait in memory up to 16 MiB, then in a temporary file that has no name (a file operand is
 * read again instead; with --group-size they wait in memory), so memory holds what 'take' keeps:
 * keep little.
 *
 * own: NULL-terminated keys that emit may set (other keys cannot be set there). emit gets no parsed
 * record: only its row number, counted from 0 in the batch in the order of input. After an
 * interrupt, or when close fails, the rows are answered with JUDGE_FAULT instead; take of the next
 * batch begins again with row 0.
 */
struct kg_edits; /* what emit sets */
void kg_edits_num(struct kg_edits *e, const char *key, double x);
void kg_edits_int(struct kg_edits *e, const char *key, int64_t v);
void kg_edits_bool(struct kg_edits *e, const char *key, int b); /* -1: null */
void kg_edits_str(struct kg_edits *e, const char *key, const char *s);
void kg_edits_json(struct kg_edits *e, const char *key, const char *json, size_t len);

/* Where a row belongs; made by the loop, which owns the rules of kg-record(5). */
struct kg_row_key {
    const char *uid;  /* with its type in front: "i7" or "s7"; equal pointers, equal uids; lives
                         until the batch is answered; may hold NULs */
    const char *traj; /* likewise */
    size_t uid_len, traj_len; /* in bytes, the type included */
    int64_t turn;             /* from 1 */
    bool traj_given;
};

struct kg_group_ops {
    const char *const *own;
    /* a fault by kg_record_fault(): the record goes on as BAD_RECORD and is no row of the batch;
     * the next record gets the same row number. Sets no fields. */
    void (*take)(void *ctx, struct kg_record *r, const struct kg_row_key *key, size_t row);
    int (*close)(void *ctx, size_t n_rows, struct kg_error *err);
    int (*emit)(void *ctx, size_t row, struct kg_edits *e); /* enum kg_loop_answer */
    bool whole_batch; /* --grouped and --group-size are refused: 'why' says what needs the batch */
    const char *why;
};
int kg_loop_group(const struct kg_loop_opts *o, const struct kg_group_ops *ops, void *ctx);

#endif
