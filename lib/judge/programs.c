#include "judge/programs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct kg_programs {
    struct kg_compile_opts opts;
    pthread_mutex_t lock;
    pthread_cond_t done;
    struct kg_program *list;
};

struct kg_programs *kg_programs_new(const struct kg_compile_opts *o)
{
    struct kg_programs *p = kg_mem_zalloc(sizeof *p);
    p->opts = *o;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->done, NULL);
    return p;
}

void kg_programs_free(struct kg_programs *p)
{
    if (!p)
        return;
    for (struct kg_program *q = p->list, *next; q; q = next) {
        next = q->next;
        kg_compile_result_release(&q->built);
        free(q);
    }
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->done);
    free(p);
}

/* A candidate that launches one kernel that does nothing. */
static void empty_source(const struct kg_task *t, struct kg_buf *out)
{
    bool half = false, bf16 = false;
    for (size_t i = 0; i < t->n_args; i++) {
        half |= t->args[i].dtype == KG_FLOAT16;
        bf16 |= t->args[i].dtype == KG_BFLOAT16;
    }
    kg_buf_adds(out, half ? "#include <cuda_fp16.h>\n" : "");
    kg_buf_adds(out, bf16 ? "#include <cuda_bf16.h>\n" : "");
    kg_buf_adds(out, t->bare ? "" : "__global__ void kg_empty() {}\n");
    kg_buf_addf(out, "extern \"C\" %svoid %s(", t->bare ? "__global__ " : "", t->entry);
    for (size_t i = 0; i < t->n_args; i++)
        kg_buf_addf(out, "%s%s%s%s", i ? ", " : "", kg_arg_goes_in(&t->args[i]) ? "const " : "",
                    kg_dtype_c_name(t->args[i].dtype), t->args[i].scalar ? "" : " *");
    kg_buf_adds(out, t->bare ? ") {}\n" : ") { kg_empty<<<1, 1>>>(); }\n");
}

static void build(struct kg_programs *p, struct kg_program *q)
{
    struct kg_compile_opts o = p->opts;
    struct kg_buf empty = KG_BUF_INIT;
    const char *src = q->task->baseline;
    if (q->kind == KG_PROGRAM_EMPTY) {
        empty_source(q->task, &empty);
        src = kg_buf_str(&empty);
    } else if (q->kind == KG_PROGRAM_REFERENCE) {
        o.target = "host";
        src = q->task->reference;
    }
    kg_compile(q->task, q->kind == KG_PROGRAM_REFERENCE ? KG_SOURCE_REFERENCE : KG_SOURCE_CANDIDATE,
               src, strlen(src), &o, &q->built);
    kg_buf_release(&empty);
}

/* The program of a task: ready, or the caller's to build. */
static struct kg_program *claim(struct kg_programs *p, const struct kg_task *t,
                                enum kg_program_kind kind, bool *ours)
{
    pthread_mutex_lock(&p->lock);
    struct kg_program *q = p->list;
    while (q && (q->task != t || q->kind != kind))
        q = q->next;
    *ours = !q;
    if (!q) {
        q = kg_mem_zalloc(sizeof *q);
        q->task = t;
        q->kind = kind;
        q->next = p->list;
        p->list = q;
    }
    while (!*ours && !q->ready)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return q;
}

const struct kg_program *kg_programs_get(struct kg_programs *p, const struct kg_task *t,
                                         enum kg_program_kind kind, enum kg_verdict *v,
                                         struct kg_error *err)
{
    static const char *const names[] = {"baseline", "reference", "empty candidate"};
    const char *what = names[kind];
    bool ours;
    if ((kind == KG_PROGRAM_BASELINE && !t->baseline) ||
        (kind == KG_PROGRAM_REFERENCE && !t->reference)) {
        *v = KG_REFERENCE_ERROR;
        kg_error_set(err, KG_E_INPUT, "task '%s' has no %s", t->task_id, what);
        return NULL;
    }
    struct kg_program *q = claim(p, t, kind, &ours);
    if (ours) {
        build(p, q);
        pthread_mutex_lock(&p->lock);
        q->ready = true;
        /* a fault of the machine's is no program's: found no more, built for the next record */
        if (q->built.verdict == KG_JUDGE_FAULT)
            q->task = NULL;
        pthread_cond_broadcast(&p->done);
        pthread_mutex_unlock(&p->lock);
    }
    if (q->built.verdict == KG_PASSED)
        return q;
    bool ours_too = kg_verdict_class(q->built.verdict) == KG_CLASS_OURS;
    *v = ours_too ? q->built.verdict : KG_REFERENCE_ERROR;
    kg_error_set(err, q->built.code ? q->built.code : KG_E_INPUT,
                 "the %s of task '%s' does not build: %s", what, t->task_id, q->built.message);
    return NULL;
}
