/*
 * What the three forms of the record loop (loop.h) share: the files of a run, its counts, its
 * progress and its exit status. Internal to lib/record.
 */
#ifndef KG_RECORD_RUN_H
#define KG_RECORD_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "record/jsonl.h"
#include "record/loop.h"
#include "record/record.h"

struct kg_run {
    const struct kg_loop_opts *o;
    const char *const *own;
    struct kg_jsonl_reader in;
    struct kg_jsonl_writer out;
    struct kg_jsonl_writer rejects;    /* fd -1: none */
    void (*before_rejects)(void *ctx); /* before the reader itself writes there; may be NULL */
    void *ctx;
    bool count_verdicts;
    bool flush_on_wait; /* the loop's thread alone writes: flush when it is about to wait */
    size_t read, answered, bad;
    size_t verdicts[KG_VERDICT_COUNT];
    bool terminal;
    double started, drawn, told;
};

/* What became of a record. */
struct kg_outcome {
    bool bad;    /* BAD_RECORD, or no JSON at all */
    bool reject; /* no JSON: no answer, verbatim to --rejects */
    int verdict; /* enum kg_verdict; -1: none, or nobody asked */
};

/* 0, or the exit status to end with at once. */
int kg_run_begin(struct kg_run *run, const struct kg_loop_opts *o, const char *const *own);
int kg_run_end(struct kg_run *run);

/* What is wrong with a line or record is told at once, or, where 'said' is given, put there:
 * answers that wait for their turn are told of in their turn (kg_run_tell). */

/* Parses; false: the line is to be rejected. Thread-safe. */
bool kg_run_parse(struct kg_record *r, const char *source, const struct kg_jsonl_line *line,
                  struct kg_error *said);

/* The fault of a record, told and turned into a BAD_RECORD answer; true when there is one. */
bool kg_run_fault(const struct kg_run *run, struct kg_record *r, struct kg_error *said);

/* Tells what was kept, once. */
void kg_run_tell(struct kg_error *said);

/* Faults, then the edited line to out, unless it is to be dropped. Thread-safe. */
void kg_run_render(const struct kg_run *run, struct kg_record *r, int answer, struct kg_buf *out,
                   struct kg_outcome *what, struct kg_error *said);

/* The verdict to count for r, -1 when nobody asked or it has none. */
int kg_run_verdict(const struct kg_run *run, struct kg_record *r);

/* Counts, rejects, progress. */
void kg_run_count(struct kg_run *run, const struct kg_outcome *what, const char *line, size_t len);

/* true: the run is to end early (signal, output lost), and read no more */
bool kg_run_over(const struct kg_run *run);
/* The same for a thread that does not write. */
bool kg_run_ends(void);

#endif
