/*
 * kg-compile as a stage of the pipe: what happens to one record, and records made of source files.
 */
#ifndef KG_COMPILE_STAGE_H
#define KG_COMPILE_STAGE_H

#include "compile/compile.h"
#include "compile/tasks.h"
#include "record/loop.h"

struct kg_compile_stage {
    struct kg_tasks *tasks;
    struct kg_compile_opts opts; /* timeout_s 0: the record's 'timeout', else 60 */
    enum kg_extract extract;
    bool redo, embed_task;
};

/* For kg_loop_pool. A compiler that is not there is one message for the whole run, a JUDGE_FAULT in
 * each record that needs it, and exit status 3. */
int kg_compile_stage_work(void *ctx, void *thread, struct kg_record *r);

/*
 * Operands that are sources (.cu .cuh .cpp .cxx .cc .c) become one record
 * each, with id (the file's name), task_id, kernel_code and task, in a temporary file that the
 * operand is replaced by. Needs the one task of -t: else -1 with err. A source that cannot be read
 * is told, makes no record, and the exit status KG_EXIT_INPUT.
 */
int kg_compile_stage_operands(struct kg_tasks *tasks, char **files, int n_files,
                              struct kg_error *err);

#endif
