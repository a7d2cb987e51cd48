/*
 * Inside lib/task: what the files that build a task from a document share. Every error names
 * source, line and column of the value at fault.
 */
#ifndef KG_TASK_BUILD_H
#define KG_TASK_BUILD_H

#include "task/task.h"

struct kg_task_build {
    struct kg_task *t;
    const char *dir, *source;
    struct kg_error *err;
};

/* Sets the error at v (NULL: at no line) and returns -1. */
int kg_task_fail(struct kg_task_build *b, const struct kg_value *v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The word of 'words' (NULL-terminated) that is spelled most like 'name'; NULL: none is near. */
const char *kg_task_nearest(const char *name, const char *const *words);

/* v is an object whose keys are all among 'known'; 'what' names it in messages. */
int kg_task_keys(struct kg_task_build *b, const struct kg_value *v, const char *const *known,
                 const char *what);

/* The string at v (it may not hold NULs); NULL with an error. */
const char *kg_task_string(struct kg_task_build *b, const struct kg_value *v, const char *what);
/* The same, and it must be a name of C. */
const char *kg_task_name(struct kg_task_build *b, const struct kg_value *v, const char *what);
/* An expression over the task's axes: a string or a whole number. */
const struct kg_expr *kg_task_expr(struct kg_task_build *b, const struct kg_value *v,
                                   const char *what);
int kg_task_number(struct kg_task_build *b, const struct kg_value *v, const char *what, double min,
                   double max, double *out);

/* Index of a word among n; -1 with an error that names the nearest. */
int kg_task_word(struct kg_task_build *b, const struct kg_value *v, const char *const *words,
                 const char *what);

/* args.c; the axes and the reference must have been read before. */
int kg_task_build_args(struct kg_task_build *b, const struct kg_value *args);
/* cases.c: axes, host_axes; cases need the arguments too. */
int kg_task_build_axes(struct kg_task_build *b, const struct kg_value *doc);
int kg_task_build_cases(struct kg_task_build *b, const struct kg_value *cases);

/* init.c: an initialiser for elements of that type. */
int kg_task_build_init(struct kg_task_build *b, const struct kg_value *v, enum kg_dtype t,
                       struct kg_init *out);
/* makers.c: what the reference file exports, after arguments and cases. */
int kg_task_build_makers(struct kg_task_build *b, const struct kg_value *doc);
/* As it is written in a task: "uniform(0,1)"; VALUE as a number. */
void kg_task_init_text(const struct kg_init *init, struct kg_buf *out);

#endif
