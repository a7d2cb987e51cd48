/*
 * kg-report: a row of the report from each record. Nothing of a record is kept but its row.
 *
 * Task: task_id, else the group. Sample: (group, trajectory); where a record has no traj it is the
 * n-th of its group and turn, as everywhere. A second record of one (group, trajectory, turn) is a
 * bad record, told with both lines, and not counted.
 */
#ifndef KG_RL_REPORT_RECORD_H
#define KG_RL_REPORT_RECORD_H

#include <stddef.h>

#include "base/buf.h"
#include "record/record.h"
#include "rl/intern.h"
#include "rl/named_keys.h"
#include "score/report.h"

struct kg_report_run {
    const char *uid_key, *traj_key, *turn_key; /* NULL: uid, traj, turn */
    const char *by;                            /* NULL: none */
    struct kg_report_row *rows;
    size_t n, cap;
    struct kg_intern texts; /* what rows point at */
    struct kg_intern tasks, samples, turns, counters;
    size_t *first_line; /* [turns.n]: where each (sample, turn) was first seen */
    const char **first_source;
    size_t lines_cap, sources_cap;
    uint32_t *count; /* [counters.n]: records without traj so far */
    size_t count_cap;
    struct kg_buf key;
    struct kg_named_keys named; /* set by the caller */
};

/* A kg_map_fn; ctx is a struct kg_report_run. Answers KG_LOOP_DROP always: stdout is the report's.
 */
int kg_report_run_map(void *ctx, struct kg_record *r);

void kg_report_run_release(struct kg_report_run *run);

#endif
