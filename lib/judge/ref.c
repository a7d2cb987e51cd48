#include "judge/ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/mix.h"

void kg_ref_init(struct kg_ref *r, const struct kg_runner_spec *spec, const char *path,
                 double seconds)
{
    memset(r, 0, sizeof *r);
    r->spec = spec;
    r->path = path;
    r->seconds = seconds;
    r->entries[0] = "kg_call";
    kg_ref_restart(r);
}

void kg_ref_restart(struct kg_ref *r)
{
    r->until = kg_clock_now() + r->seconds;
}

static void drop_memory(struct kg_ref *r)
{
    for (size_t i = 0; i < KG_TASK_MAX_ARGS; i++)
        if (r->mem[i].total) {
            r->host->ops->mem_free(r->host, &r->mem[i]);
            memset(&r->mem[i], 0, sizeof r->mem[i]);
        }
    memset(r->made, 0, sizeof r->made);
}

void kg_ref_release(struct kg_ref *r)
{
    drop_memory(r);
    kg_runner_stop(&r->runner);
    kg_answer_release(&r->answer);
    kg_space_close(r->host);
    r->host = NULL;
    r->in = NULL;
}

static double left(const struct kg_ref *r)
{
    double s = r->until - kg_clock_now();
    return s > 0 ? s : 0;
}

/* What came of an order: the reference must simply work. */
static int checked(struct kg_ref *r, int rc, const char *what, enum kg_verdict *v,
                   struct kg_error *err)
{
    *v = KG_JUDGE_FAULT;
    if (rc)
        return -1;
    if (kg_answer_is_ok(&r->answer))
        return 0;
    struct kg_buf text = KG_BUF_INIT;
    kg_answer_text(&r->answer, &text);
    bool ours = kg_answer_is_our_fault(&r->answer);
    *v = ours ? KG_JUDGE_FAULT : KG_REFERENCE_ERROR;
    kg_error_set(err, ours ? KG_E_INTERNAL : KG_E_INPUT, "the reference %s: %s", what,
                 kg_buf_str(&text));
    kg_buf_release(&text);
    return -1;
}

size_t kg_ref_out_bytes(const struct kg_instance *in, size_t arg)
{
    enum kg_dtype t = in->task->args[arg].dtype;
    return in->args[arg].count * (kg_dtype_is_float(t) ? sizeof(double) : kg_dtype_size(t));
}

/* Memory for argument 'arg' of the worker, and its place in the next message. */
static int add_slot(struct kg_ref *r, size_t arg, size_t bytes, struct kg_runner_slot *s, size_t *n,
                    struct kg_error *err)
{
    if (r->host->ops->mem_new(r->host, KG_MEM_WRITABLE, bytes, &r->mem[arg], err))
        return -1;
    s[(*n)++] = (struct kg_runner_slot){0, arg, &r->mem[arg], false};
    return 0;
}

static int lend(struct kg_ref *r, struct kg_error *err)
{
    const struct kg_task *t = r->in->task;
    struct kg_runner_slot s[KG_TASK_MAX_ARGS];
    size_t n = 0, got = t->ref_got;
    for (size_t i = 0; i < t->n_args; i++)
        if (!t->args[i].scalar && add_slot(r, i, kg_ref_out_bytes(r->in, i), s, &n, err))
            return -1;
    for (size_t i = 0; t->checked && i < t->n_args; i++)
        if (kg_arg_comes_out(&t->args[i]) &&
            add_slot(r, got++, kg_ref_out_bytes(r->in, i), s, &n, err))
            return -1;
    if (t->n_makers) {
        size_t bytes = t->n_axes * sizeof r->in->which->axes[0];
        if (add_slot(r, t->ref_axes, bytes, s, &n, err))
            return -1;
        memcpy(r->mem[t->ref_axes].map + r->mem[t->ref_axes].offset, r->in->which->axes, bytes);
    }
    return kg_runner_lend(&r->runner, s, n, left(r), &r->answer, err);
}

