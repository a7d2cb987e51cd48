/* Keeping the folder of truths small. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/bound.h"
#include "base/fs.h"
#include "judge/truth.h"

#define MOST         ((int64_t)64 << 30)
#define STALE_TEMP_S 86400 /* of a reference that takes longer for one call nobody has heard */

/* At most half of what could be had there. */
static int64_t fair_share(const char *dir, int64_t used)
{
    struct statvfs fs;
    if (statvfs(dir, &fs))
        return MOST;
    int64_t half = (used + (int64_t)fs.f_bavail * (int64_t)fs.f_frsize) / 2;
    return half < MOST ? half : MOST;
}

static void drop(const char *path)
{
    unlink(path); /* whoever has mapped it keeps it */
}

/* Truths have no suffix; beside them lie locks and marks, which are empty, and what is not ready.
 */
void kg_truth_bound(const char *dir, int64_t bytes)
{
    struct kg_bound b = KG_BOUND_INIT;
    time_t now = time(NULL);
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        const char *dot = strchr(e->d_name, '.');
        if (dot == e->d_name || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(st.st_mode))
            continue;
        if (!dot)
            kg_bound_add(&b, kg_fs_join(dir, e->d_name), &st);
        else if (strcmp(dot, ".lock") && strcmp(dot, ".ok") && now - st.st_mtime > STALE_TEMP_S)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d)
        closedir(d);
    kg_bound_shrink(&b, bytes > 0 ? bytes : fair_share(dir, b.bytes), drop);
}
