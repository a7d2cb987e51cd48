#include "worker/wire.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static size_t size_of(uint32_t type)
{
    switch (type) {
    case KG_WIRE_LOAD:
        return sizeof(struct kg_wire_load);
    case KG_WIRE_LEND:
        return sizeof(struct kg_wire_slots);
    case KG_WIRE_GO:
        return sizeof(struct kg_wire_go);
    case KG_WIRE_QUIT:
        return sizeof(struct kg_wire_quit);
    case KG_WIRE_DONE:
        return sizeof(struct kg_wire_done);
    case KG_WIRE_LAUNCHED:
        return sizeof(struct kg_wire_launched);
    case KG_WIRE_FAULT:
        return sizeof(struct kg_wire_fault);
    }
    return 0;
}

const char *kg_wire_status_name(uint32_t status)
{
    static const char *const name[] = {
        "ok",           "load error",    "no entry",    "exception",   "runtime error",
        "launch error", "out of memory", "unsupported", "worker error"};
    return status <= KG_DONE_WORKER ? name[status] : "unknown";
}

/* ---- the judge's end ------------------------------------------------------------------------ */

int kg_wire_pair(int fds[2], struct kg_error *err)
{
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
        return kg_error_errno(err, KG_E_SYSTEM, "cannot make a socket pair");
    return 0;
}

void kg_wire_init(struct kg_wire *w, int fd)
{
    memset(w, 0, sizeof *w);
    w->fd = fd;
}

void kg_wire_close(struct kg_wire *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
}

/* Nothing secret: it tells the answers of one order from those of another. */
static uint64_t fresh_token(const struct kg_wire *w)
{
    uint64_t t = 0;
    if (getrandom(&t, sizeof t, 0) != (ssize_t)sizeof t || t == w->token)
        t = w->token + 1;
    return t;
}

static int wait_ms(double until)
{
    double left = until - kg_clock_now();
    return left <= 0 ? 0 : left > 1e6 ? 1000000000 : (int)(left * 1e3) + 1;
}

static int send_order(int fd, const struct msghdr *msg, size_t bytes, double seconds,
                      struct kg_error *err)
{
    double until = kg_clock_now() + seconds;
    for (;;) {
        ssize_t n = sendmsg(fd, msg, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n == (ssize_t)bytes)
            return 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN))
            return kg_error_errno(err, KG_E_LOST, "cannot send to the worker");
        /* descriptors of other workers are on their way, or memory is short for a moment */
        bool later = n < 0 && (errno == ETOOMANYREFS || errno == ENOBUFS || errno == ENOMEM);
        if (n < 0 && errno != EAGAIN && !later)
            return kg_error_errno(err, KG_E_SYSTEM, "cannot send to the worker");
        if (later && kg_clock_now() < until) {
            nanosleep(&(struct timespec){0, 1000000L}, NULL);
            continue;
        }
        if (later)
            return kg_error_errno(err, KG_E_SYSTEM, "cannot send to the worker");
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        int ms = wait_ms(until);
        if (!ms || poll(&p, 1, ms) == 0)
            return kg_error_set(err, KG_E_LIMIT, "the worker takes no orders");
    }
}

int kg_wire_order(struct kg_wire *w, union kg_wire_order *m, const int *fds, size_t n_fds,
                  double seconds, struct kg_error *err)
{
    union {
        char data[CMSG_SPACE(KG_WIRE_SLOTS * sizeof(int))];
        struct cmsghdr align;
    } control;
    size_t bytes = size_of(m->head.type);
    if (!bytes || n_fds > KG_WIRE_SLOTS)
        return kg_error_set(err, KG_E_INTERNAL, "order %u with %zu descriptors", m->head.type,
                            n_fds);
    m->head.bytes = (uint32_t)bytes;
    w->previous = w->token;
    m->head.token = w->token = fresh_token(w);
    struct iovec iov = {.iov_base = m, .iov_len = bytes};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    if (n_fds) {
        memset(&control, 0, sizeof control);
        msg.msg_control = control.data;
        msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
        memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
    }
    return send_order(w->fd, &msg, bytes, seconds, err);
}

