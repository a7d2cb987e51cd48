#include "task/task.h"

#include <stdio.h>
#include <string.h>

#define MAX_BYTES                                                                                  \
    ((int64_t)1 << 40) /* of one array: beyond any device; keeps sums from overflow                \
                        */

static int eval(const struct kg_expr *e, const struct kg_case *c, const char *what, int64_t min,
                int64_t max, int64_t *out, struct kg_error *err)
{
    struct kg_error why = KG_ERROR_INIT;
    if (kg_expr_eval(e, c->axes, out, &why))
        return kg_error_set(err, KG_E_INPUT, "%s (case %s): %s", what, c->label, why.text);
    if (*out < min || *out > max)
        return kg_error_set(
            err, KG_E_INPUT, "%s (case %s): '%s' is %lld, which is not between %lld and %lld", what,
            c->label, kg_expr_text(e), (long long)*out, (long long)min, (long long)max);
    return 0;
}

/* Kinds whose numbers grow with the row must fit the type exactly. */
static int check_init(const struct kg_arg *a, const struct kg_instance_arg *ia,
                      const struct kg_case *c, struct kg_error *err)
{
    if (ia->init && ia->init->kind == KG_INIT_PERMUTATION &&
        (double)ia->row - 1 > kg_dtype_exact(a->dtype))
        return kg_error_set(err, KG_E_INPUT,
                            "argument '%s' (case %s): a permutation of %zu does not fit %s",
                            a->name, c->label, ia->row, kg_dtype_name(a->dtype));
    return 0;
}

static int size_array(const struct kg_arg *a, const struct kg_case *c, struct kg_instance_arg *ia,
                      struct kg_error *err)
{
    int64_t count = 1, size = (int64_t)kg_dtype_size(a->dtype);
    ia->rank = a->rank;
    for (size_t i = 0; i < a->rank; i++) {
        char what[192];
        snprintf(what, sizeof what, "shape of '%s'", a->name);
        if (eval(a->shape[i], c, what, 1, MAX_BYTES, &ia->dims[i], err))
            return -1;
        if (__builtin_mul_overflow(count, ia->dims[i], &count) || count > MAX_BYTES / size)
            return kg_error_set(err, KG_E_LIMIT, "'%s' (case %s) has over 2^40 bytes", a->name,
                                c->label);
    }
    ia->count = (size_t)count;
    ia->bytes = (size_t)(count * size);
    ia->row = (size_t)ia->dims[a->rank - 1];
    return check_init(a, ia, c, err);
}

static int size_scalar(const struct kg_arg *a, const struct kg_case *c, struct kg_instance_arg *ia,
                       struct kg_error *err)
{
    ia->count = ia->row = 1;
    ia->bytes = kg_dtype_size(a->dtype);
    ia->scalar = a->value;
    if (a->expr) {
        char what[192];
        int64_t v, min = INT64_MIN, max = INT64_MAX;
        if (!kg_dtype_is_float(a->dtype) && a->dtype != KG_INT64) {
            min = (int64_t)kg_dtype_min(a->dtype);
            max = (int64_t)kg_dtype_max(a->dtype);
        }
        snprintf(what, sizeof what, "scalar '%s'", a->name);
        if (eval(a->expr, c, what, min, max, &v, err))
            return -1;
        ia->scalar = (double)v;
    }
    /* the truth gets what the candidate gets: 1e-5 is not the same number in float */
    ia->scalar = kg_dtype_round(a->dtype, ia->scalar);
    return 0;
}

static int size_arg(struct kg_instance *in, size_t i, struct kg_error *err)
{
    const struct kg_arg *a = &in->task->args[i];
    struct kg_instance_arg *ia = &in->args[i];
    if (in->which->inits[i])
        ia->init = in->which->inits[i];
    else if (a->scalar ? a->has_init : a->role != KG_ROLE_OUT)
        ia->init = &a->init;
    if (a->scalar)
        return size_scalar(a, in->which, ia, err);
    if (size_array(a, in->which, ia, err))
        return -1;
    if (a->role != KG_ROLE_OUT)
        in->in_bytes += ia->bytes;
    if (a->role != KG_ROLE_IN)
        in->out_bytes += ia->bytes;
    return 0;
}

/* The limits of every GPU since compute capability 3.0. */
static int size_launch(struct kg_instance *in, struct kg_error *err)
{
    static const int64_t max_grid[] = {INT32_MAX, 65535, 65535}, max_block[] = {1024, 1024, 64};
    const struct kg_task *t = in->task;
    int64_t v, threads = 1;
    for (int i = 0; i < 3; i++) {
        in->grid[i] = in->block[i] = 1;
        if (t->grid[i]) {
            if (eval(t->grid[i], in->which, "'grid'", 1, max_grid[i], &v, err))
                return -1;
            in->grid[i] = (unsigned)v;
        }
        if (t->block[i]) {
            if (eval(t->block[i], in->which, "'block'", 1, max_block[i], &v, err))
                return -1;
            in->block[i] = (unsigned)v;
        }
        threads *= in->block[i];
    }
    if (threads > 1024)
        return kg_error_set(err, KG_E_INPUT, "'block' (case %s): %lld threads; the limit is 1024",
                            in->which->label, (long long)threads);
    if (t->shared) {
        if (eval(t->shared, in->which, "'shared'", 0, 227 * 1024, &v, err))
            return -1;
        in->shared = (size_t)v;
    }
    return 0;
}

int kg_instance_init(struct kg_instance *in, const struct kg_task *t, const struct kg_case *c,
                     struct kg_error *err)
{
    memset(in, 0, sizeof *in);
    in->task = t;
    in->which = c;
    for (size_t i = 0; i < t->n_args; i++)
        if (size_arg(in, i, err))
            return -1;
    in->reduction = 1;
    if (t->reduction && eval(t->reduction, c, "'reduction'", 1, MAX_BYTES, &in->reduction, err))
        return -1;
    in->min_read = (int64_t)in->in_bytes;
    if (t->min_read && eval(t->min_read, c, "'min_read'", 0, INT64_MAX, &in->min_read, err))
        return -1;
    return t->bare ? size_launch(in, err) : 0;
}
