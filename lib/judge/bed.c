#include "judge/bed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/mix.h"

static bool goes_in(const struct kg_bed *b, size_t i)
{
    return kg_arg_goes_in(&b->in.task->args[i]);
}

static bool comes_out(const struct kg_bed *b, size_t i)
{
    return kg_arg_comes_out(&b->in.task->args[i]);
}

static int check_memory(const struct kg_bed *b, struct kg_error *err)
{
    struct kg_device_info info;
    if (b->space->ops->info(b->space, &info, err))
        return -1;
    /* two sets of inputs and outputs, the baseline's outputs, two snapshots, the truth as double */
    uint64_t in = b->in.in_bytes, out = b->in.out_bytes;
    uint64_t ours = 2 * in + 2 * out + out + 3 * out + 2 * out, theirs = 2 * (in + out);
    if (!info.mem_free || ours + theirs <= info.mem_free)
        return 0;
    return kg_error_set(err, KG_E_UNSUPPORTED,
                        "the judge needs %.0f MB and the candidate %.0f MB, but %.0f MB are free",
                        (double)ours / 1e6, (double)theirs / 1e6, (double)info.mem_free / 1e6);
}

static int make(struct kg_bed *b, enum kg_mem_use use, size_t bytes, struct kg_mem *m,
                struct kg_error *err)
{
    return b->space->ops->mem_new(b->space, use, bytes, m, err);
}

static int make_arg(struct kg_bed *b, size_t i, struct kg_error *err)
{
    size_t bytes = b->in.args[i].bytes;
    enum kg_dtype t = b->in.task->args[i].dtype;
    for (int set = 0; set < KG_BED_SETS; set++) {
        if (goes_in(b, i) && make(b, KG_MEM_INPUT, bytes, &b->input[set][i], err))
            return -1;
        if (comes_out(b, i) && make(b, KG_MEM_WRITABLE, bytes, &b->own[set][i], err))
            return -1;
    }
    if (!comes_out(b, i))
        return 0;
    b->out[b->n_out++] = i;
    size_t truth = kg_dtype_is_float(t) ? b->in.args[i].count * sizeof(double) : bytes;
    return make(b, KG_MEM_WRITABLE, bytes, &b->theirs[i], err) ||
                   make(b, KG_MEM_PRIVATE, bytes, &b->snap[i], err) ||
                   make(b, KG_MEM_PRIVATE, bytes, &b->late[i], err) ||
                   make(b, KG_MEM_PRIVATE, truth, &b->want[i], err)
               ? -1
               : 0;
}

int kg_bed_init(struct kg_bed *b, struct kg_space *space, const struct kg_task *t,
                const struct kg_case *c, double rtol, double atol, struct kg_error *err)
{
    memset(b, 0, sizeof *b);
    b->space = space;
    if (kg_instance_init(&b->in, t, c, err) || check_memory(b, err))
        return -1;
    for (size_t i = 0; i < t->n_args; i++) {
        if (t->args[i].scalar)
            continue;
        if (make_arg(b, i, err)) {
            kg_bed_release(b);
            return -1;
        }
        b->tol[i] = kg_tolerance_of(&b->in, i);
        if (!b->tol[i].exact && (rtol >= 0 || atol >= 0))
            b->tol[i] = (struct kg_tolerance){
                .rtol = rtol >= 0 ? rtol : 0, .atol_factor = atol >= 0 ? atol : 0, .fixed = true};
    }
    return 0;
}

static void drop(struct kg_bed *b, struct kg_mem *m)
{
    if (m->total)
        b->space->ops->mem_free(b->space, m);
    memset(m, 0, sizeof *m);
}

void kg_bed_release(struct kg_bed *b)
{
    if (!b->space)
        return;
    for (size_t i = 0; i < KG_TASK_MAX_ARGS; i++) {
        for (int set = 0; set < KG_BED_SETS; set++) {
            drop(b, &b->input[set][i]);
            drop(b, &b->own[set][i]);
        }
        drop(b, &b->theirs[i]);
        drop(b, &b->copy[i]);
        drop(b, &b->snap[i]);
        drop(b, &b->late[i]);
        drop(b, &b->first[i]);
        drop(b, &b->want[i]);
    }
    memset(b, 0, sizeof *b);
}

