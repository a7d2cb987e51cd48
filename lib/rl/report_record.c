#include "rl/report_record.h"

#include "base/exit.h"
#include "base/mem.h"
#include "base/msg.h"
#include "record/loop.h"
#include "rl/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(struct kg_report_run *run, const char *s, size_t n)
{
    return kg_intern_text(&run->texts, kg_intern(&run->texts, s, n, NULL));
}

/* A string as it is, anything else as JSON; NULL for nothing. */
static const char *shown(struct kg_report_run *run, const struct kg_value *v)
{
    struct kg_buf b = KG_BUF_INIT;
    if (!v || v->type == KG_VALUE_NULL)
        return NULL;
    if (v->type == KG_VALUE_STRING)
        return text_of(run, v->text, v->len);
    kg_value_json(v, &b);
    const char *s = text_of(run, kg_buf_str(&b), b.len);
    kg_buf_release(&b);
    return s;
}

/* "s7" for the string, "i7" for the integer; appended with its length, so that keys cannot run
 * together. false: neither. */
static bool add_key(struct kg_buf *key, const struct kg_value *v)
{
    int64_t i;
    if (kg_value_is(v, KG_VALUE_STRING)) {
        kg_buf_addf(key, "s%zu:", v->len);
        kg_buf_add(key, v->text, v->len);
        return true;
    }
    if (!kg_value_int(v, &i))
        return false;
    kg_buf_addf(key, "i%" PRId64 ":", i);
    return true;
}

static bool read_group(struct kg_report_run *run, struct kg_record *r, struct kg_report_row *row)
{
    const char *uid_key = run->uid_key ? run->uid_key : "uid";
    const char *uid_name = uid_key, *task_name = "task_id"; /* where each was found */
    const struct kg_value *task = kg_record_get(r, "task_id");
    const struct kg_value *uid = kg_record_get(r, uid_key);
    if (kg_value_is(task, KG_VALUE_NULL))
        task = NULL;
    if (!uid || uid->type == KG_VALUE_NULL) {
        uid = task;
        uid_name = task_name;
    }
    if (!task) {
        task = uid;
        task_name = uid_name;
    }
    if (!uid) {
        kg_record_fault(r, "missing field '%s'", uid_key);
        return false;
    }
    kg_buf_reset(&run->key);
    if (!add_key(&run->key, task)) {
        kg_record_fault(r, "'%s' is %s, neither a string nor an integer", task_name,
                        kg_value_type_name(task));
        return false;
    }
    row->task_id = kg_intern(&run->tasks, kg_buf_str(&run->key), run->key.len, NULL);
    row->task = shown(run, task);
    kg_buf_reset(&run->key);
    if (!add_key(&run->key, uid)) {
        kg_record_fault(r, "'%s' is %s, neither a string nor an integer", uid_name,
                        kg_value_type_name(uid));
        return false;
    }
    return true;
}

static bool read_turn(struct kg_report_run *run, struct kg_record *r, struct kg_report_row *row)
{
    const char *name = run->turn_key ? run->turn_key : "turn";
    const struct kg_value *v = kg_record_get(r, name);
    row->turn = 1;
    if (!v || v->type == KG_VALUE_NULL || kg_value_int(v, &row->turn))
        return true;
    kg_record_fault(r, "'%s' is %s, not a whole number", name, kg_value_type_name(v));
    return false;
}

/* The trajectory of a record that names none: how many of its group and turn came before. */
static uint32_t nth(struct kg_report_run *run, int64_t turn)
{
    struct kg_buf key = KG_BUF_INIT;
    bool is_new;
    kg_buf_add(&key, run->key.data, run->key.len);
    kg_buf_addf(&key, "t%" PRId64, turn);
    uint32_t i = kg_intern(&run->counters, key.data, key.len, &is_new);
    kg_buf_release(&key);
    if (is_new) {
        run->count = kg_mem_grow(run->count, i, &run->count_cap, sizeof *run->count);
        run->count[i] = 0;
    }
    return run->count[i]++;
}

/* run->key holds the group; makes it the sample. */
static bool read_sample(struct kg_report_run *run, struct kg_record *r, struct kg_report_row *row)
{
    const char *name = run->traj_key ? run->traj_key : "traj";
    const struct kg_value *v = kg_record_get(r, name);
    if (!v || v->type == KG_VALUE_NULL) {
        struct kg_buf text = KG_BUF_INIT;
        uint32_t i = nth(run, row->turn);
        kg_buf_addf(&text, "%" PRIu32, i);
        row->traj = text_of(run, text.data, text.len);
        kg_buf_addf(&run->key, "n%" PRIu32 ":", i);
        kg_buf_release(&text);
    } else if (add_key(&run->key, v)) {
        row->traj = shown(run, v);
    } else {
        kg_record_fault(r, "'%s' is %s, neither a string nor an integer", name,
                        kg_value_type_name(v));
        return false;
    }
    row->sample_id = kg_intern(&run->samples, kg_buf_str(&run->key), run->key.len, NULL);
    return true;
}