/* Is what came a claim that can be looked at without further checks? Makes its texts end. */
static bool well_formed(const struct kg_wire *w, union kg_wire_claim *m, size_t n, int flags)
{
    if (n < sizeof m->head || (flags & (MSG_TRUNC | MSG_CTRUNC)) || m->head.bytes != n ||
        m->head.type < KG_WIRE_DONE || size_of(m->head.type) != n || m->head.token != w->token)
        return false;
    if (m->head.type == KG_WIRE_DONE) {
        m->done.text[sizeof m->done.text - 1] = 0;
        return m->done.status <= KG_DONE_WORKER && m->done.told <= m->done.n_launches;
    }
    if (m->head.type == KG_WIRE_LAUNCHED) {
        struct kg_wire_launched *l = &m->launched;
        for (size_t i = 0; i < KG_WIRE_LAUNCHES; i++)
            l->launch[i].name[sizeof l->launch[i].name - 1] = 0;
        return l->n <= KG_WIRE_LAUNCHES;
    }
    return m->fault.arg >= -1 && m->fault.arg < KG_WIRE_ARGS && m->fault.set < KG_WIRE_SETS;
}

/* Launches of the order before, which nobody waited for. */
static bool late(const struct kg_wire *w, const union kg_wire_claim *m, size_t n)
{
    return n == sizeof m->launched && m->head.type == KG_WIRE_LAUNCHED &&
           m->head.token == w->previous;
}

static bool hung_up(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR));
}

/* 1: a claim; 0: nothing there now, or rubbish; -1: the end. */
static int take_claim(struct kg_wire *w, union kg_wire_claim *m)
{
    struct iovec iov = {.iov_base = m, .iov_len = sizeof *m};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1}; /* no control buffer: no descriptors */
    ssize_t n = recvmsg(w->fd, &msg, MSG_DONTWAIT);
    if (n < 0 && errno == ECONNRESET) /* told once, before what the worker had said */
        n = recvmsg(w->fd, &msg, MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (n == 0 && hung_up(w->fd))
        return -1; /* otherwise it is an empty message */
    if (well_formed(w, m, (size_t)n, msg.msg_flags))
        return 1;
    if (!late(w, m, (size_t)n))
        w->rubbish++;
    return 0;
}

static bool ended(struct kg_proc *p)
{
    return p && (p->ended || kg_proc_wait(p, 0));
}

enum kg_wire_event kg_wire_claim(struct kg_wire *w, struct kg_proc *p, union kg_wire_claim *m,
                                 double seconds)
{
    double until = kg_clock_now() + seconds;
    bool dead = false;
    for (;;) {
        uint64_t rubbish = w->rubbish;
        int rc = w->fd < 0 ? -1 : take_claim(w, m);
        if (rc)
            return rc > 0 ? KG_WIRE_GOT : KG_WIRE_ENDED;
        int ms = wait_ms(until);
        if (w->rubbish != rubbish && ms)
            continue;
        if (dead)
            return KG_WIRE_ENDED;
        if (!ms)
            return KG_WIRE_TIME;
        struct pollfd pfd[3] = {{.fd = w->fd, .events = POLLIN},
                                {.fd = p && !p->ended ? p->out_fd : -1, .events = POLLIN},
                                {.fd = p && !p->ended ? p->pidfd : -1, .events = POLLIN}};
        poll(pfd, 3, p && p->pidfd < 0 && ms > 5 ? 5 : ms);
        if (p && pfd[1].revents)
            kg_proc_drain(p);
        if (!pfd[0].revents)
            dead = ended(p); /* then once more: it may have spoken before it died */
    }
}

/* ---- the worker's end ----------------------------------------------------------------------- */

static void take_fds(struct msghdr *msg, int fds[KG_WIRE_SLOTS], size_t *n_fds)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        if (n > KG_WIRE_SLOTS - *n_fds)
            n = KG_WIRE_SLOTS - *n_fds;
        memcpy(fds + *n_fds, CMSG_DATA(c), n * sizeof(int));
        *n_fds += n;
    }
}

int kg_wire_next(int fd, union kg_wire_order *m, int fds[KG_WIRE_SLOTS], size_t *n_fds)
{
    union {
        char data[CMSG_SPACE(KG_WIRE_SLOTS * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = {.iov_base = m, .iov_len = sizeof *m};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.data,
                         .msg_controllen = sizeof control.data};
    ssize_t n;
    *n_fds = 0;
    while ((n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    if (n <= 0)
        return -1;
    take_fds(&msg, fds, n_fds);
    if ((size_t)n < sizeof m->head || (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ||
        m->head.type >= KG_WIRE_DONE || size_of(m->head.type) != (size_t)n)
        return -1;
    return 0;
}

int kg_wire_tell(int fd, void *claim, size_t bytes, uint64_t token)
{
    struct kg_wire_head *head = claim;
    ssize_t n;
    head->bytes = (uint32_t)bytes;
    head->token = token;
    while ((n = send(fd, claim, bytes, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return n == (ssize_t)bytes ? 0 : -1;
}
