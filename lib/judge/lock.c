#include "judge/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/msg.h"
#include "record/loop.h"

#define PATIENCE_S 5 /* longer than a timed session of the host beside us in a pipe */

/* ---- the locks that this process holds ------------------------------------------------------ */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kg_lock *holders;

static void add_holder(struct kg_lock *l)
{
    pthread_mutex_lock(&mutex);
    l->next = holders;
    holders = l;
    pthread_mutex_unlock(&mutex);
}

static void remove_holder(struct kg_lock *l)
{
    pthread_mutex_lock(&mutex);
    for (struct kg_lock **p = &holders; *p; p = &(*p)->next)
        if (*p == l) {
            *p = l->next;
            break;
        }
    pthread_mutex_unlock(&mutex);
}

static bool held_by_us(const char *device)
{
    bool held = false;
    pthread_mutex_lock(&mutex);
    for (const struct kg_lock *l = holders; l && !held; l = l->next)
        held = !strcmp(l->device, device);
    pthread_mutex_unlock(&mutex);
    return held;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Opened without O_CREAT first: fs.protected_regular refuses O_CREAT on somebody else's file in a
 * sticky directory, and the file is meant to be shared by all users of the device. */
static int open_one(const char *uuid, const char *end, struct kg_error *err)
{
    char path[160];
    snprintf(path, sizeof path, "/dev/shm/kg-%s.%s", uuid, end);
    for (int i = 0; i < 3; i++) {
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0)
            return fd;
        if (errno != ENOENT)
            break;
        fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL, 0666);
        if (fd >= 0) {
            (void)fchmod(fd, 0666); /* past the umask; when it fails, only we can share it */
            return fd;
        }
        if (errno != EEXIST)
            break;
    }
    return kg_error_errno(err, KG_E_SYSTEM, "cannot open lock '%s'", path);
}

int kg_lock_open(struct kg_lock *l, const char *uuid, const char *device, struct kg_error *err)
{
    *l = (struct kg_lock)KG_LOCK_INIT;
    l->device = device;
    l->gate = open_one(uuid, "gate", err);
    if (l->gate >= 0)
        l->dev = open_one(uuid, "dev", err);
    if (l->dev >= 0)
        return 0;
    kg_lock_close(l);
    return -1;
}

void kg_lock_close(struct kg_lock *l)
{
    kg_lock_drop(l);
    if (l->gate >= 0)
        close(l->gate);
    if (l->dev >= 0)
        close(l->dev);
    *l = (struct kg_lock)KG_LOCK_INIT;
}

/* ---- taking --------------------------------------------------------------------------------- */

/* flock(2) goes on after a signal that another thread took, so the wait is by polling: at first
 * without sleeping longer than what is wanted changes, never longer than 5 ms. */
static int wait_for(const struct kg_lock *l, int fd, int how, double *since, struct kg_error *err)
{
    long ns = 50000;
    while (flock(fd, how | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return kg_error_errno(err, KG_E_SYSTEM, "flock");
        if (kg_loop_stopping())
            return kg_error_set(err, KG_E_SYSTEM, "interrupted");
        if (held_by_us(l->device))
            *since = kg_clock_now();
        if (kg_clock_now() - *since > PATIENCE_S)
            kg_msg_note_once(l->device, "waiting for device %s (held by another session)",
                             l->device);
        nanosleep(&(struct timespec){0, ns}, NULL);
        ns = ns < 2500000 ? ns * 2 : 5000000;
    }
    return 0;
}

int kg_lock_take(struct kg_lock *l, bool exclusive, struct kg_error *err)
{
    if (l->held && l->exclusive == exclusive)
        return 0;
    kg_lock_drop(l);
    double since = kg_clock_now();
    if (wait_for(l, l->gate, LOCK_EX, &since, err))
        return -1;
    int rc = wait_for(l, l->dev, exclusive ? LOCK_EX : LOCK_SH, &since, err);
    flock(l->gate, LOCK_UN);
    if (rc)
        return -1;
    l->held = true;
    l->exclusive = exclusive;
    add_holder(l);
    return 0;
}

void kg_lock_drop(struct kg_lock *l)
{
    if (l->held) {
        remove_holder(l);
        flock(l->dev, LOCK_UN);
    }
    l->held = l->exclusive = false;
}
