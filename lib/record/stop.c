#include "record/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught; /* the latest signal */
static volatile sig_atomic_t interrupted, hard, drains;
static int wake[2] = {-1, -1}; /* readable once a signal came: a wait cannot miss it */

static void on_signal(int sig)
{
    int saved = errno;
    caught = sig;
    if (sig == SIGINT && !interrupted && drains) {
        interrupted = 1;
    } else {
        hard = 1;
        signal(sig, SIG_DFL); /* the next one ends the program at once */
    }
    if (write(wake[1], "", 1) < 0)
        caught = sig; /* the pipe is full: it is readable, which is all that we want */
    errno = saved;
}

/* SIGXFSZ is caught, not ignored: what we execute would go on ignoring it. */
static void do_nothing(int sig)
{
    (void)sig;
}

static void keep_descriptor(int fd, int flags)
{
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
        return;
    int got = open("/dev/null", flags); /* the lowest free one: fd itself */
    if (got >= 0 && got != fd)
        close(got);
}

void kg_stop_install(void)
{
    /* opened the wrong way round on purpose: use of a closed stdin or stdout stays an error */
    keep_descriptor(0, O_WRONLY);
    keep_descriptor(1, O_RDONLY);
    keep_descriptor(2, O_WRONLY);
    if (wake[0] >= 0 || pipe(wake))
        return;
    for (int i = 0; i < 2; i++) {
        fcntl(wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(wake[i], F_SETFL, O_NONBLOCK);
    }
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction a, old;
    memset(&a, 0, sizeof a);
    sigemptyset(&a.sa_mask);
    for (int i = 0; i < 3; i++)
        sigaddset(&a.sa_mask, ends[i]); /* one at a time */
    a.sa_handler = on_signal;
    /* what a caller ignores (nohup, a job in the background) stays ignored */
    for (int i = 0; i < 3; i++)
        if (!sigaction(ends[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(ends[i], &a, NULL);
    a.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &a, NULL);
    a.sa_handler = do_nothing;
    a.sa_flags = SA_RESTART;
    sigaction(SIGXFSZ, &a, NULL);
}

void kg_stop_drains(bool pipe)
{
    drains = pipe;
}

bool kg_stop_wanted(void)
{
    return hard || (interrupted && !drains);
}

int kg_stop_signal(void)
{
    return caught;
}

bool kg_stop_wait(int fd)
{
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = wake[0], .events = POLLIN}};
    while (!kg_stop_wanted()) {
        char seen[16];
        int n = poll(p, 2, -1);
        if (n < 0 && errno != EINTR)
            return true; /* the read will tell */
        if (n > 0 && p[0].revents)
            return true;
        if (n > 0 && read(wake[0], seen, sizeof seen) < 0 && errno != EAGAIN && errno != EINTR)
            return true;
    }
    return false;
}
