#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of kernels newer than our headers may be. */
#define FS_REFER    (1ull << 13) /* ABI 2 */
#define FS_TRUNCATE (1ull << 14) /* ABI 3 */
#define NET_TCP     3ull         /* ABI 4: bind and connect */
#define SCOPES      3ull         /* ABI 6: abstract UNIX sockets, signals */

struct ruleset_attr {
    uint64_t handled_access_fs, handled_access_net, scoped;
};

static const uint64_t file_writes = LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE;
static const uint64_t dir_writes = LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                   LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                   LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                   LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                   LANDLOCK_ACCESS_FS_MAKE_SYM | FS_REFER;

static void allow(int ruleset, const char *path, uint64_t handled)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return; /* what is not there cannot be written */
    uint64_t mask = !fstat(fd, &st) && S_ISDIR(st.st_mode) ? file_writes | dir_writes : file_writes;
    struct landlock_path_beneath_attr rule = {.allowed_access = handled & mask, .parent_fd = fd};
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(fd);
}

int kg_sandbox_landlock(const struct kg_init_opts *o)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1)
        return -1;
    struct ruleset_attr attr = {.handled_access_fs = file_writes | dir_writes};
    if (abi < 2)
        attr.handled_access_fs &= ~FS_REFER;
    if (abi < 3)
        attr.handled_access_fs &= ~FS_TRUNCATE;
    if (abi >= 4)
        attr.handled_access_net = NET_TCP;
    if (abi >= 6)
        attr.scoped = SCOPES;
    size_t size = abi >= 6 ? sizeof attr : abi >= 4 ? 16 : 8;
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
    if (ruleset < 0)
        return -1;
    static const char *const open_to_all[] = {"/tmp", "/var/tmp", "/dev", "/proc/self", NULL};
    for (const char *const *p = open_to_all; *p; p++)
        allow(ruleset, *p, attr.handled_access_fs);
    for (const char *const *p = o->writable; *p; p++)
        allow(ruleset, *p, attr.handled_access_fs);
    int rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!rc)
        rc = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
    close(ruleset);
    return rc;
}
