/*
 * The group form of the record loop. Each line is parsed once: 'take' gets the record, the loop
 * notes where the line waits and which bytes of it may be replaced, and the answer is put together
 * from those. With --group-size, where groups overlap, lines wait in a buffer for each uid and are
 * parsed again when the group is complete, so that batches come one after the other.
 */
#include "base/exit.h"
#include "base/msg.h"
#include "record/keys.h"
#include "record/pending.h"
#include "record/rows.h"
#include "record/run.h"
#include "record/stop.h"

#include <string.h>

struct group {
    struct kg_run run;
    const struct kg_group_ops *ops;
    void *ctx;
    struct kg_keys *keys;
    struct kg_rows rows;
    struct kg_edits edits;
    size_t n_rows;        /* of the batch, bad records not counted */
    const char *last_uid; /* --grouped: of the batch */
    struct kg_pendings pending;
    struct kg_record record;
};

static void tell(const struct kg_error *err)
{
    kg_msg_from(err);
    kg_loop_status(kg_error_exit(err->code));
}

static bool streams(const struct group *g)
{
    return g->run.o->grouped || g->run.o->group_size;
}

/* ---- answers ------------------------------------------------------------------------------ */

static void answer_row(struct group *g, const struct kg_row *row, const char *line, size_t *number)
{
    struct kg_buf *out = &g->run.out.buf;
    struct kg_outcome what = {.bad = row->answered, .verdict = row->verdict};
    if (row->answered) {
        kg_buf_add(out, line, row->len);
        kg_buf_addc(out, '\n');
    } else {
        kg_edits_reset(&g->edits);
        if (g->ops->emit(g->ctx, (*number)++, &g->edits) == KG_LOOP_KEEP)
            kg_rows_write(&g->rows, row, line, &g->edits, out);
    }
    kg_jsonl_added(&g->run.out);
    kg_run_count(&g->run, &what, NULL, 0);
}

/* JUDGE_FAULT for a row that could not be handled */
static void excuse_row(struct group *g, const struct kg_row *row, const char *line, const char *why)
{
    struct kg_buf *out = &g->run.out.buf;
    struct kg_outcome what = {.bad = row->answered, .verdict = KG_JUDGE_FAULT};
    struct kg_buf padded = KG_BUF_INIT;
    struct kg_error err = KG_ERROR_INIT;
    kg_buf_add(&padded, line, row->len);
    memset(kg_buf_reserve(&padded, KG_JSON_PADDING), 0, KG_JSON_PADDING);
    if (row->answered) {
        kg_buf_add(out, line, row->len);
        kg_buf_addc(out, '\n');
        what.verdict = row->verdict;
    } else if (!kg_record_parse(&g->record, "", 0, padded.data, row->len, &err)) {
        kg_record_answer(&g->record, KG_JUDGE_FAULT, why, g->ops->own);
        kg_record_write(&g->record, out);
    } else {
        tell(&err);
    }
    kg_buf_release(&padded);
    kg_jsonl_added(&g->run.out);
    kg_run_count(&g->run, &what, NULL, 0);
}

/* Answers the batch and forgets it. why: NULL, or the reason why no row was handled. */
static void answer_batch(struct group *g, const char *why)
{
    size_t number = 0;
    for (size_t i = 0; i < g->rows.n && !g->run.out.failed; i++) {
        const struct kg_row *row = &g->rows.row[i];
        struct kg_error err = KG_ERROR_INIT;
        const char *line = kg_rows_line(&g->rows, row, &err);
        if (!line) {
            tell(&err);
            break;
        }
        if (why)
            excuse_row(g, row, line, why);
        else
            answer_row(g, row, line, &number);
    }
}

static void close_batch(struct group *g)
{
    struct kg_error err = KG_ERROR_INIT;
    if (!g->rows.n)
        return;
    if (kg_stop_wanted()) {
        answer_batch(g, "interrupted");
    } else if (g->ops->close(g->ctx, g->n_rows, &err)) {
        if (!err.code)
            kg_error_set(&err, KG_E_INTERNAL, "the batch could not be computed");
        tell(&err);
        answer_batch(g, err.text);
    } else {
        answer_batch(g, NULL);
    }
    kg_rows_reset(&g->rows);
    kg_keys_reset(g->keys, streams(g));
    g->n_rows = 0;
    g->last_uid = NULL;
}

/* ---- taking ------------------------------------------------------------------------------- */

/* The answer to a record with a fault, at once. */
static void answer_bad(struct group *g)
{
    kg_run_fault(&g->run, &g->record, NULL);
    kg_record_write(&g->record, &g->run.out.buf);
    kg_jsonl_added(&g->run.out);
    kg_run_count(&g->run, &(struct kg_outcome){.bad = true, .verdict = KG_BAD_RECORD}, NULL, 0);
}

/* A record with a fault waits for its turn as the answer that it is; -1: the run cannot go on. */
static int keep_bad(struct group *g)
{
    struct kg_buf b = KG_BUF_INIT;
    struct kg_error err = KG_ERROR_INIT;
    if (!g->rows.n && streams(g)) {
        answer_bad(g); /* nothing is before it */
        return 0;
    }
    kg_run_fault(&g->run, &g->record, NULL);
    kg_record_write(&g->record, &b);
    int rc = kg_rows_add_answer(&g->rows, b.data, b.len - 1, KG_BAD_RECORD, &err);
    kg_buf_release(&b);
    if (rc)
        tell(&err);
    return rc;
}

