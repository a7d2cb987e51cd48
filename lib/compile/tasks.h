/*
 * Finding tasks: those given with -t/--tasks (files or folders), KG_TASKS (colon-separated), the
 * installed share/kg/tasks (of two files with the same task in one folder the one that is called
 * like the task counts, else the first by name, with a warning); by the 'task' object of a record.
 * Loaded once, shared by threads.
 */
#ifndef KG_COMPILE_TASKS_H
#define KG_COMPILE_TASKS_H

#include "base/error.h"
#include "base/opt.h"
#include "record/record.h"
#include "task/task.h"

struct kg_tasks;

/* paths: of -t, may be empty: files, folders, or names of tasks in the other places. What -t names
 * and is bad is an error; other files are left out with a warning when they are looked through. */
struct kg_tasks *kg_tasks_new(const struct kg_opt_list *paths, struct kg_error *err);
void kg_tasks_free(struct kg_tasks *t);

/* By name; NULL with err (KG_E_INPUT names the places that were searched). Owned by t. */
const struct kg_task *kg_tasks_find(struct kg_tasks *t, const char *task_id, struct kg_error *err);

/* The task of a record: its 'task' object, or 'task_id' looked up; or, when -t named exactly one
 * task, that one. Owned by t (objects are kept by content hash). */
const struct kg_task *kg_tasks_of(struct kg_tasks *t, struct kg_record *r, struct kg_error *err);

/* The only task named with -t, or NULL. */
const struct kg_task *kg_tasks_only(struct kg_tasks *t);

/* The places that are searched without -t, one 'tasks: PATH' a line, for --env. */
void kg_tasks_env(struct kg_buf *out);

#endif
