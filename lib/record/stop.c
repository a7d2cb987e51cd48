#include "record/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static int wake[2] = {-1, -1}; /* readable once a signal came: a wait cannot miss it */

static void on_signal(int sig)
{
    int saved = errno;
    caught = sig;
    if (write(wake[1], "", 1) < 0)
        caught = sig; /* the pipe is full: it is readable, which is all that we want */
    errno = saved;
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
    struct sigaction a, old;
    memset(&a, 0, sizeof a);
    sigemptyset(&a.sa_mask);
    a.sa_handler = on_signal;
    a.sa_flags = (int)SA_RESETHAND;
    /* a caller that ignores SIGINT (nohup, a job in the background) goes on ignoring it */
    if (!sigaction(SIGINT, NULL, &old) && old.sa_handler != SIG_IGN)
        sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    a.sa_handler = SIG_IGN;
    a.sa_flags = 0;
    sigaction(SIGPIPE, &a, NULL);
}

bool kg_stop_wanted(void)
{
    return caught != 0;
}

int kg_stop_signal(void)
{
    return caught;
}

bool kg_stop_wait(int fd)
{
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = wake[0], .events = POLLIN}};
    while (!caught) {
        int n = poll(p, 2, -1);
        if (n < 0 && errno != EINTR)
            return true; /* the read will tell */
        if (n > 0 && p[0].revents)
            return true;
    }
    return false;
}
