#include "base/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int set_filter(const struct sock_filter *code, size_t n)
{
    struct sock_fprog prog = {.len = (unsigned short)n, .filter = (struct sock_filter *)code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
}

/* The same filter, with refusals turned into questions. */
static int set_asking_filter(const struct sock_filter *plain, size_t n)
{
    static struct sock_filter code[BPF_MAXINSNS]; /* one thread: we are about to exec */
    if (n > BPF_MAXINSNS)
        return -1;
    for (size_t i = 0; i < n; i++) {
        code[i] = plain[i];
        if (code[i].code == (BPF_RET | BPF_K) && code[i].k == (SECCOMP_RET_ERRNO | EPERM))
            code[i].k = SECCOMP_RET_USER_NOTIF;
    }
    struct sock_fprog prog = {.len = (unsigned short)n, .filter = code};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &prog);
}

int kg_sandbox_apply_filter(int fd, int *listener)
{
    struct stat st;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || fstat(fd, &st))
        return -1;
    void *code = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (code == MAP_FAILED)
        return -1;
    size_t n = (size_t)st.st_size / sizeof(struct sock_filter);
    *listener = set_asking_filter(code, n);
    int rc = *listener >= 0 ? 0 : set_filter(code, n);
    int saved = errno;
    munmap(code, (size_t)st.st_size);
    errno = saved;
    return rc;
}

int kg_sandbox_deny_exec(void)
{
    /* By hand: eight lines, and workers need not carry libseccomp. Calls of another architecture
     * (32-bit) are refused by the first filter already, if there is one, and here. */
#if defined(__x86_64__)
    const unsigned arch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    const unsigned arch = AUDIT_ARCH_AARCH64;
#else
#error "which AUDIT_ARCH is this?"
#endif
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arch, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 2, 0), /* x32 has numbers of its own */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return set_filter(code, sizeof code / sizeof *code);
}
