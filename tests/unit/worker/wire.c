/* The wire: orders with descriptors, claims that are checked, rubbish that is counted. */
#include "worker/wire.h"
#include "base/clock.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct kg_wire w;
static int worker; /* the other end */

static void open_wire(void)
{
    int fds[2];
    EQ_INT(kg_wire_pair(fds, NULL), 0);
    kg_wire_init(&w, fds[0]);
    worker = fds[1];
}

static void close_wire(void)
{
    kg_wire_close(&w);
    close(worker);
}

static void order_go(void)
{
    union kg_wire_order m;
    memset(&m, 0, sizeof m);
    m.head.type = KG_WIRE_GO;
    EQ_INT(kg_wire_order(&w, &m, NULL, 0, 1, NULL), 0);
}

static void test_orders(void)
{
    static union kg_wire_order m, got;
    int fds[KG_WIRE_SLOTS], in[3];
    size_t n;
    open_wire();
    for (int i = 0; i < 3; i++)
        in[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    m.head.type = KG_WIRE_LEND;
    m.slots.n = 3;
    m.slots.slot[2].offset = 4096;
    EQ_INT(kg_wire_order(&w, &m, in, 3, 1, NULL), 0);
    EQ_INT(kg_wire_next(worker, &got, fds, &n), 0);
    EQ_INT(n, 3);
    EQ_INT(got.head.type, KG_WIRE_LEND);
    EQ_INT(got.slots.slot[2].offset, 4096);
    OK(got.head.token == w.token);
    OK(fcntl(fds[2], F_GETFD) & FD_CLOEXEC);
    uint64_t token = w.token;
    order_go();
    OK(w.token != token);
    EQ_INT(kg_wire_next(worker, &got, fds, &n), 0);
    EQ_INT(n, 0);
    for (int i = 0; i < 3; i++)
        close(in[i]);
    struct kg_error err = KG_ERROR_INIT;
    m.head.type = 99;
    EQ_INT(kg_wire_order(&w, &m, NULL, 0, 1, &err), -1);
    EQ_INT(err.code, KG_E_INTERNAL);
    kg_wire_close(&w);
    EQ_INT(kg_wire_next(worker, &got, fds, &n), -1); /* the judge is gone */
    close(worker);
}

static struct kg_wire_done done_message(void)
{
    struct kg_wire_done d;
    memset(&d, 0, sizeof d);
    d.head.type = KG_WIRE_DONE;
    return d;
}

static void test_claims(void)
{
    union kg_wire_claim m;
    struct kg_wire_done d = done_message();
    open_wire();
    order_go();
    EQ_INT(kg_wire_claim(&w, NULL, &m, 0), KG_WIRE_TIME);
    memset(d.text, 'x', sizeof d.text); /* without an end */
    EQ_INT(kg_wire_tell(worker, &d, sizeof d, w.token), 0);
    EQ_INT(kg_wire_claim(&w, NULL, &m, 1), KG_WIRE_GOT);
    EQ_INT(m.head.type, KG_WIRE_DONE);
    EQ_INT(strlen(m.done.text), sizeof d.text - 1);
    EQ_INT(w.rubbish, 0);
    /* what was said before the end is heard */
    EQ_INT(kg_wire_tell(worker, &d, sizeof d, w.token), 0);
    close(worker);
    EQ_INT(kg_wire_claim(&w, NULL, &m, 1), KG_WIRE_GOT);
    EQ_INT(kg_wire_claim(&w, NULL, &m, 1), KG_WIRE_ENDED);
    struct kg_error err = KG_ERROR_INIT;
    union kg_wire_order o;
    memset(&o, 0, sizeof o);
    o.head.type = KG_WIRE_GO;
    EQ_INT(kg_wire_order(&w, &o, NULL, 0, 1, &err), -1);
    EQ_INT(err.code, KG_E_LOST);
    kg_wire_close(&w);
}

/* Every kind of nonsense before the true answer: all dropped, all counted. */
static void test_rubbish(void)
{
    union kg_wire_claim m;
    struct kg_wire_done d = done_message();
    struct kg_wire_launched l;
    struct kg_wire_fault f;
    static char large[20000];
    unsigned sent = 0;
    open_wire();
    order_go();
    uint64_t token = w.token;
    memset(&l, 0, sizeof l);
    memset(&f, 0, sizeof f);
    OK(send(worker, "hello", 5, 0) == 5 && ++sent);
    OK(send(worker, "", 0, 0) == 0 && ++sent);
    OK(send(worker, large, sizeof large, 0) > 0 && ++sent);
    OK(!kg_wire_tell(worker, &d, sizeof d, token + 1) && ++sent); /* another order's */
    OK(!kg_wire_tell(worker, &d, sizeof d - 8, token) && ++sent);
    d.status = 1000;
    OK(!kg_wire_tell(worker, &d, sizeof d, token) && ++sent);
    d.status = 0;
    d.told = 1;
    OK(!kg_wire_tell(worker, &d, sizeof d, token) && ++sent);
    d.told = 0;
    l.head.type = KG_WIRE_LAUNCHED;
    l.n = KG_WIRE_LAUNCHES + 1;
    OK(!kg_wire_tell(worker, &l, sizeof l, token) && ++sent);
    f.head.type = KG_WIRE_FAULT;
    f.arg = KG_WIRE_ARGS;
    OK(!kg_wire_tell(worker, &f, sizeof f, token) && ++sent);
    struct kg_wire_go go; /* an order is no claim */
    memset(&go, 0, sizeof go);
    go.head.type = KG_WIRE_GO;
    OK(!kg_wire_tell(worker, &go, sizeof go, token) && ++sent);
    OK(!kg_wire_tell(worker, &d, sizeof d, token));
    EQ_INT(kg_wire_claim(&w, NULL, &m, 1), KG_WIRE_GOT);
    EQ_INT(m.head.type, KG_WIRE_DONE);
    EQ_INT(w.rubbish, sent);
    /* launches that nobody waited for are no rubbish */
    l.n = 1;
    OK(!kg_wire_tell(worker, &l, sizeof l, w.token));
    order_go();
    EQ_INT(kg_wire_claim(&w, NULL, &m, 0.01), KG_WIRE_TIME);
    EQ_INT(w.rubbish, sent);
    close_wire();
}

/* The judge takes no descriptors: what a worker sends is closed, and its message is rubbish. */
static void test_no_descriptors(void)
{
    union kg_wire_claim m;
    struct kg_wire_done d = done_message();
    int pipe_fds[2];
    open_wire();
    order_go();
    OK(!pipe2(pipe_fds, O_CLOEXEC));
    union {
        char data[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    d.head.bytes = sizeof d;
    d.head.token = w.token;
    struct iovec iov = {&d, sizeof d};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.data,
                         .msg_controllen = sizeof control.data};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &pipe_fds[1], sizeof(int));
    OK(sendmsg(worker, &msg, 0) > 0);
    close(pipe_fds[1]);
    EQ_INT(kg_wire_claim(&w, NULL, &m, 0.01), KG_WIRE_TIME);
    EQ_INT(w.rubbish, 1);
    char byte;
    EQ_INT(read(pipe_fds[0], &byte, 1), 0); /* no writer is left */
    close(pipe_fds[0]);
    close_wire();
}

/* A flood does not hold the judge beyond its limit. */
static void test_flood(void)
{
    union kg_wire_claim m;
    open_wire();
    order_go();
    pid_t pid = fork();
    if (!pid) {
        close(w.fd);
        for (;;)
            if (send(worker, "flood", 5, MSG_NOSIGNAL) < 0)
                _exit(0);
    }
    EQ_INT(kg_wire_claim(&w, NULL, &m, 0.05), KG_WIRE_TIME);
    OK(w.rubbish > 0);
    close_wire();
    EQ_INT(waitpid(pid, NULL, 0), pid);
}

/* A worker that does not read does not hold it either. */
static void test_no_reader(void)
{
    union kg_wire_order m;
    struct kg_error err = KG_ERROR_INIT;
    memset(&m, 0, sizeof m);
    m.head.type = KG_WIRE_GO;
    open_wire();
    int rc = 0;
    for (int i = 0; i < 100000 && !rc; i++)
        rc = kg_wire_order(&w, &m, NULL, 0, 0.01, &err);
    EQ_INT(rc, -1);
    EQ_INT(err.code, KG_E_LIMIT);
    close_wire();
}

int main(void)
{
    test_orders();
    test_claims();
    test_rubbish();
    test_no_descriptors();
    test_flood();
    test_no_reader();
    EQ_STR(kg_wire_status_name(KG_DONE_OOM), "out of memory");
    EQ_STR(kg_wire_status_name(1000), "unknown");
    return tap_done();
}
