/*
 * Inside lib/task: what a reference file exports, read from its text, since a task has to know
 * before anything is compiled: which functions kg-compile is to wrap, which arrays belong together.
 *
 * Must not enter here: types of parameters. The compiler checks those where the functions are
 * called.
 */
#ifndef KG_TASK_EXPORTS_H
#define KG_TASK_EXPORTS_H

#include <stdbool.h>

enum kg_export {
    KG_EXPORT_NONE,   /* not defined here: at most declared, called, or named in a comment */
    KG_EXPORT_STATIC, /* defined, but for the file alone */
    KG_EXPORT_VOID,
    KG_EXPORT_INT,
    KG_EXPORT_OTHER, /* defined, and returns something else */
};

/* How C source defines the function 'name'. Comments, literals and preprocessor lines are skipped;
 * a definition that only a macro makes is not seen, one inside '#if 0' is. */
enum kg_export kg_task_export(const char *source, const char *name);

#endif