static void name_entries(struct kg_ref *r, const struct kg_task *t)
{
    size_t n = 1;
    for (size_t i = 0; i < t->n_makers; i++, n++) {
        snprintf(r->names[n], sizeof r->names[n], "kg_init_%s", t->makers[i].name);
        r->entries[n] = r->names[n];
    }
    if (t->checked)
        r->entries[n++] = "kg_check";
    r->entries[n] = NULL;
}

int kg_ref_load(struct kg_ref *r, const struct kg_instance *in, enum kg_verdict *v,
                struct kg_error *err)
{
    *v = KG_JUDGE_FAULT;
    if (!r->host && !(r->host = kg_space_open_host(err)))
        return -1;
    bool fresh = !kg_runner_alive(&r->runner);
    if (fresh) {
        kg_runner_stop(&r->runner);
        if (kg_runner_start(&r->runner, r->spec, err))
            return -1;
    }
    drop_memory(r);
    r->in = in;
    name_entries(r, in->task);
    struct kg_runner_load l = {.kind = KG_WORKER_HOST,
                               .role = KG_WORKER_REFERENCE,
                               .path = fresh ? r->path : NULL,
                               .in = in,
                               .entries = r->entries,
                               .writable_inputs = true};
    if (checked(r, kg_runner_load(&r->runner, &l, left(r), &r->answer, err), "did not load", v,
                err))
        return -1;
    return checked(r, lend(r, err), "could not map its memory", v, err);
}

int kg_ref_ready(struct kg_ref *r, const struct kg_instance *in, enum kg_verdict *v,
                 struct kg_error *err)
{
    return r->in == in && kg_runner_alive(&r->runner) ? 0 : kg_ref_load(r, in, v, err);
}

void kg_ref_forget(struct kg_ref *r, const struct kg_instance *in)
{
    if (r->in == in)
        r->in = NULL;
}

/* ---- its memory ----------------------------------------------------------------------------- */

static unsigned char *at(const struct kg_ref *r, size_t slot)
{
    return r->mem[slot].map + r->mem[slot].offset;
}

static void put(struct kg_ref *r, size_t slot, size_t arg, const void *native)
{
    enum kg_dtype t = r->in->task->args[arg].dtype;
    if (!kg_dtype_is_float(t)) {
        memcpy(at(r, slot), native, r->in->args[arg].bytes);
        return;
    }
    kg_dtype_load(t, native, 0, r->in->args[arg].count, (double *)(void *)at(r, slot));
}

void kg_ref_put(struct kg_ref *r, size_t arg, const void *native)
{
    put(r, arg, arg, native);
}

void kg_ref_put_got(struct kg_ref *r, size_t arg, const void *native)
{
    size_t slot = r->in->task->ref_got;
    for (size_t i = 0; i < arg; i++)
        slot += kg_arg_comes_out(&r->in->task->args[i]);
    put(r, slot, arg, native);
}

void kg_ref_put_out(struct kg_ref *r, size_t arg, const void *out)
{
    memcpy(at(r, arg), out, kg_ref_out_bytes(r->in, arg));
}

void kg_ref_take(const struct kg_ref *r, size_t arg, void *native)
{
    enum kg_dtype t = r->in->task->args[arg].dtype;
    const double *d = (const double *)(const void *)at(r, arg);
    if (!kg_dtype_is_float(t))
        memcpy(native, d, r->in->args[arg].bytes);
    else
        for (size_t i = 0; i < r->in->args[arg].count; i++)
            kg_dtype_set(t, native, i, d[i]);
}

const void *kg_ref_out(const struct kg_ref *r, size_t arg)
{
    return at(r, arg);
}

/* ---- its functions ------------------------------------------------------------------------ */

static int go(struct kg_ref *r, unsigned entry, const uint64_t *scalars, const char *what,
              enum kg_verdict *v, struct kg_error *err)
{
    int rc = kg_runner_go(&r->runner, 0, entry, 0, scalars, left(r), &r->answer, err);
    if (checked(r, rc, what, v, err))
        return -1;
    kg_runner_launches(&r->runner, &r->answer);
    return 0;
}