int kg_bed_lend(struct kg_bed *b, struct kg_runner *r, enum kg_bed_for who, double seconds,
                struct kg_answer *a, struct kg_error *err)
{
    struct kg_runner_slot s[KG_BED_SETS * KG_TASK_MAX_ARGS];
    size_t n = 0;
    for (int set = 0; set < KG_BED_SETS; set++)
        for (size_t i = 0; i < b->in.task->n_args; i++)
            if (goes_in(b, i))
                s[n++] = (struct kg_runner_slot){set, i, &b->input[set][i], true};
            else if (comes_out(b, i))
                s[n++] = (struct kg_runner_slot){
                    set, i, who == KG_BED_CANDIDATE ? &b->own[set][i] : &b->theirs[i], false};
    return kg_runner_lend(r, s, n, seconds, a, err);
}

int kg_bed_lend_copies(struct kg_bed *b, struct kg_runner *r, int set, double seconds,
                       struct kg_answer *a, struct kg_error *err)
{
    struct kg_runner_slot s[KG_TASK_MAX_ARGS];
    size_t n = 0;
    for (size_t i = 0; i < b->in.task->n_args; i++)
        if (goes_in(b, i)) {
            if (!b->copy[i].total &&
                make(b, KG_MEM_WRITABLE, b->in.args[i].bytes, &b->copy[i], err))
                return -1;
            if (b->space->ops->copy(b->space, &b->copy[i], &b->input[set][i], err))
                return -1;
            s[n++] = (struct kg_runner_slot){set, i, &b->copy[i], false};
        } else if (comes_out(b, i)) {
            s[n++] = (struct kg_runner_slot){set, i, &b->own[set][i], false};
        }
    return kg_runner_lend(r, s, n, seconds, a, err);
}

static int publish_one(struct kg_bed *b, const struct kg_plan_call *c, size_t arg, struct kg_mem *m,
                       struct kg_error *err)
{
    struct kg_content k = kg_plan_content(c, arg);
    const struct kg_init *init = b->in.args[arg].init;
    if (!init || init->kind != KG_INIT_CUSTOM)
        return b->space->ops->publish(b->space, m, &b->in, arg, &k, err);
    if (!b->maker.make)
        return kg_error_set(err, KG_E_UNSUPPORTED, "nothing can make input '%s' (init_%s)",
                            b->in.task->args[arg].name, init->name);
    void *tmp = kg_mem_alloc(b->in.args[arg].bytes);
    int rc = b->maker.make(b->maker.ctx, &b->in, arg, &k, tmp, err);
    if (!rc)
        rc = b->space->ops->upload(b->space, m, tmp, b->in.args[arg].bytes, err);
    free(tmp);
    return rc;
}

int kg_bed_publish_inout(struct kg_bed *b, const struct kg_plan_call *c, int set,
                         struct kg_error *err)
{
    for (size_t i = 0; i < b->in.task->n_args; i++)
        if (comes_out(b, i) && b->in.task->args[i].role == KG_ROLE_INOUT &&
            /* not the other way round: the candidate can write to its own */
            (publish_one(b, c, i, &b->theirs[i], err) ||
             b->space->ops->copy(b->space, &b->own[set][i], &b->theirs[i], err)))
            return -1;
    return 0;
}

int kg_bed_publish(struct kg_bed *b, const struct kg_plan_call *c, bool all, struct kg_error *err)
{
    for (size_t i = 0; i < b->in.task->n_args; i++)
        if (goes_in(b, i) && (all || (int)i == c->patch_arg) &&
            publish_one(b, c, i, &b->input[c->set][i], err))
            return -1;
    return kg_bed_publish_inout(b, c, c->set, err);
}

uint64_t kg_bed_key(uint64_t key, size_t arg, const char *what)
{
    for (; *what; what++)
        key = kg_mix64(key ^ (unsigned char)*what);
    return kg_mix64(key ^ arg);
}

