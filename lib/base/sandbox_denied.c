/* Calls that the filter refuses: passed on to kg-init, which answers EPERM and tells the judge. */
#include "base/sandbox.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

void kg_denied_serve(struct kg_denied *d, int ctl)
{
    struct seccomp_notif call;
    memset(&call, 0, sizeof call);
    if (ioctl(d->listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
        return; /* the caller was killed before we could answer */
    struct seccomp_notif_resp answer = {.id = call.id, .error = -EPERM};
    d->n++;
    unsigned nr = (unsigned)call.data.nr;
    uint64_t *seen = &d->seen[nr / 64 % (sizeof d->seen / sizeof *d->seen)];
    if (!(*seen & 1ull << nr % 64)) { /* each call once, so that no flood reaches the judge */
        *seen |= 1ull << nr % 64;
        struct kg_init_msg m = {.type = KG_INIT_DENIED, .status = call.data.nr};
        while (send(ctl, &m, sizeof m, MSG_NOSIGNAL) < 0 && errno == EINTR)
            ;
    }
    ioctl(d->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

int kg_denied_send(int socket, const void *data, size_t n, int fd)
{
    union {
        char data[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = {.iov_base = (void *)data, .iov_len = n};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    memset(&control, 0, sizeof control);
    if (fd >= 0) {
        msg.msg_control = control.data;
        msg.msg_controllen = sizeof control.data;
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    ssize_t rc;
    while ((rc = sendmsg(socket, &msg, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return rc == (ssize_t)n ? 0 : -1;
}

ssize_t kg_denied_receive(int socket, void *data, size_t n, int *fd)
{
    union {
        char data[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = {.iov_base = data, .iov_len = n};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.data,
                         .msg_controllen = sizeof control.data};
    ssize_t rc;
    while ((rc = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    struct cmsghdr *c = rc > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return rc;
}