/* Makes the record, whose key was read, a row of the batch. -1: the run cannot go on. */
static int take(struct group *g, struct kg_row_key *key, uint32_t file, uint64_t offset)
{
    struct kg_record *r = &g->record;
    struct kg_error err = KG_ERROR_INIT;
    int verdict = kg_run_verdict(&g->run, r);
    if (r->error.code || !kg_keys_add(g->keys, r, key))
        return keep_bad(g);
    if (kg_rows_add(&g->rows, r, file, offset, verdict, &err)) {
        tell(&err);
        return -1;
    }
    if (r->error.code)
        return keep_bad(g);
    g->ops->take(g->ctx, r, key, g->n_rows);
    if (r->error.code) {
        kg_rows_pop(&g->rows);
        return keep_bad(g);
    }
    g->n_rows++;
    return 0;
}

static int take_line(struct group *g, const struct kg_jsonl_line *line)
{
    struct kg_row_key key;
    struct kg_record *r = &g->record;
    bool good = kg_keys_read(g->keys, r, &key);
    if (good && g->run.o->grouped && key.uid != g->last_uid) {
        if (g->last_uid)
            close_batch(g); /* keys die with it: read them again */
        good = kg_keys_read(g->keys, r, &key) && kg_keys_is_open(g->keys, r, &key);
        g->last_uid = good ? key.uid : NULL;
    }
    return good ? take(g, &key, kg_rows_file(&g->rows, &g->run.in), line->offset) : keep_bad(g);
}

/* ---- --group-size ------------------------------------------------------------------------- */

static int replay(struct group *g, struct kg_pending *p)
{
    int rc = 0;
    for (size_t i = 0; i < p->n && !rc; i++) {
        struct kg_row_key key;
        struct kg_jsonl_line line = kg_pending_line(p, i);
        rc = kg_run_parse(&g->record, p->line[i].source, &line, NULL) ? 0 : -1;
        if (!rc && kg_keys_read(g->keys, &g->record, &key))
            rc = take(g, &key, KG_ROWS_SPOOL, 0);
    }
    close_batch(g);
    kg_pending_free(&g->pending, p);
    return rc;
}

/* What is neither true nor false would be a trajectory that never ends: a fault. */
static bool read_done(struct kg_record *r)
{
    const struct kg_value *v = kg_record_get(r, "done");
    if (v && v->type != KG_VALUE_BOOL && v->type != KG_VALUE_NULL)
        kg_record_fault(r, "field 'done' must be true or false, not %s",
                        v->type == KG_VALUE_NUMBER ? v->text : kg_value_type_name(v));
    return kg_value_bool(v, false) && !r->error.code;
}

static int gather_line(struct group *g)
{
    struct kg_row_key key;
    struct kg_record *r = &g->record;
    bool good = kg_keys_read(g->keys, r, &key) && kg_keys_is_open(g->keys, r, &key);
    bool done = good && read_done(r);
    if (!good || r->error.code) {
        answer_bad(g);
        return 0;
    }
    struct kg_pending *p = kg_pending_of(&g->pending, &key);
    kg_pending_add(p, r);
    if (done)
        kg_pending_done(p, &key);
    kg_keys_reset(g->keys, false);
    return p->n_done >= (size_t)g->run.o->group_size ? replay(g, p) : 0;
}

/* ---- the loop ----------------------------------------------------------------------------- */

static int read_all(struct group *g)
{
    static const struct kg_outcome rejected = {.bad = true, .reject = true, .verdict = -1};
    struct kg_jsonl_line line;
    while (!kg_run_over(&g->run) && kg_jsonl_next(&g->run.in, &line)) {
        if (!kg_run_parse(&g->record, g->run.in.source, &line, NULL)) {
            kg_run_count(&g->run, &rejected, line.text, line.len);
            continue;
        }
        if (g->run.o->group_size ? gather_line(g) : take_line(g, &line))
            return -1;
    }
    return 0;
}

static int check_options(const struct kg_loop_opts *o, const struct kg_group_ops *ops)
{
    if (ops->whole_batch && (o->grouped || o->group_size))
        kg_msg_error("%s needs the whole input: %s cannot be used", ops->why,
                     o->grouped ? "--grouped" : "--group-size");
    else if (o->grouped && o->group_size)
        kg_msg_error("--grouped and --group-size cannot be used together");
    else
        return 0;
    return KG_EXIT_INPUT;
}

static void warn_singletons(const struct group *g)
{
    size_t groups;
    if (kg_keys_all_single(g->keys, &groups))
        kg_msg_warn("each of the %zu groups has one trajectory: is '%s' the key of the prompt? "
                    "(--uid-key KEY)",
                    groups, g->run.o->uid_key ? g->run.o->uid_key : "uid");
}

int kg_loop_group(const struct kg_loop_opts *o, const struct kg_group_ops *ops, void *ctx)
{
    struct group g = {.ops = ops, .ctx = ctx};
    int status = check_options(o, ops);
    if (!status)
        status = kg_run_begin(&g.run, o, ops->own);
    if (status)
        return status;
    g.keys = kg_keys_new(o);
    kg_rows_init(&g.rows, ops->own);
    kg_edits_init(&g.edits, ops->own);
    kg_record_init(&g.record);
    read_all(&g);
    close_batch(&g);
    while (g.pending.oldest && !g.run.out.failed)
        replay(&g, g.pending.oldest);
    kg_pendings_release(&g.pending);
    warn_singletons(&g);
    kg_record_release(&g.record);
    kg_edits_release(&g.edits);
    kg_rows_release(&g.rows);
    kg_keys_free(g.keys);
    return kg_run_end(&g.run);
}
