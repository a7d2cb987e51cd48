/*
 * The pool form of the record loop. The calling thread reads lines into slots; worker threads
 * parse, work and render; whoever finds answers that are due writes them. With --unordered an
 * answer is due when it is there, else when all earlier ones are out.
 */
#include "base/exit.h"
#include "base/mem.h"
#include "base/msg.h"
#include "record/run.h"
#include "record/stop.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AHEAD_A_JOB 16 /* slots a worker: a slow record must not stop the others */
#define AHEAD_BYTES ((size_t)256 << 20)
#define SLOT_KEEP   ((size_t)4 << 20) /* a slot's buffers above this are given back */
#define STACK_BYTES ((size_t)8 << 20) /* drivers and their compilers run on it; not 'ulimit -s' */

enum state { FREE, QUEUED, RUNNING, DONE, WRITING };

struct slot {
    enum state state;
    char *line; /* followed by padding */
    size_t len, cap, no;
    const char *source;
    bool untouched; /* read after an interrupt: to be passed on as it is */
    struct kg_buf out;
    struct kg_outcome what;
    struct kg_error said; /* what is wrong with it, told when its turn comes */
};

struct pool {
    struct kg_run run;
    const struct kg_pool_ops *ops;
    void *ctx;
    pthread_mutex_t lock;
    pthread_cond_t work, room;
    struct slot *slots;
    size_t n_slots;
    size_t *queue; /* ring of slot numbers, in input order: taken, and (ordered) written */
    size_t put, taken, written;
    size_t bytes; /* of lines in slots */
    bool ended, writing;
};

struct worker {
    pthread_t thread;
    struct pool *pool;
    int index;
};

/* ---- answers ------------------------------------------------------------------------------ */

/* A slot whose answer is due, or NULL. Under the lock. */
static struct slot *due(struct pool *p)
{
    if (!p->run.o->unordered) {
        struct slot *s = &p->slots[p->queue[p->written % p->n_slots]];
        return p->written < p->put && s->state == DONE ? s : NULL;
    }
    for (size_t i = 0; i < p->n_slots; i++)
        if (p->slots[i].state == DONE)
            return &p->slots[i];
    return NULL;
}

static void write_slot(struct pool *p, struct slot *s)
{
    kg_run_tell(&s->said);
    kg_buf_add(&p->run.out.buf, kg_buf_str(&s->out), s->out.len);
    kg_jsonl_added(&p->run.out);
    kg_run_count(&p->run, &s->what, s->line, s->len);
    kg_buf_reset(&s->out);
    if (s->out.cap > SLOT_KEEP)
        kg_buf_release(&s->out);
    if (s->cap > SLOT_KEEP) {
        free(s->line);
        s->line = NULL;
        s->cap = 0;
    }
}

/* Writes all that is due; one thread at a time, without holding the lock while it writes. */
static void deliver(struct pool *p)
{
    if (p->writing)
        return;
    p->writing = true;
    for (struct slot *s; (s = due(p));) {
        s->state = WRITING;
        pthread_mutex_unlock(&p->lock);
        write_slot(p, s);
        pthread_mutex_lock(&p->lock);
        bool more;
        s->state = FREE;
        p->bytes -= s->len;
        p->written++;
        pthread_cond_signal(&p->room);
        more = due(p) != NULL;
        if (!more) {
            pthread_mutex_unlock(&p->lock);
            kg_jsonl_flush(&p->run.out);
            kg_jsonl_flush(&p->run.rejects);
            kg_run_over(&p->run); /* notes a lost output */
            pthread_mutex_lock(&p->lock);
        }
    }
    p->writing = false;
    pthread_cond_signal(&p->room);
}

/* ---- workers ------------------------------------------------------------------------------ */

static void handle(struct pool *p, void *state, struct kg_record *r, struct slot *s)
{
    struct kg_jsonl_line line = {.text = s->line, .len = s->len, .no = s->no};
    if (!kg_run_parse(r, s->source, &line, &s->said)) {
        s->what = (struct kg_outcome){.bad = true, .reject = true, .verdict = -1};
        return;
    }
    int answer = KG_LOOP_KEEP;
    if (s->untouched || r->error.code)
        answer = KG_LOOP_KEEP;
    else if (kg_loop_stopping())
        kg_record_answer(r, KG_JUDGE_FAULT, "interrupted", p->run.own);
    else
        answer = p->ops->work(p->ctx, state, r);
    kg_run_render(&p->run, r, answer, &s->out, &s->what, &s->said);
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct pool *p = w->pool;
    struct kg_record r;
    kg_record_init(&r);
    void *state = p->ops->begin ? p->ops->begin(p->ctx, w->index) : NULL;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->taken == p->put && !p->ended)
            pthread_cond_wait(&p->work, &p->lock);
        if (p->taken == p->put)
            break;
        struct slot *s = &p->slots[p->queue[p->taken++ % p->n_slots]];
        s->state = RUNNING;
        pthread_mutex_unlock(&p->lock);
        handle(p, state, &r, s);
        pthread_mutex_lock(&p->lock);
        s->state = DONE;
        deliver(p);
    }
    pthread_mutex_unlock(&p->lock);
    if (p->ops->end)
        p->ops->end(p->ctx, state);
    kg_record_release(&r);
    return NULL;
}

