#include "record/jsonl.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/msg.h"
#include "record/json.h"
#include "record/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES  ((size_t)256 << 10) /* room for each read */
#define FLUSH_BYTES ((size_t)256 << 10)

static const char *name_of(const char *file)
{
    return strcmp(file, "-") ? file : "<stdin>";
}

static bool is_pipe(const struct stat *st)
{
    return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode);
}

int kg_jsonl_stat(const char *file, struct stat *st)
{
    return strcmp(file, "-") ? stat(file, st) : fstat(STDIN_FILENO, st);
}

void kg_jsonl_open(struct kg_jsonl_reader *r, char **files, int n)
{
    static char *stdin_only[] = {(char *)"-"};
    memset(r, 0, sizeof *r);
    r->files = n ? files : stdin_only;
    r->n_files = n ? n : 1;
    r->at = -1;
    r->fd = -1;
    r->cap = 2 * READ_BYTES;
    r->buf = kg_mem_zalloc(r->cap + KG_JSON_PADDING);
    for (int i = 0; i < r->n_files; i++) {
        struct stat st;
        bool known = !kg_jsonl_stat(r->files[i], &st);
        if (!i) /* a signal may come before it is opened */
            kg_stop_drains(known && is_pipe(&st));
        if (!known || !S_ISREG(st.st_mode)) {
            r->size = 0;
            break;
        }
        r->size += (uint64_t)st.st_size;
    }
}

static void tell(struct kg_jsonl_reader *r, const char *what)
{
    kg_msg_error("cannot %s '%s': %s", what, r->source, strerror(errno));
    r->faults++;
}

static void close_file(struct kg_jsonl_reader *r)
{
    if (r->fd > STDIN_FILENO)
        close(r->fd);
    r->fd = -1;
}

/* The next operand that can be opened; false: none is left, or a stop. */
static bool open_next(struct kg_jsonl_reader *r)
{
    close_file(r);
    while (++r->at < r->n_files) {
        const char *file = r->files[r->at];
        struct stat st;
        r->source = name_of(file);
        r->fd = strcmp(file, "-") ? open(file, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
        if (r->fd < 0 && errno == EINTR && kg_stop_signal())
            return false; /* nobody writes to the pipe yet */
        if (r->fd < 0 || fstat(r->fd, &st)) {
            tell(r, "open");
            close_file(r);
            continue;
        }
        kg_stop_drains(is_pipe(&st));
        if (kg_stop_wanted())
            return false;
        off_t start = S_ISREG(st.st_mode) ? lseek(r->fd, 0, SEEK_CUR) : -1;
        r->regular = start >= 0;
        r->offset = start > 0 ? (uint64_t)start : 0;
        r->begin = r->end = r->searched = 0;
        r->line_no = 0;
        r->eof = r->skipping = false;
        return true;
    }
    return false;
}

/* Room for READ_BYTES at the end, or as much as the longest line still allows. */
static void make_room(struct kg_jsonl_reader *r)
{
    size_t held = r->end - r->begin;
    if (r->begin && r->cap - r->end < READ_BYTES) {
        memmove(r->buf, r->buf + r->begin, held);
        r->searched -= r->begin;
        r->begin = 0;
        r->end = held;
    }
    if (r->cap - r->end >= READ_BYTES)
        return;
    r->cap *= 2;
    r->buf = kg_mem_realloc(r->buf, r->cap + KG_JSON_PADDING);
}

static bool ready(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) != 0;
}

/* Reads once. false: nothing more comes (end, error, or a stop). */
static bool fill(struct kg_jsonl_reader *r)
{
    make_room(r);
    if (kg_stop_wanted())
        return false;
    if (!r->regular && !ready(r->fd)) {
        if (r->before_wait)
            r->before_wait(r->ctx);
        if (!kg_stop_wait(r->fd))
            return false;
    }
    ssize_t n;
    do {
        n = read(r->fd, r->buf + r->end, r->cap - r->end);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN) && !kg_stop_wanted() &&
             (errno == EINTR || kg_stop_wait(r->fd)));
    if (n < 0 && !kg_stop_wanted())
        tell(r, "read");
    if (n <= 0)
        return false;
    r->end += (size_t)n;
    r->done += (uint64_t)n;
    return true;
}

