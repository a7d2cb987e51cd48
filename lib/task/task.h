/*
 * A native task (kg-task(5)): what has to be computed, its arguments, sizes, cases, truth, baseline
 * and tolerance. Built from a document tree, so YAML files and the 'task' object of a record give
 * the same. A task never changes after it was built and may be shared by threads.
 *
 * Must not enter here: files' formats (record/yaml.h), compilers, devices.
 */
#ifndef KG_TASK_TASK_H
#define KG_TASK_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/value.h"
#include "task/dtype.h"
#include "task/expr.h"
#include "task/kinds.h"

#define KG_TASK_MAX_ARGS  64
#define KG_TASK_MAX_RANK  8
#define KG_TASK_MAX_AXES  32
#define KG_TASK_MAX_CASES 64

enum kg_role { KG_ROLE_IN, KG_ROLE_OUT, KG_ROLE_INOUT };

struct kg_init {
    enum kg_init_kind kind;
    double a, b;
    const char *name; /* CUSTOM */
};

struct kg_arg {
    const char *name;
    enum kg_dtype dtype;
    enum kg_role role;
    bool scalar;
    size_t rank; /* arrays: 1 or more */
    const struct kg_expr *shape[KG_TASK_MAX_RANK];
    struct kg_init init;        /* IN and INOUT arrays; scalars with has_init */
    bool has_init;              /* scalar: fresh each call */
    const struct kg_expr *expr; /* scalar: the axis of its name, or an expression; NULL otherwise */
    double value;               /* scalar: fixed, when expr is NULL and !has_init */
};

/* Arrays that are only read, and arrays that hold an answer (inout among them). */
static inline bool kg_arg_goes_in(const struct kg_arg *a)
{
    return !a->scalar && a->role == KG_ROLE_IN;
}
static inline bool kg_arg_comes_out(const struct kg_arg *a)
{
    return !a->scalar && a->role != KG_ROLE_IN;
}

struct kg_case {
    const char *label;              /* "rows=7 cols=33"; "timed" for the timed size */
    int64_t axes[KG_TASK_MAX_AXES]; /* values of all axes */
    const struct kg_init *inits[KG_TASK_MAX_ARGS]; /* NULL: the argument's own */
};

/* A function of the reference file, void init_NAME(...), and the arrays that it fills together: all
 * that name it, as arguments or in a case. */
struct kg_task_maker {
    const char *name; /* without "init_" */
    size_t n, arg[KG_TASK_MAX_ARGS];
};

#define KG_TASK_MAX_MAKERS     14
#define KG_TASK_MAX_MAKER_NAME 51 /* bytes */

struct kg_task {
    const char *task_id, *about;
    const char *source; /* name of the file it came from, for messages */
    size_t n_axes;
    const char *axis[KG_TASK_MAX_AXES];
    struct kg_case timed, timed_host; /* axes; host_axes (equal to axes when not given) */
    size_t n_cases;
    struct kg_case *cases; /* verified beside the timed size */
    size_t n_args, n_arrays;
    struct kg_arg *args; /* in the order of the C signature */
    bool bare;           /* 'kernel' and 'launch' instead of 'entry' */
    const char *entry;   /* name of the host function, or of the bare kernel */
    const struct kg_expr *grid[3], *block[3], *shared; /* bare */
    const char *reference, *reference_name;            /* source text, and file name for messages */
    const char *baseline, *baseline_name;              /* NULL: none */
    const struct kg_expr *reduction;                   /* NULL: 1 */
    const struct kg_expr *min_read;                    /* bytes; NULL: all inputs */
    bool tolerance_auto;
    double rtol, atol;                    /* when not auto */
    int precision;                        /* enum kg_precision */
    const char *count_array, *count_from; /* count: {array, from}; NULL: none */
    const char *const *link;              /* NULL-terminated: cublas, ... */
    double library_floor;                 /* least custom share, 0: none */
    size_t n_makers;
    struct kg_task_maker *makers;
    bool checked; /* the reference file has int check(...): it says what is right */
    /* The reference's worker has more arguments behind those of the task, n_ref_args in all: with
     * 'checked' the candidate's OUT and INOUT arrays from ref_got on, in order; with makers the
     * axes (an array of int64) and the seed (a scalar of 8 bytes). */
    size_t ref_got, ref_axes, ref_seed, n_ref_args;
    unsigned char sha[KG_SHA256_BYTES]; /* of everything above, sources included */
    struct kg_arena arena;
};

enum kg_precision { KG_PREC_FLOAT32, KG_PREC_TF32, KG_PREC_FLOAT16, KG_PREC_BFLOAT16 };
const char *kg_precision_name(int p);

/*
 * Builds a task. 'dir' is where file names in it are relative to (NULL: sources must be inline);
 * 'source' names it in messages. Every error gives source, line and column of the value at fault;
 * unknown keys are errors that name the nearest known one. All cases are sized (kg_instance_init),
 * so a task that was built has no size that fails later. NULL with err.
 */
struct kg_task *kg_task_new(const struct kg_value *doc, const char *dir, const char *source,
                            struct kg_error *err);
void kg_task_free(struct kg_task *t);

/* The task as one JSON object with its sources inlined; kg_task_new of it gives an equal task. */
void kg_task_json(const struct kg_task *t, struct kg_buf *out);

/* The maker of an initialiser, an index into t->makers; -1: it is no function of the reference. */
int kg_task_maker(const struct kg_task *t, const struct kg_init *init);

/* ---- a task at one size ------------------------------------------------------------------ */

struct kg_instance_arg {
    size_t rank;
    int64_t dims[KG_TASK_MAX_RANK];
    size_t count; /* elements; 1 for scalars */
    size_t bytes;
    size_t row;                 /* length of the last axis */
    const struct kg_init *init; /* effective initialiser; NULL for outputs and fixed scalars */
    double scalar;              /* fixed scalars */
};

struct kg_instance {
    const struct kg_task *task;
    const struct kg_case *which;
    struct kg_instance_arg args[KG_TASK_MAX_ARGS];
    int64_t reduction;
    unsigned grid[3], block[3];
    size_t shared; /* bytes, bare kernels */
    size_t in_bytes, out_bytes;
    int64_t min_read; /* bytes */
};

/* Evaluates every expression; an error when a size is negative or overflows, or a limit is passed.
 */
int kg_instance_init(struct kg_instance *in, const struct kg_task *t, const struct kg_case *c,
                     struct kg_error *err);

#endif
