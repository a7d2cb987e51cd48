#include "record/rows.h"
#include "base/jsonout.h"
#include "base/mem.h"
#include "base/num.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t count_keys(const char *const *own)
{
    size_t n = 0;
    while (own && own[n])
        n++;
    return n;
}

void kg_rows_init(struct kg_rows *rows, const char *const *own)
{
    memset(rows, 0, sizeof *rows);
    rows->own = own;
    rows->n_own = count_keys(own);
    rows->window.fd = -1;
    kg_spool_init(&rows->spool);
}

void kg_rows_release(struct kg_rows *rows)
{
    for (size_t i = 0; i < rows->n_files; i++)
        if (rows->file[i].fd > STDIN_FILENO)
            close(rows->file[i].fd);
    free(rows->row);
    free(rows->range);
    free(rows->file);
    kg_spool_release(&rows->spool);
    kg_window_release(&rows->window);
}

void kg_rows_reset(struct kg_rows *rows)
{
    rows->n = rows->n_ranges = 0;
    kg_spool_reset(&rows->spool);
}

/* ---- keeping ------------------------------------------------------------------------------ */

uint32_t kg_rows_file(struct kg_rows *rows, const struct kg_jsonl_reader *in)
{
    if (!in->regular)
        return KG_ROWS_SPOOL;
    if (rows->n_files && rows->file[rows->n_files - 1].name == in->files[in->at])
        return (uint32_t)rows->n_files - 1;
    struct kg_rows_file f = {.name = in->files[in->at], .fd = -1};
    if (fstat(in->fd, &f.st))
        return KG_ROWS_SPOOL;
    if (!strcmp(f.name, "-"))
        f.fd = STDIN_FILENO;
    rows->file = kg_mem_grow(rows->file, rows->n_files, &rows->cap_files, sizeof *rows->file);
    rows->file[rows->n_files++] = f;
    return (uint32_t)rows->n_files - 1;
}

static void note_ranges(struct kg_rows *rows, struct kg_row *row, struct kg_record *r)
{
    row->first_range = (uint32_t)rows->n_ranges;
    for (size_t i = 0; i < r->n_members; i++) {
        const struct kg_json_member *m = &r->members[i];
        for (size_t k = 0; k < rows->n_own; k++) {
            if (strlen(rows->own[k]) != m->key_len || memcmp(rows->own[k], m->key, m->key_len))
                continue;
            for (size_t d = row->first_range; d < rows->n_ranges; d++)
                if (rows->range[d].key == k)
                    kg_record_fault(r, "duplicate key '%s'", rows->own[k]);
            rows->range =
                kg_mem_grow(rows->range, rows->n_ranges, &rows->cap_ranges, sizeof *rows->range);
            rows->range[rows->n_ranges++] = (struct kg_range){
                .begin = (uint32_t)m->begin, .end = (uint32_t)m->end, .key = (uint32_t)k};
            if (row->n_ranges < UINT8_MAX)
                row->n_ranges++;
        }
    }
    if (r->error.code)
        rows->n_ranges = row->first_range;
}

static void push(struct kg_rows *rows, const struct kg_row *row)
{
    rows->row = kg_mem_grow(rows->row, rows->n, &rows->cap, sizeof *rows->row);
    rows->row[rows->n++] = *row;
}

int kg_rows_add(struct kg_rows *rows, struct kg_record *r, uint32_t file, uint64_t offset,
                int verdict, struct kg_error *err)
{
    struct kg_row row = {.at = offset,
                         .len = (uint32_t)r->len,
                         .close = (uint32_t)kg_json_close(r->json),
                         .file = file,
                         .verdict = (int8_t)verdict,
                         .empty = r->n_members == 0};
    note_ranges(rows, &row, r);
    if (r->error.code)
        return 0;
    if (file == KG_ROWS_SPOOL && kg_spool_add(&rows->spool, r->line, r->len, &row.at, err))
        return -1;
    push(rows, &row);
    return 0;
}

void kg_rows_pop(struct kg_rows *rows)
{
    rows->n_ranges = rows->row[--rows->n].first_range;
}

int kg_rows_add_answer(struct kg_rows *rows, const char *line, size_t len, int verdict,
                       struct kg_error *err)
{
    struct kg_row row = {.len = (uint32_t)len,
                         .file = KG_ROWS_SPOOL,
                         .first_range = (uint32_t)rows->n_ranges,
                         .verdict = (int8_t)verdict,
                         .answered = true};
    if (kg_spool_add(&rows->spool, line, len, &row.at, err))
        return -1;
    push(rows, &row);
    return 0;
}

/* ---- reading again ------------------------------------------------------------------------ */