/* true: the first of its (sample, turn) */
static bool enter_turn(struct kg_report_run *run, struct kg_record *r,
                       const struct kg_report_row *row)
{
    bool is_new;
    if (row->turn < 1)
        return true; // padding: there may be several
    kg_buf_addf(&run->key, "t%" PRId64, row->turn);
    uint32_t i = kg_intern(&run->turns, kg_buf_str(&run->key), run->key.len, &is_new);
    if (!is_new) {
        kg_record_fault(r, "the same group, trajectory and turn as %s:%zu", run->first_source[i],
                        run->first_line[i]);
        return false;
    }
    run->first_line = kg_mem_grow(run->first_line, i, &run->lines_cap, sizeof *run->first_line);
    run->first_line[i] = r->line_no;
    run->first_source =
        kg_mem_grow(run->first_source, i, &run->sources_cap, sizeof *run->first_source);
    run->first_source[i] = text_of(run, r->source, strlen(r->source));
    return true;
}

static void read_kept(struct kg_report_run *run, struct kg_record *r, struct kg_report_row *row)
{
    const struct kg_value *s = kg_record_get(r, "sampling");
    const struct kg_value *keep = kg_value_get(s, "keep");
    row->kept = -1;
    if (kg_value_is(keep, KG_VALUE_BOOL))
        row->kept = keep->boolean;
    else if (kg_value_is(keep, KG_VALUE_NUMBER))
        row->kept = keep->number != 0;
    row->reason = shown(run, kg_value_get(s, "reason"));
}

static enum kg_report_kind kind_of(struct kg_record *r, const struct kg_report_row *row,
                                   const struct kg_result *res)
{
    if (row->turn < 1)
        return KG_ROW_PADDING;
    const struct kg_value *mask = kg_record_get(r, "mask");
    if (kg_value_num(mask, 1) == 0 || !kg_value_bool(mask, true))
        return KG_ROW_MASKED;
    if (res->in.outcome == KG_OUTCOME_NOT_JUDGED)
        return KG_ROW_UNJUDGED;
    switch (kg_verdict_class(row->verdict)) {
    case KG_CLASS_OURS:
        return KG_ROW_OURS;
    case KG_CLASS_TASK:
        return KG_ROW_TASK;
    default:
        return KG_ROW_JUDGED;
    }
}

/* NaN for what is no finite number. */
static double finite(const struct kg_value *v)
{
    double x = kg_value_num(v, NAN);
    return isfinite(x) ? x : NAN;
}

static void read_answer(struct kg_report_run *run, struct kg_record *r, struct kg_report_row *row)
{
    struct kg_result res;
    if (kg_result_read(r, &res))
        return;
    kg_result_check_ranges(&res); // of KernelGYM's results too: a mean of inf says nothing
    row->status = shown(run, kg_record_get(r, "status"));
    row->verdict = kg_result_verdict(r, &res);
    row->correct = res.correct;
    row->compiled = res.in.compiled;
    row->speedup = res.correct ? res.in.speedup : NAN; // of a wrong result it means nothing
    row->time_coverage = res.in.coverage.time;
    row->count_coverage = res.in.coverage.count;
    row->reward = finite(kg_record_get(r, "reward"));
    row->advantage = finite(kg_record_get(r, "advantage"));
    row->kind = kind_of(r, row, &res);
    read_kept(run, r, row);
    if (run->by) {
        const char *s = shown(run, kg_record_path(r, run->by));
        row->by = s ? s : text_of(run, "(none)", strlen("(none)"));
    }
}

int kg_report_run_map(void *ctx, struct kg_record *r)
{
    struct kg_report_run *run = ctx;
    struct kg_report_row row = {0};
    kg_named_keys_note(&run->named, r);
    if (read_group(run, r, &row) && read_turn(run, r, &row) && read_sample(run, r, &row) &&
        enter_turn(run, r, &row))
        read_answer(run, r, &row);
    if (r->error.code) {
        // told here: the loop would answer with a BAD_RECORD on stdout, which is the report's
        kg_msg_at(r->source, r->line_no, "%s", r->error.text);
        kg_error_clear(&r->error);
        kg_loop_status(KG_EXIT_INPUT);
        return KG_LOOP_DROP;
    }
    run->rows = kg_mem_grow(run->rows, run->n, &run->cap, sizeof *run->rows);
    run->rows[run->n++] = row;
    return KG_LOOP_DROP;
}

void kg_report_run_release(struct kg_report_run *run)
{
    struct kg_intern *all[] = {&run->texts, &run->tasks, &run->samples, &run->turns,
                               &run->counters};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        kg_intern_release(all[i]);
    free(run->rows);
    free(run->first_line);
    free(run->first_source);
    free(run->count);
    kg_buf_release(&run->key);
    memset(run, 0, sizeof *run);
}