/* ---- the reading thread ------------------------------------------------------------------- */

static size_t free_slot(const struct pool *p)
{
    for (size_t k = 0; k < p->n_slots; k++) {
        size_t i = (p->put + k) % p->n_slots;
        if (p->slots[i].state == FREE)
            return i;
    }
    return p->n_slots;
}

static void fill_slot(struct slot *s, const char *source, const struct kg_jsonl_line *line)
{
    if (line->len + KG_JSON_PADDING > s->cap) {
        free(s->line);
        s->cap = line->len + line->len / 4 + 4096;
        s->line = kg_mem_zalloc(s->cap);
    }
    memcpy(s->line, line->text, line->len);
    s->len = line->len;
    s->no = line->no;
    s->source = source;
    s->untouched = kg_stop_signal() != 0;
}

/* The reading thread itself writes to --rejects: when nothing before that is on its way. */
static void settle(void *ctx)
{
    struct pool *p = ctx;
    pthread_mutex_lock(&p->lock);
    while (p->written != p->put || p->writing)
        pthread_cond_wait(&p->room, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void read_all(struct pool *p)
{
    struct kg_jsonl_line line;
    while (!kg_run_ends() && kg_jsonl_next(&p->run.in, &line)) {
        size_t i;
        pthread_mutex_lock(&p->lock);
        while ((i = free_slot(p)) == p->n_slots || (p->bytes && p->bytes + line.len > AHEAD_BYTES))
            pthread_cond_wait(&p->room, &p->lock);
        pthread_mutex_unlock(&p->lock);
        fill_slot(&p->slots[i], p->run.in.source, &line);
        pthread_mutex_lock(&p->lock);
        p->slots[i].state = QUEUED;
        p->queue[p->put++ % p->n_slots] = i;
        p->bytes += line.len;
        pthread_cond_signal(&p->work);
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
}

static size_t number_of_jobs(const struct kg_loop_opts *o)
{
    long n = o->jobs > 0 ? (long)o->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (size_t)n;
}

static size_t start(struct pool *p, struct worker *w, size_t jobs)
{
    size_t n = 0;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    for (; n < jobs; n++) {
        w[n].pool = p;
        w[n].index = (int)n;
        int e = pthread_create(&w[n].thread, &attr, worker_main, &w[n]);
        if (!e)
            continue;
        kg_msg_warn("cannot start thread %zu of %zu: %s", n + 1, jobs, strerror(e));
        break;
    }
    pthread_attr_destroy(&attr);
    return n;
}

int kg_loop_pool(const struct kg_loop_opts *o, const struct kg_pool_ops *ops, void *ctx)
{
    size_t jobs = number_of_jobs(o);
    struct pool p = {.ops = ops, .ctx = ctx, .n_slots = (jobs + 1) * AHEAD_A_JOB};
    int status = kg_run_begin(&p.run, o, o->own);
    if (status)
        return status;
    p.run.flush_on_wait = false; /* the workers write, and flush when nothing more is due */
    p.run.before_rejects = settle;
    p.run.ctx = &p;
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.work, NULL);
    pthread_cond_init(&p.room, NULL);
    p.slots = kg_mem_array(p.n_slots, sizeof *p.slots);
    p.queue = kg_mem_array(p.n_slots, sizeof *p.queue);
    struct worker *w = kg_mem_array(jobs, sizeof *w);
    size_t n = start(&p, w, jobs);
    if (n)
        read_all(&p);
    else
        kg_loop_status(KG_EXIT_OUTPUT);
    for (size_t i = 0; i < n; i++)
        pthread_join(w[i].thread, NULL);
    for (size_t i = 0; i < p.n_slots; i++) {
        kg_buf_release(&p.slots[i].out);
        free(p.slots[i].line);
    }
    free(p.slots);
    free(p.queue);
    free(w);
    pthread_cond_destroy(&p.work);
    pthread_cond_destroy(&p.room);
    pthread_mutex_destroy(&p.lock);
    return kg_run_end(&p.run);
}
