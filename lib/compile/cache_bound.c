/* Keeping the cache small: its own file, since nothing else walks the folders. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bound.h"
#include "base/fs.h"
#include "base/mem.h"
#include "compile/cache.h"

#define STALE_TEMP_S 3600 /* a temporary file or lock this old has no owner any more */

static const char *const suffixes[] = {".json", ".so", ".cubin"};

static bool is_known(const char *suffix)
{
    bool known = false;
    for (size_t i = 0; suffix && i < sizeof suffixes / sizeof *suffixes; i++)
        known = known || !strcmp(suffix, suffixes[i]);
    return known;
}

static void scan_folder(const char *dir, time_t now, struct kg_bound *b)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        const char *dot = strchr(e->d_name, '.');
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(st.st_mode))
            continue;
        if (is_known(dot))
            kg_bound_add(b, kg_mem_printf("%s/%.*s", dir, (int)(dot - e->d_name), e->d_name), &st);
        else if (dot && strcmp(dot, ".lock") && now - st.st_mtime > STALE_TEMP_S)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d)
        closedir(d);
}

static void drop(const char *stem)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *path = kg_mem_printf("%s%s", stem, suffixes[i]);
        unlink(path);
        free(path);
    }
}

static void shrink(const char *dir, int64_t bytes)
{
    struct kg_bound b = KG_BOUND_INIT;
    time_t now = time(NULL);
    for (int i = 0; i < 256; i++) {
        char *sub = kg_mem_printf("%s/%02x", dir, i);
        scan_folder(sub, now, &b);
        free(sub);
    }
    kg_bound_shrink(&b, bytes, drop);
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