static void drop(struct kg_jsonl_reader *r, size_t n)
{
    r->begin += n;
    r->offset += n;
    r->searched = r->begin;
}

/* n more bytes of a line that is too long, 0: its end. Told once. */
static void skip(struct kg_jsonl_reader *r, const char *bytes, size_t n)
{
    if (!r->skipping) {
        kg_msg_at(r->source, r->line_no + 1, "the line is longer than %zu MiB: skipped",
                  KG_JSONL_LINE_MAX >> 20);
        r->faults++;
    }
    r->skipping = n > 0;
    if (r->too_long)
        r->too_long(r->ctx, bytes, n);
}

/* A line whose end is not read yet is too long already: its bytes are dropped as they come. */
static void check_length(struct kg_jsonl_reader *r)
{
    size_t held = r->end - r->begin;
    if (!held || (!r->skipping && held <= KG_JSONL_LINE_MAX + 1)) /* 1: it may be a CR */
        return;
    skip(r, r->buf + r->begin, held);
    drop(r, held);
}

/* Bytes to the next line end (which is there), or to the end of the file. false: no line is left.
 */
static bool find_end(struct kg_jsonl_reader *r, size_t *n, bool *newline)
{
    for (;;) {
        char *nl = memchr(r->buf + r->searched, '\n', r->end - r->searched);
        if (nl) {
            *n = (size_t)(nl - (r->buf + r->begin));
            *newline = true;
            return true;
        }
        r->searched = r->end;
        check_length(r);
        if (r->eof || !fill(r)) {
            r->eof = true;
            *n = r->end - r->begin;
            *newline = false;
            return (*n > 0 || r->skipping) && !kg_stop_wanted();
        }
    }
}

static bool is_blank(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
            return false;
    return true;
}

bool kg_jsonl_next(struct kg_jsonl_reader *r, struct kg_jsonl_line *line)
{
    while (!kg_stop_wanted()) {
        size_t n;
        bool newline;
        if (r->fd < 0 || !find_end(r, &n, &newline)) {
            if (kg_stop_wanted() || !open_next(r))
                break;
            continue;
        }
        line->text = r->buf + r->begin;
        line->len = n;
        line->no = r->line_no + 1;
        line->offset = r->offset;
        drop(r, n + newline);
        if (line->len && line->text[line->len - 1] == '\r')
            line->len--;
        bool skipped = r->skipping || line->len > KG_JSONL_LINE_MAX;
        if (skipped && line->len)
            skip(r, line->text, line->len);
        if (skipped)
            skip(r, "", 0);
        r->line_no++;
        if (!skipped && !is_blank(line->text, line->len))
            return true;
    }
    return false;
}

void kg_jsonl_close(struct kg_jsonl_reader *r)
{
    close_file(r);
    free(r->buf);
    r->buf = NULL;
}

/* ---- writer ------------------------------------------------------------------------------- */

void kg_jsonl_writer_init(struct kg_jsonl_writer *w, int fd, const char *name)
{
    memset(w, 0, sizeof *w);
    w->name = name;
    w->fd = fd;
}

static void lost(struct kg_jsonl_writer *w)
{
    if (errno == EPIPE)
        w->closed = true;
    else if (!w->failed)
        kg_msg_error("cannot write to %s: %s", w->name, strerror(errno));
    w->failed = true;
}

void kg_jsonl_flush(struct kg_jsonl_writer *w)
{
    if (w->buf.len && !w->failed && kg_fs_write_all(w->fd, w->buf.data, w->buf.len))
        lost(w);
    kg_buf_reset(&w->buf);
}

void kg_jsonl_write(struct kg_jsonl_writer *w, const char *bytes, size_t n)
{
    kg_jsonl_flush(w);
    if (!w->failed && kg_fs_write_all(w->fd, bytes, n))
        lost(w);
}

void kg_jsonl_added(struct kg_jsonl_writer *w)
{
    if (w->buf.len >= FLUSH_BYTES)
        kg_jsonl_flush(w);
}

void kg_jsonl_writer_end(struct kg_jsonl_writer *w)
{
    kg_jsonl_flush(w);
    int copy = w->failed ? -1 : dup(w->fd); /* the descriptor itself stays: others may use it */
    if (copy >= 0 && close(copy))
        lost(w);
    kg_buf_release(&w->buf);
}
