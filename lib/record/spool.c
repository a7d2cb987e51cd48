#include "record/spool.h"
#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_BYTES ((size_t)1 << 20)

void kg_spool_init(struct kg_spool *s)
{
    memset(s, 0, sizeof *s);
    s->fd = -1;
    s->window.fd = -1;
}

void kg_spool_release(struct kg_spool *s)
{
    if (s->fd >= 0)
        close(s->fd);
    kg_buf_release(&s->mem);
    kg_window_release(&s->window);
    kg_spool_init(s);
}

void kg_spool_reset(struct kg_spool *s)
{
    /* failing to shorten costs disk space only: the file is written from its start again */
    if (s->in_file && ftruncate(s->fd, 0))
        errno = 0;
    s->in_file = 0;
    s->window.fd = -1;
    if (s->mem.cap > 2 * KG_SPOOL_MEMORY)
        kg_buf_release(&s->mem);
    kg_buf_reset(&s->mem);
}

static int open_unnamed(struct kg_error *err)
{
    const char *dir = getenv("TMPDIR");
    if (!dir || !*dir)
        dir = "/tmp";
    char *name = kg_mem_printf("%s/kg-spool-XXXXXX", dir);
    int fd = mkstemp(name);
    if (fd < 0) {
        kg_error_errno(err, KG_E_SYSTEM, "cannot make a temporary file in '%s'", dir);
    } else {
        unlink(name);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    free(name);
    return fd;
}

static int write_out(struct kg_spool *s, struct kg_error *err)
{
    if (s->fd < 0 && (s->fd = open_unnamed(err)) < 0)
        return -1;
    if (lseek(s->fd, (off_t)s->in_file, SEEK_SET) < 0 ||
        kg_fs_write_all(s->fd, s->mem.data, s->mem.len))
        return kg_error_errno(err, KG_E_OUTPUT, "cannot write to a temporary file");
    s->in_file += s->mem.len;
    kg_buf_reset(&s->mem);
    return 0;
}

int kg_spool_add(struct kg_spool *s, const char *bytes, size_t n, uint64_t *at,
                 struct kg_error *err)
{
    if (s->mem.len && s->mem.len + n > KG_SPOOL_MEMORY && write_out(s, err))
        return -1;
    *at = s->in_file + s->mem.len;
    kg_buf_add(&s->mem, bytes, n);
    return 0;
}

const char *kg_spool_get(struct kg_spool *s, uint64_t at, size_t n, struct kg_error *err)
{
    if (at >= s->in_file)
        return kg_buf_str(&s->mem) + (at - s->in_file);
    return kg_window_get(&s->window, s->fd, at, n, err);
}

static int refill(struct kg_window *w, uint64_t at, size_t n, struct kg_error *err)
{
    size_t want = n > WINDOW_BYTES ? n : WINDOW_BYTES;
    if (want > w->cap) {
        free(w->buf);
        w->buf = kg_mem_alloc(want);
        w->cap = want;
    }
    w->at = at;
    w->len = 0;
    while (w->len < n) {
        ssize_t got = pread(w->fd, w->buf + w->len, w->cap - w->len, (off_t)(at + w->len));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return kg_error_errno(err, KG_E_SYSTEM, "cannot read again");
        if (got == 0)
            return kg_error_set(err, KG_E_SYSTEM, "cannot read again: the file has become shorter");
        w->len += (size_t)got;
    }
    return 0;
}

const char *kg_window_get(struct kg_window *w, int fd, uint64_t at, size_t n, struct kg_error *err)
{
    bool inside = w->fd == fd && at >= w->at && at + n <= w->at + w->len;
    w->fd = fd;
    if (!inside && refill(w, at, n, err)) {
        w->fd = -1;
        return NULL;
    }
    return w->buf + (at - w->at);
}

void kg_window_release(struct kg_window *w)
{
    free(w->buf);
    memset(w, 0, sizeof *w);
    w->fd = -1;
}
