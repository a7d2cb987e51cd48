/*
 * The 'kg' object of a record (version, task_sha, host): a run of weeks crosses upgrades and
 * machines. Members of other programs (policy_sha) are kept.
 */
#ifndef KG_COMPILE_STAMP_H
#define KG_COMPILE_STAMP_H

#include "record/record.h"
#include "task/task.h"

void kg_stamp(struct kg_record *r, const struct kg_task *t);

#endif
