#include "judge/ref.h"

#include <string.h>

#include "base/clock.h"

void kg_ref_init(struct kg_ref *r, const struct kg_runner_spec *spec, const char *path,
                 double seconds)
{
    memset(r, 0, sizeof *r);
    r->spec = spec;
    r->path = path;
    r->until = kg_clock_now() + seconds;
    r->entries[0] = "kg_call";
}

static void drop_memory(struct kg_ref *r)
{
    for (size_t i = 0; i < KG_TASK_MAX_ARGS; i++)
        if (r->mem[i].total) {
            r->host->ops->mem_free(r->host, &r->mem[i]);
            memset(&r->mem[i], 0, sizeof r->mem[i]);
        }
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
    if (r->answer.what == KG_ANSWER_DONE && r->answer.done.status == KG_DONE_OK)
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

static int lend(struct kg_ref *r, struct kg_error *err)
{
    struct kg_runner_slot s[KG_TASK_MAX_ARGS];
    size_t n = 0;
    for (size_t i = 0; i < r->in->task->n_args; i++) {
        if (r->in->task->args[i].scalar)
            continue;
        if (r->host->ops->mem_new(r->host, KG_MEM_WRITABLE, kg_ref_out_bytes(r->in, i), &r->mem[i],
                                  err))
            return -1;
        s[n++] = (struct kg_runner_slot){0, i, &r->mem[i], false};
    }
    return kg_runner_lend(&r->runner, s, n, left(r), &r->answer, err);
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

void kg_ref_put(struct kg_ref *r, size_t arg, const void *native)
{
    enum kg_dtype t = r->in->task->args[arg].dtype;
    unsigned char *to = r->mem[arg].map + r->mem[arg].offset;
    if (!kg_dtype_is_float(t)) {
        memcpy(to, native, r->in->args[arg].bytes);
        return;
    }
    double *d = (double *)(void *)to;
    for (size_t i = 0; i < r->in->args[arg].count; i++)
        d[i] = kg_dtype_get(t, native, i);
}

int kg_ref_run(struct kg_ref *r, const struct kg_content *scalars, enum kg_verdict *v,
               struct kg_error *err)
{
    uint64_t s[KG_WIRE_ARGS];
    kg_runner_scalars(r->in, scalars, true, s);
    int rc = kg_runner_go(&r->runner, 0, 0, 0, s, left(r), &r->answer, err);
    if (checked(r, rc, "failed", v, err))
        return -1;
    kg_runner_launches(&r->runner, &r->answer);
    return 0;
}

const void *kg_ref_out(const struct kg_ref *r, size_t arg)
{
    return r->mem[arg].map + r->mem[arg].offset;
}
