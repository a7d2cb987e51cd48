#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A deny list: what CUDA, Python and OpenMP need is too wide for an allow list to be worth its
 * breakage, and namespaces, uid and mounts are what really holds. Names, because libseccomp knows
 * numbers of calls that our headers do not.
 */
static const char *const denied[] = {
    /* other processes' memory and state */
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "kcmp",
    "pidfd_getfd",
    "migrate_pages",
    "move_pages",
    /* mounts and roots */
    "mount",
    "umount",
    "umount2",
    "pivot_root",
    "chroot",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsmount",
    "fsconfig",
    "fspick",
    "mount_setattr",
    "open_tree_attr",
    "swapon",
    "swapoff",
    "quotactl",
    "quotactl_fd",
    "name_to_handle_at",
    "open_by_handle_at",
    /* new namespaces; clone's flags are looked at below */
    "unshare",
    "setns",
    /* the kernel itself */
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "reboot",
    "syslog",
    "acct",
    "iopl",
    "ioperm",
    "modify_ldt",
    "lookup_dcookie",
    "nfsservctl",
    "vhangup",
    "fanotify_init",
    /* keys: not in any namespace */
    "add_key",
    "request_key",
    "keyctl",
    /* another door to all of the above, sockets included */
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    /* clocks that the judge reads */
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "stime",
    "sethostname",
    "setdomainname",
};

static int deny(scmp_filter_ctx ctx, const char *name)
{
    int nr = seccomp_syscall_resolve_name(name);
    if (nr == __NR_SCMP_ERROR)
        return 0; /* a call newer than this libseccomp: the kernel's other layers hold */
    int rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), nr, 0);
    return rc == -EDOM ? 0 : rc; /* not of this architecture */
}

static int deny_new_namespaces(scmp_filter_ctx ctx)
{
    static const uint64_t flag[] = {CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNS,    CLONE_NEWNET,
                                    CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++) {
        int rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                  SCMP_A0(SCMP_CMP_MASKED_EQ, flag[i], flag[i]));
        if (rc)
            return rc;
    }
    /* clone3's flags lie in memory, out of the filter's reach; on ENOSYS the C library uses clone
     */
    return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

static int rules(scmp_filter_ctx ctx)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof denied / sizeof *denied; i++)
        rc = deny(ctx, denied[i]);
    if (!rc)
        rc = deny_new_namespaces(ctx);
    if (!rc)
        rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1,
                              SCMP_A0(SCMP_CMP_NE, AF_UNIX));
    if (!rc) /* limits of others: process 1 has the same uid */
        rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 1,
                              SCMP_A0(SCMP_CMP_NE, 0));
    if (!rc) /* TIOCSTI types on the terminal of whoever started us */
        rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                              SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, TIOCSTI));
    return rc;
}

static int build(struct kg_error *err)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
    if (!ctx)
        return kg_error_set(err, KG_E_SYSTEM, "seccomp_init failed");
    /* of another architecture: the whole process, or its other threads would go on without the one
     */
    int rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (!rc)
        rc = rules(ctx);
    int fd = rc ? -1 : (int)syscall(SYS_memfd_create, "kg-filter", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0)
        rc = seccomp_export_bpf(ctx, fd);
    seccomp_release(ctx);
    if (rc || fd < 0) {
        errno = rc ? -rc : errno;
        kg_error_errno(err, KG_E_SYSTEM, "cannot make the system-call filter");
        if (fd >= 0)
            close(fd);
        return -1;
    }
    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return fd;
}

int kg_sandbox_filter(struct kg_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int fd = -1;
    pthread_mutex_lock(&lock);
    if (fd < 0)
        fd = build(err);
    pthread_mutex_unlock(&lock);
    return fd;
}

void kg_proc_call_text(int number, struct kg_buf *out)
{
    char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
    if (name)
        kg_buf_adds(out, name);
    else
        kg_buf_addf(out, "system call %d", number);
    free(name);
}

void kg_proc_denied_text(const struct kg_proc *p, struct kg_buf *out)
{
    for (unsigned i = 0; i < p->n_denied; i++) {
        kg_buf_adds(out, i ? ", " : "");
        kg_proc_call_text(p->denied_call[i], out);
    }
}
