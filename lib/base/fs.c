#include "base/fs.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int kg_fs_read(const char *path, struct kg_buf *b, struct kg_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return kg_error_errno(err, KG_E_MISSING, "cannot open '%s'", path);
    int rc = 0;
    for (;;) {
        char chunk[16384]; /* a stack may be small */
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rc = kg_error_errno(err, KG_E_SYSTEM, "cannot read '%s'", path);
        if (n <= 0)
            break;
        kg_buf_add(b, chunk, (size_t)n);
        if (b->truncated) {
            rc = kg_error_set(err, KG_E_LIMIT, "'%s' is longer than %zu bytes", path, b->max);
            break;
        }
    }
    close(fd);
    return rc;
}

uint64_t kg_fs_number(const char *path, const char *key)
{
    struct kg_buf b;
    uint64_t n = 0;
    kg_buf_init(&b, (size_t)1 << 20);
    const char *p = kg_fs_read(path, &b, NULL) ? NULL : strstr(kg_buf_str(&b), key);
    for (p = p ? p + strlen(key) : ""; *p == ' '; p++)
        ;
    for (; *p >= '0' && *p <= '9'; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    kg_buf_release(&b);
    return n;
}

int kg_fs_write_all(int fd, const void *data, size_t n)
{
    const char *p = data;
    while (n) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w < 0)
            return -1;
        p += w;
        n -= (size_t)w;
    }
    return 0;
}

/* A device, a pipe or a link to one (/dev/stdout): written as it stands, never replaced. */
static int write_in_place(const char *path, const void *data, size_t n, struct kg_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && !kg_fs_write_all(fd, data, n);
    if ((fd >= 0 && close(fd)) || !written)
        return kg_error_errno(err, KG_E_OUTPUT, "cannot write '%s'", path);
    return 0;
}

int kg_fs_write(const char *path, const void *data, size_t n, unsigned mode, struct kg_error *err)
{
    struct stat st;
    if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return write_in_place(path, data, n, err);
    char *temp = kg_mem_printf("%s.XXXXXX", path);
    int rc = -1, fd = mkstemp(temp);
    if (fd < 0) {
        kg_error_errno(err, KG_E_SYSTEM, "cannot create a file beside '%s'", path);
        free(temp);
        return -1;
    }
    bool written = !kg_fs_write_all(fd, data, n) && !fchmod(fd, (mode_t)mode);
    if (close(fd) || !written || rename(temp, path)) {
        kg_error_errno(err, KG_E_SYSTEM, "cannot write '%s'", path);
        unlink(temp);
    } else {
        rc = 0;
    }
    free(temp);
    return rc;
}

int kg_fs_mkdirs(const char *path, unsigned mode, struct kg_error *err)
{
    char *p = kg_mem_strdup(path);
    int rc = 0;
    for (char *s = p + 1;; s++) {
        char c = *s;
        if (c != '/' && c)
            continue;
        *s = 0;
        if (mkdir(p, (mode_t)mode) && errno != EEXIST)
            rc = -1;
        *s = c;
        if (!c)
            break;
    }
    if (rc && !kg_fs_is_dir(path))
        kg_error_errno(err, KG_E_SYSTEM, "cannot make directory '%s'", path);
    else
        rc = 0;
    free(p);
    return rc;
}

int kg_fs_remove_tree(const char *path)
{
    struct stat st;
    if (lstat(path, &st))
        return errno == ENOENT ? 0 : -1;
    if (!S_ISDIR(st.st_mode))
        return unlink(path);
    DIR *d = opendir(path);
    if (!d)
        return -1;
    int rc = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        char *name = kg_fs_join(path, e->d_name);
        if (kg_fs_remove_tree(name))
            rc = -1;
        free(name);
    }
    closedir(d);
    return rmdir(path) ? -1 : rc;
}

bool kg_fs_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool kg_fs_is_dir(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

char *kg_fs_join(const char *dir, const char *name)
{
    if (name[0] == '/' || !*dir)
        return kg_mem_strdup(name);
    return kg_mem_printf("%s/%s", dir, name);
}

char *kg_fs_dirname(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return kg_mem_strdup(".");
    return kg_mem_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* The directory of the running program: places are found from it, so that any prefix works. */
static char *program_dir(struct kg_error *err)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n < 0) {
        kg_error_errno(err, KG_E_SYSTEM, "cannot read /proc/self/exe");
        return NULL;
    }
    path[n] = 0;
    return kg_fs_dirname(path);
}

/* PREFIX/bin/kg-x finds PREFIX/share; build/bin/kg-x and build/asan/bin/kg-x find ./share. */
static char *find_upwards(const char *below, const char *name, int levels, struct kg_error *err)
{
    char *dir = program_dir(err);
    for (int i = 0; dir && i <= levels; i++) {
        char *path = kg_mem_printf("%s/%s/kg/%s", dir, below, name);
        char *up = kg_fs_dirname(dir);
        free(dir);
        dir = up;
        if (kg_fs_exists(path)) {
            free(dir);
            return path;
        }
        free(path);
    }
    if (dir)
        kg_error_set(err, KG_E_MISSING, "cannot find %s/kg/%s beside the program", below, name);
    free(dir);
    return NULL;
}

char *kg_fs_share(const char *name, struct kg_error *err)
{
    return find_upwards("share", name, 4, err);
}

char *kg_fs_libexec(const char *name, struct kg_error *err)
{
    return find_upwards("libexec", name, 3, err);
}

char *kg_fs_cache(const char *name, struct kg_error *err)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path;
    if (xdg && xdg[0] == '/')
        path = kg_mem_printf("%s/kg/%s", xdg, name);
    else if (home && *home)
        path = kg_mem_printf("%s/.cache/kg/%s", home, name);
    else
        path = kg_mem_printf("/tmp/kg-%ld/%s", (long)getuid(), name);
    if (kg_fs_mkdirs(path, 0700, err)) {
        free(path);
        return NULL;
    }
    return path;
}

char *kg_fs_tempdir(const char *prefix, struct kg_error *err)
{
    const char *tmp = getenv("TMPDIR");
    char *path = kg_mem_printf("%s/%s.XXXXXX", tmp && *tmp ? tmp : "/tmp", prefix);
    if (mkdtemp(path))
        return path;
    kg_error_errno(err, KG_E_SYSTEM, "cannot make a temporary directory '%s'", path);
    free(path);
    return NULL;
}

char *kg_fs_which(const char *name)
{
    if (strchr(name, '/'))
        return access(name, X_OK) ? NULL : kg_mem_strdup(name);
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char *full = kg_mem_printf("%.*s/%s", (int)n, path, name);
        if (n && !access(full, X_OK) && !kg_fs_is_dir(full))
            return full;
        free(full);
        path += n + (path[n] == ':');
    }
    return NULL;
}
