/*
 * Whose fault is a failed compile? A full disk, a limit on processes or files and the OOM killer
 * make a compiler fail as a bad source does. The words only raise a doubt, since a source can print
 * any (#error): what decides is the state of the machine and whether a source of one line builds.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fs.h"
#include "compile/build.h"
#include "compile/log.h"

#define LOW_ROOM   ((uint64_t)16 << 20) /* less free space than this is a doubt by itself */
#define PROBE_ROOM ((size_t)1 << 20)    /* quotas are seen only by writing */

static bool file_limit_is_low(void)
{
    struct rlimit l;
    return !getrlimit(RLIMIT_FSIZE, &l) && l.rlim_cur < KG_BUILD_FILE_MAX;
}

/* The kernel's count of processes ended for want of memory, in all control groups. */
static uint64_t oom_kills(void)
{
    return kg_fs_number("/proc/vmstat", "\noom_kill ");
}

static uint64_t room_in(const char *dir)
{
    struct statvfs v;
    return statvfs(dir, &v) ? 0 : (uint64_t)v.f_bavail * v.f_frsize;
}

static int write_probe(const char *dir, struct kg_error *err)
{
    static const char zeros[1 << 16];
    char *path = kg_fs_join(dir, "probe");
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC | O_EXCL | O_NOFOLLOW, 0600);
    int r = fd < 0;
    for (size_t n = 0; !r && n < PROBE_ROOM; n += sizeof zeros)
        r = kg_fs_write_all(fd, zeros, sizeof zeros);
    if (r)
        kg_error_errno(err, KG_E_SYSTEM, "cannot write in the compiler's temporary folder");
    if (fd >= 0)
        close(fd);
    unlink(path);
    free(path);
    return r ? -1 : 0;
}

void kg_machine_before(struct kg_machine *m)
{
    memset(m, 0, sizeof *m);
    m->oom_kills = oom_kills();
}

bool kg_machine_is_doubted(struct kg_machine *m, const struct kg_buf *raw, bool killed,
                           const char *dir)
{
    struct kg_buf line = KG_BUF_INIT, first = KG_BUF_INIT;
    m->why = kg_log_machine(kg_buf_str(raw), raw->len, &line);
    if (m->why == KG_LOG_FILE_SIZE && !file_limit_is_low())
        m->why = KG_LOG_SOURCE; /* our own limit, the same for all */
    m->room = room_in(dir);
    m->doubt = killed || m->why != KG_LOG_SOURCE || m->room < LOW_ROOM ||
               kg_log_first_error(kg_buf_str(raw), raw->len, &first) == KG_LOG_NONE;
    size_t n = line.len < sizeof m->line ? line.len : sizeof m->line - 1;
    memcpy(m->line, kg_buf_str(&line), n);
    m->line[n] = 0;
    kg_buf_release(&line);
    kg_buf_release(&first);
    return m->doubt;
}

int kg_machine_out_of_memory(const struct kg_machine *m, const char *line, struct kg_error *err)
{
    if (oom_kills() <= m->oom_kills)
        return 0;
    return kg_error_set(err, KG_E_SYSTEM, "the machine is out of memory (%s)", line);
}

int kg_machine_check(const struct kg_machine *m, const char *dir, struct kg_error *err)
{
    const char *line = m->line[0] ? m->line : "it failed without a word";
    uint64_t want = m->why == KG_LOG_NO_ROOM ? KG_BUILD_FILE_MAX : LOW_ROOM;
    uint64_t now = room_in(dir), room = now < m->room ? now : m->room;
    if (write_probe(dir, err))
        return -1;
    if (room < want)
        return kg_error_set(err, KG_E_SYSTEM,
                            "only %llu KiB free in the compiler's temporary folder (%s)",
                            (unsigned long long)(room >> 10), line);
    if (m->why == KG_LOG_FILE_SIZE)
        return kg_error_set(err, KG_E_SYSTEM, "the limit on file sizes (ulimit -f) is too low (%s)",
                            line);
    return kg_machine_out_of_memory(m, line, err);
}