int kg_ref_run(struct kg_ref *r, const struct kg_content *scalars, enum kg_verdict *v,
               struct kg_error *err)
{
    uint64_t s[KG_WIRE_ARGS];
    kg_runner_scalars(r->in, scalars, true, s);
    return go(r, 0, s, "failed", v, err);
}

int kg_ref_check(struct kg_ref *r, const struct kg_content *scalars, int *result,
                 enum kg_verdict *v, struct kg_error *err)
{
    uint64_t s[KG_WIRE_ARGS];
    kg_runner_scalars(r->in, scalars, true, s);
    if (go(r, (unsigned)r->in->task->n_makers + 1, s, "failed in check", v, err))
        return -1;
    *result = r->answer.done.result;
    return 0;
}

/* Equal for the arrays that one function makes, and for no others. */
static uint64_t seed_of(const char *name, const struct kg_content *c)
{
    uint64_t seed = kg_mix64(c->seed ^ kg_mix64(c->call));
    for (; *name; name++)
        seed = kg_mix64(seed ^ (unsigned char)*name);
    return seed;
}

int kg_ref_make(struct kg_ref *r, size_t arg, const struct kg_content *c, enum kg_verdict *v,
                struct kg_error *err)
{
    const struct kg_task *t = r->in->task;
    int which = kg_task_maker(t, r->in->args[arg].init);
    const struct kg_task_maker *m = &t->makers[which];
    uint64_t s[KG_WIRE_ARGS] = {0}, seed = seed_of(m->name, c);
    char what[32 + KG_TASK_MAX_MAKER_NAME];
    if (r->made[arg] && r->made_seed[arg] == seed)
        return 0;
    for (size_t i = 0; i < m->n; i++) /* nothing of the call before may shine through */
        memset(at(r, m->arg[i]), 0, kg_ref_out_bytes(r->in, m->arg[i]));
    s[t->ref_seed] = seed;
    snprintf(what, sizeof what, "failed in init_%s", m->name);
    if (go(r, (unsigned)which + 1, s, what, v, err))
        return -1;
    for (size_t i = 0; i < m->n; i++) {
        size_t a = m->arg[i];
        void *native = kg_mem_alloc(r->in->args[a].bytes);
        kg_ref_take(r, a, native);
        kg_ref_put(r, a, native); /* rounded: the truth gets what the candidate gets */
        free(native);
        r->made[a] = true;
        r->made_seed[a] = seed;
    }
    return 0;
}

static int input(struct kg_ref *r, struct kg_space *space, size_t arg, const struct kg_content *c,
                 struct kg_error *err)
{
    struct kg_mem m = {.fd = -1};
    size_t bytes = r->in->args[arg].bytes;
    void *native = kg_mem_alloc(bytes);
    int rc = space->ops->mem_new(space, KG_MEM_PRIVATE, bytes, &m, err);
    if (!rc)
        rc = space->ops->publish(space, &m, r->in, arg, c, err) ||
             space->ops->read(space, &m, 0, native, bytes, err);
    if (!rc)
        kg_ref_put(r, arg, native);
    space->ops->mem_free(space, &m);
    free(native);
    return rc ? -1 : 0;
}

int kg_ref_inputs(struct kg_ref *r, struct kg_space *space, const struct kg_plan_call *c,
                  bool only_inout, enum kg_verdict *v, struct kg_error *err)
{
    const struct kg_task *t = r->in->task;
    *v = KG_JUDGE_FAULT;
    for (size_t i = 0; i < t->n_args; i++) {
        const struct kg_arg *a = &t->args[i];
        struct kg_content k = kg_plan_content(c, i);
        if (a->scalar || a->role == KG_ROLE_OUT || (only_inout && a->role != KG_ROLE_INOUT))
            continue;
        if (kg_task_maker(t, r->in->args[i].init) < 0) {
            if (input(r, space, i, &k, err))
                return -1;
            continue;
        }
        if (a->role == KG_ROLE_INOUT) /* the run wrote to it */
            r->made[i] = false;
        if (kg_ref_make(r, i, &k, v, err))
            return -1;
    }
    return 0;
}