int kg_bed_poison(struct kg_bed *b, enum kg_bed_for who, int set, uint64_t key,
                  struct kg_error *err)
{
    const struct kg_space_ops *op = b->space->ops;
    for (size_t i = 0; i < b->in.task->n_args; i++) {
        const struct kg_arg *a = &b->in.task->args[i];
        struct kg_mem *m = comes_out(b, i)
                               ? (who == KG_BED_CANDIDATE ? &b->own[set][i] : &b->theirs[i])
                               : &b->input[set][i];
        if (a->scalar || (goes_in(b, i) && who != KG_BED_CANDIDATE))
            continue;
        if (a->role == KG_ROLE_OUT &&
            op->poison(b->space, m, a->dtype, kg_bed_key(key, i, "out"), b->in.args[i].count, err))
            return -1;
        if (who == KG_BED_CANDIDATE && op->guard(b->space, m, kg_bed_key(key, i, "guard"), err))
            return -1;
        if (who == KG_BED_CANDIDATE && b->copy[i].total &&
            op->guard(b->space, &b->copy[i], kg_bed_key(key, i, "guard"), err))
            return -1;
    }
    return 0;
}

int kg_bed_guards(struct kg_bed *b, int set, uint64_t key, size_t *bytes, size_t *arg,
                  int64_t *where, struct kg_error *err)
{
    *bytes = 0;
    for (size_t i = 0; i < b->in.task->n_args; i++) {
        size_t n = 0;
        int64_t at = 0;
        if (b->in.task->args[i].scalar)
            continue;
        const struct kg_mem *m = comes_out(b, i) ? &b->own[set][i] : &b->input[set][i];
        if (b->space->ops->guard_check(b->space, m, kg_bed_key(key, i, "guard"), &n, &at, err))
            return -1;
        if (n && !*bytes) {
            *arg = i;
            *where = at;
        }
        *bytes += n;
    }
    return 0;
}

int kg_bed_hash_inputs(struct kg_bed *b, int set, uint64_t key, uint64_t *hash,
                       struct kg_error *err)
{
    for (size_t i = 0; i < b->in.task->n_args; i++)
        if (goes_in(b, i) &&
            b->space->ops->hash(b->space, &b->input[set][i], kg_bed_key(key, i, "in"),
                                b->in.args[i].bytes, &hash[i], err))
            return -1;
    return 0;
}

int kg_bed_snapshot(struct kg_bed *b, int set, struct kg_mem *into, struct kg_error *err)
{
    for (size_t k = 0; k < b->n_out; k++) {
        size_t i = b->out[k];
        if (!into[i].total && make(b, KG_MEM_PRIVATE, b->in.args[i].bytes, &into[i], err))
            return -1;
        if (b->space->ops->copy(b->space, &into[i], &b->own[set][i], err))
            return -1;
    }
    return 0;
}

int kg_bed_keep(struct kg_bed *b, struct kg_error *err)
{
    for (size_t k = 0; k < b->n_out; k++) {
        size_t i = b->out[k];
        if (!b->first[i].total && make(b, KG_MEM_PRIVATE, b->in.args[i].bytes, &b->first[i], err))
            return -1;
        if (b->space->ops->copy(b->space, &b->first[i], &b->snap[i], err))
            return -1;
    }
    return 0;
}

int kg_bed_count(struct kg_bed *b, size_t arg, const struct kg_mem *from,
                 const struct kg_plan_call *c, size_t *n, struct kg_error *err)
{
    const struct kg_task *t = b->in.task;
    double v = 0;
    *n = b->in.args[arg].count;
    if (!t->count_array || strcmp(t->count_array, t->args[arg].name))
        return 0;
    for (size_t i = 0; i < t->n_args; i++) {
        if (strcmp(t->args[i].name, t->count_from))
            continue;
        if (t->args[i].scalar) {
            v = kg_gen_scalar(&b->in, i, &c->content);
        } else {
            unsigned char one[8];
            bool f64 = from == b->want && kg_dtype_is_float(t->args[i].dtype);
            enum kg_dtype d = f64 ? KG_FLOAT64 : t->args[i].dtype;
            if (b->space->ops->read(b->space, &from[i], 0, one, kg_dtype_size(d), err))
                return -1;
            v = kg_dtype_get(d, one, 0);
        }
    }
    if (v >= 0 && v < (double)*n)
        *n = (size_t)v;
    return 0;
}
