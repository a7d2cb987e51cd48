/* Whose a process is: by its parents, whatever it calls itself. */
#include "tap.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "judge/watch.h"

/* A child of that name, with a child of its own called 'grandchild'; both wait to be killed.
 * Returns the grandchild, *child its parent. */
static pid_t family(const char *name, const char *grandchild, pid_t *child)
{
    int fd[2];
    pid_t pid = 0;
    if (pipe(fd))
        return -1;
    *child = fork();
    if (!*child) {
        prctl(PR_SET_NAME, name);
        pid = fork();
        if (!pid) {
            prctl(PR_SET_NAME, grandchild);
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            pid = getpid();
            if (write(fd[1], &pid, sizeof pid) != sizeof pid)
                _exit(1);
        }
        for (;;)
            pause();
    }
    if (read(fd[0], &pid, sizeof pid) != sizeof pid)
        pid = -1;
    close(fd[0]);
    close(fd[1]);
    return pid;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void)
{
    pid_t child, pid = family("kg-verify", "kg-worker", &child);
    EQ_INT(kg_watch_kin(pid, child), KG_KIN_FAMILY);
    EQ_INT(kg_watch_kin(child, child), KG_KIN_FAMILY);
    EQ_INT(kg_watch_kin(pid, getpid()), KG_KIN_FAMILY);
    EQ_INT(kg_watch_kin(pid, 0), KG_KIN_KG);
    EQ_INT(kg_watch_kin(getpid(), pid), KG_KIN_STRANGER);
    end(child);
    EQ_INT(kg_watch_kin(child, 0), KG_KIN_GONE);

    /* a candidate that renames itself stays kg's */
    pid = family("kg-init", ") R 1 (", &child);
    EQ_INT(kg_watch_kin(pid, 0), KG_KIN_KG);
    EQ_INT(kg_watch_kin(pid, child), KG_KIN_FAMILY);
    end(child);

    pid = family("bash", "python3", &child);
    EQ_INT(kg_watch_kin(pid, 0), KG_KIN_STRANGER);
    EQ_INT(kg_watch_kin(pid, 1 << 30), KG_KIN_STRANGER);
    end(child);

    /* a device that nobody knows has no users */
    char name[64];
    EQ_INT(kg_watch_family("GPU-00000000-0000-0000-0000-000000000000", getpid()), 0);
    EQ_INT(kg_watch_stranger("GPU-00000000-0000-0000-0000-000000000000", 0, name), 0);
    return tap_done();
}
