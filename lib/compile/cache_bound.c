/* Keeping the cache small: its own file, since nothing else walks the folders. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "compile/cache.h"

#define STALE_TEMP_S 3600 /* a temporary file or lock this old has no owner any more */

struct item {
    char *stem; /* path without suffix */
    int64_t bytes, used_ns;
};

struct list {
    struct item *v;
    size_t n, cap;
    int64_t bytes;
};

static void add(struct list *l, char *stem, int64_t bytes, int64_t used_ns)
{
    l->bytes += bytes;
    for (size_t i = l->n; i-- > 0 && i + 4 > l->n;) /* files of a key are often neighbours */
        if (!strcmp(l->v[i].stem, stem)) {
            l->v[i].bytes += bytes;
            if (used_ns > l->v[i].used_ns)
                l->v[i].used_ns = used_ns;
            free(stem);
            return;
        }
    l->v = kg_mem_grow(l->v, l->n, &l->cap, sizeof *l->v);
    l->v[l->n++] = (struct item){stem, bytes, used_ns};
}

static void scan_folder(const char *dir, time_t now, struct list *l)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        const char *dot = strchr(e->d_name, '.');
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(st.st_mode))
            continue;
        bool known =
            dot && (!strcmp(dot, ".json") || !strcmp(dot, ".so") || !strcmp(dot, ".cubin"));
        if (!known) {
            if (dot && strcmp(dot, ".lock") && now - st.st_mtime > STALE_TEMP_S)
                unlinkat(dirfd(d), e->d_name, 0);
            continue;
        }
        add(l, kg_mem_printf("%s/%.*s", dir, (int)(dot - e->d_name), e->d_name),
            (int64_t)st.st_blocks * 512,
            (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
    }
    if (d)
        closedir(d);
}

static int by_stem(const void *a, const void *b)
{
    return strcmp(((const struct item *)a)->stem, ((const struct item *)b)->stem);
}

static int by_use(const void *a, const void *b)
{
    int64_t x = ((const struct item *)a)->used_ns, y = ((const struct item *)b)->used_ns;
    return (x > y) - (x < y);
}

/* Joins the files of a key that were not neighbours. */
static void join(struct list *l)
{
    size_t n = 0;
    qsort(l->v, l->n, sizeof *l->v, by_stem);
    for (size_t i = 0; i < l->n; i++) {
        if (n && !strcmp(l->v[n - 1].stem, l->v[i].stem)) {
            l->v[n - 1].bytes += l->v[i].bytes;
            if (l->v[i].used_ns > l->v[n - 1].used_ns)
                l->v[n - 1].used_ns = l->v[i].used_ns;
            free(l->v[i].stem);
        } else {
            l->v[n++] = l->v[i];
        }
    }
    l->n = n;
}

static void drop(const char *stem)
{
    static const char *const suffixes[] = {".json", ".so", ".cubin"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *path = kg_mem_printf("%s%s", stem, suffixes[i]);
        unlink(path);
        free(path);
    }
}

static void shrink(const char *dir, int64_t bytes)
{
    struct list l = {0};
    time_t now = time(NULL);
    for (int i = 0; i < 256; i++) {
        char *sub = kg_mem_printf("%s/%02x", dir, i);
        scan_folder(sub, now, &l);
        free(sub);
    }
    if (l.bytes > bytes) {
        join(&l);
        qsort(l.v, l.n, sizeof *l.v, by_use);
        /* a little more than asked for, so that the next file does not start it again */
        for (size_t i = 0; i < l.n && l.bytes > bytes - bytes / 16; i++) {
            drop(l.v[i].stem);
            l.bytes -= l.v[i].bytes;
        }
    }
    for (size_t i = 0; i < l.n; i++)
        free(l.v[i].stem);
    free(l.v);
}

void kg_cache_bound(const char *dir, int64_t bytes, int64_t added)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int64_t since = -1; /* bytes added since the last look; -1: never looked */
    pthread_mutex_lock(&lock);
    bool look = since < 0 || since + added > bytes / 64;
    since = look ? 0 : since + added;
    if (look)
        shrink(dir, bytes);
    pthread_mutex_unlock(&lock);
}
