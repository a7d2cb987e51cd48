#include "base/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* <sys/mount.h> and <linux/mount.h> cannot be included together everywhere */
int mount(const char *source, const char *target, const char *type, unsigned long flags,
          const void *data);

#define MAX_BINDS (3 * KG_INIT_MAX_DIRS)

/* A piece of the old tree, taken before it is made read-only or covered, to be put back. */
struct bind {
    int tree;
    const char *path;
    char own[64]; /* device nodes: the path */
};

struct binds {
    struct bind v[MAX_BINDS];
    size_t n;
};

static int set_attr(int dir, const char *path, unsigned flags, uint64_t set)
{
    struct mount_attr attr = {.attr_set = set};
    return (int)syscall(SYS_mount_setattr, dir, path, flags, &attr, sizeof attr);
}

static int take(struct binds *b, const char *path, unsigned recursive, uint64_t attr,
                struct kg_error *err)
{
    if (b->n == MAX_BINDS)
        return kg_error_set(err, KG_E_LIMIT, "too many mounts for a sandbox");
    int tree = (int)syscall(SYS_open_tree, AT_FDCWD, path,
                            OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive);
    if (tree < 0)
        return kg_error_errno(err, KG_E_SYSTEM, "cannot take '%s' into the sandbox", path);
    if (set_attr(tree, "", AT_EMPTY_PATH | recursive, attr)) {
        kg_error_errno(err, KG_E_SYSTEM, "cannot take '%s' into the sandbox", path);
        close(tree);
        return -1;
    }
    struct bind *x = &b->v[b->n++];
    x->tree = tree;
    x->path = path;
    return 0;
}

/* Parents of a path that lie in a new tmpfs are not there yet; elsewhere they are and stay. */
static void make_place(const char *path, bool dir)
{
    char p[PATH_MAX];
    if (snprintf(p, sizeof p, "%s", path) >= (int)sizeof p)
        return;
    for (char *s = p + 1; *s; s++) {
        if (*s != '/')
            continue;
        *s = 0;
        mkdir(p, 0755);
        *s = '/';
    }
    if (dir)
        mkdir(p, 0755);
    else
        close(open(p, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644));
}

static int put_back(struct binds *b, struct kg_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct bind *x = &b->v[i];
        const char *path = x->own[0] ? x->own : x->path;
        struct stat st;
        bool dir = !fstat(x->tree, &st) && S_ISDIR(st.st_mode);
        make_place(path, dir);
        if (!rc && syscall(SYS_move_mount, x->tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH))
            rc = kg_error_errno(err, KG_E_SYSTEM, "cannot put '%s' into the sandbox", path);
        close(x->tree);
    }
    return rc;
}

static void take_device(struct binds *b, const char *path)
{
    /* Those that are not there are not needed. */
    if (!access(path, F_OK) && !take(b, path, 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, NULL)) {
        struct bind *x = &b->v[b->n - 1];
        snprintf(x->own, sizeof x->own, "%s", path);
    }
}

static void take_devices(struct binds *b, bool gpus)
{
    static const char *const plain[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                        "/dev/urandom"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        take_device(b, plain[i]);
    DIR *d = gpus ? opendir("/dev") : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[sizeof b->v[0].own];
        if (!strncmp(e->d_name, "nvidia", 6) &&
            snprintf(path, sizeof path, "/dev/%s", e->d_name) < (int)sizeof path)
            take_device(b, path);
    }
    if (d)
        closedir(d);
}

static int take_all(const struct kg_init_opts *o, struct binds *b, struct kg_error *err)
{
    take_devices(b, o->devices);
    for (const char *const *p = o->readable; *p; p++)
        if (take(b, *p, AT_RECURSIVE, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, err))
            return -1;
    for (const char *const *p = o->writable; *p; p++)
        if (take(b, *p, 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, err))
            return -1;
    return 0;
}

static int cover(const char *path, const char *mode, uint64_t bytes, struct kg_error *err)
{
    char data[96];
    snprintf(data, sizeof data, "size=%llu,nr_inodes=65536,mode=%s", (unsigned long long)bytes,
             mode);
    if (!mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, data))
        return 0;
    if (errno == ENOENT || errno == ENOTDIR)
        return 0; /* not there: nothing to hide */
    return kg_error_errno(err, KG_E_SYSTEM, "cannot cover '%s'", path);
}

/* Covered by a private one anyway, which must stay writable: $HOME may be /tmp. */
static bool is_private(const char *path)
{
    static const char *const own[] = {"/tmp", "/var/tmp", "/dev", "/dev/shm", "/proc"};
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strlen(own[i]) == n && !strncmp(own[i], path, n))
            return true;
    return false;
}

static int cover_all(const struct kg_init_opts *o, struct kg_error *err)
{
    int rc = 0;
    for (const char *const *p = o->hidden; *p; p++)
        if (!is_private(*p))
            rc |= cover(*p, "755", 1 << 20, err);
    rc |= cover("/tmp", "1777", KG_SANDBOX_TMP, err);
    rc |= cover("/var/tmp", "1777", KG_SANDBOX_TMP, err);
    rc |= cover("/dev", "755", 1 << 20, err);
    mkdir("/dev/shm", 01777);
    rc |= cover("/dev/shm", "1777", KG_SANDBOX_TMP, err);
    static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
                                           {"/proc/self/fd/0", "/dev/stdin"},
                                           {"/proc/self/fd/1", "/dev/stdout"},
                                           {"/proc/self/fd/2", "/dev/stderr"}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (symlink(links[i][0], links[i][1])) {
            /* a convenience of shells, not worth a sandbox */
        }
    return rc ? -1 : 0;
}

int kg_sandbox_mounts(const struct kg_init_opts *o, struct kg_error *err)
{
    static struct binds b; /* too large for some stacks; kg-init has one thread */
    b.n = 0;
    mode_t mask = umask(0);
    int rc = -1;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        kg_error_errno(err, KG_E_SYSTEM, "cannot make the mounts private");
    else if (take_all(o, &b, err))
        ;
    else if (set_attr(AT_FDCWD, "/", AT_RECURSIVE, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID))
        kg_error_errno(err, KG_E_SYSTEM, "cannot make the file system read-only");
    else if (!cover_all(o, err) && !put_back(&b, err))
        rc = 0;
    /* Containers that mask parts of /proc forbid a new one; the old one then shows the processes
     * outside, which cannot be signalled or read from in here. */
    if (!rc)
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    for (const char *const *p = o->hidden; !rc && *p; p++)
        if (!is_private(*p))
            set_attr(AT_FDCWD, *p, 0, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    if (!rc)
        set_attr(AT_FDCWD, "/dev", 0, MOUNT_ATTR_RDONLY);
    umask(mask);
    return rc;
}