static int open_again(struct kg_rows *rows, struct kg_rows_file *f, struct kg_error *err)
{
    for (size_t i = 0; i < rows->n_files; i++) /* rows come in order: one file at a time */
        if (rows->file[i].fd > STDIN_FILENO) {
            close(rows->file[i].fd);
            rows->file[i].fd = -1;
            rows->window.fd = -1;
        }
    f->fd = open(f->name, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0)
        return kg_error_errno(err, KG_E_INPUT, "cannot open '%s' again", f->name);
    struct stat st;
    if (fstat(f->fd, &st))
        return kg_error_errno(err, KG_E_INPUT, "cannot read '%s' again", f->name);
    if (st.st_dev != f->st.st_dev || st.st_ino != f->st.st_ino || st.st_size < f->st.st_size ||
        st.st_mtim.tv_sec != f->st.st_mtim.tv_sec || st.st_mtim.tv_nsec != f->st.st_mtim.tv_nsec)
        return kg_error_set(err, KG_E_INPUT, "'%s' was changed while it was read", f->name);
    return 0;
}

const char *kg_rows_line(struct kg_rows *rows, const struct kg_row *row, struct kg_error *err)
{
    if (row->file == KG_ROWS_SPOOL)
        return kg_spool_get(&rows->spool, row->at, row->len, err);
    struct kg_rows_file *f = &rows->file[row->file];
    if (f->fd < 0 && open_again(rows, f, err))
        return NULL;
    return kg_window_get(&rows->window, f->fd, row->at, row->len, err);
}

/* ---- writing ------------------------------------------------------------------------------ */

void kg_rows_write(const struct kg_rows *rows, const struct kg_row *row, const char *line,
                   const struct kg_edits *e, struct kg_buf *out)
{
    size_t done = 0;
    bool first = row->empty;
    uint64_t there = 0; /* own keys that stand in the line */
    for (size_t i = 0; i < row->n_ranges; i++) {
        const struct kg_range *g = &rows->range[row->first_range + i];
        there |= (uint64_t)1 << g->key;
        if (!e->set[g->key])
            continue;
        kg_buf_add(out, line + done, g->begin - done);
        kg_buf_add(out, e->text[g->key].data, e->text[g->key].len);
        done = g->end;
    }
    kg_buf_add(out, line + done, row->close - done);
    for (size_t k = 0; k < e->n; k++) {
        if (!e->set[k] || (there >> k & 1))
            continue;
        if (!first)
            kg_buf_addc(out, ',');
        first = false;
        kg_jsonout_quote(out, e->own[k], strlen(e->own[k]));
        kg_buf_addc(out, ':');
        kg_buf_add(out, e->text[k].data, e->text[k].len);
    }
    kg_buf_add(out, line + row->close, row->len - row->close);
    kg_buf_addc(out, '\n');
}

void kg_edits_init(struct kg_edits *e, const char *const *own)
{
    e->own = own;
    e->n = count_keys(own);
    assert(e->n <= 64);
    e->text = kg_mem_array(e->n, sizeof *e->text);
    e->set = kg_mem_array(e->n, sizeof *e->set);
}

void kg_edits_release(struct kg_edits *e)
{
    for (size_t k = 0; k < e->n; k++)
        kg_buf_release(&e->text[k]);
    free(e->text);
    free(e->set);
}

void kg_edits_reset(struct kg_edits *e)
{
    for (size_t k = 0; k < e->n; k++)
        e->set[k] = false;
}

/* the buffer for a key's new text; a key that is not in 'own' is a fault of the program */
static struct kg_buf *text_of(struct kg_edits *e, const char *key)
{
    size_t k = 0;
    while (k < e->n && e->own[k] != key && strcmp(e->own[k], key))
        k++;
    assert(k < e->n);
    e->set[k] = true;
    kg_buf_reset(&e->text[k]);
    return &e->text[k];
}

void kg_edits_json(struct kg_edits *e, const char *key, const char *json, size_t len)
{
    kg_buf_add(text_of(e, key), json, len);
}

void kg_edits_num(struct kg_edits *e, const char *key, double x)
{
    kg_num_add(text_of(e, key), x);
}

void kg_edits_int(struct kg_edits *e, const char *key, int64_t v)
{
    char text[KG_NUM_TEXT];
    kg_edits_json(e, key, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)v));
}

void kg_edits_bool(struct kg_edits *e, const char *key, int b)
{
    kg_buf_adds(text_of(e, key), b < 0 ? "null" : b ? "true" : "false");
}

void kg_edits_str(struct kg_edits *e, const char *key, const char *s)
{
    struct kg_buf *b = text_of(e, key);
    if (s)
        kg_jsonout_quote(b, s, strlen(s));
    else
        kg_buf_adds(b, "null");
}
