/* Whose a process is: by its parents, whatever it calls itself. */
#include "tap.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fake_library.h"
#include "judge/watch.h"

/* A management library that knows a device, and the users that the file 'pids' names. */
static const char library[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "struct process { unsigned pid; unsigned long long bytes; unsigned gi, ci; };\n"
    "struct sample { unsigned pid; unsigned long long us; unsigned sm, mem, enc, dec; };\n"
    "static int device;\n"
    "static unsigned pid[16], busy[16], n_users;\n"
    "static void read_users(void)\n"
    "{ char path[256]; snprintf(path, sizeof path, \"%s/pids\", getenv(\"KG_TEST_FAKE_DIR\"));\n"
    "  FILE *f = fopen(path, \"r\");\n"
    "  n_users = 0;\n"
    "  while (f && fscanf(f, \"%u %u\", &pid[n_users], &busy[n_users]) == 2) n_users++;\n"
    "  if (f) fclose(f); }\n"
    "int nvmlInit_v2(void) { return 0; }\n"
    "int nvmlDeviceGetHandleByUUID(const char *u, void **d) { *d = &device; return u[0] != 'G'; }\n"
    "int nvmlDeviceGetClockInfo(void *d, int what, unsigned *mhz) { return 3; }\n"
    "int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *why) { return 3; }\n"
    "int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, struct process *p)\n"
    "{ read_users();\n"
    "  for (*n = 0; *n < n_users; ++*n) p[*n] = (struct process){pid[*n], 1, 0, 0};\n"
    "  return 0; }\n"
    "int nvmlDeviceGetProcessUtilization(void *d, struct sample *s, unsigned *n,\n"
    "                                    unsigned long long since)\n"
    "{ if (!s) { *n = n_users; return 7; }\n"
    "  for (*n = 0; *n < n_users; ++*n) s[*n] = (struct sample){pid[*n], since + 5, busy[*n]};\n"
    "  return 0; }\n";

#define DEVICE "GPU-1"

struct user {
    pid_t pid;
    int busy;
};

static void set_users(size_t n, const struct user *u)
{
    char path[256];
    snprintf(path, sizeof path, "%s/pids", getenv(FAKE_DIR));
    FILE *f = fopen(path, "w");
    OK(f);
    for (size_t i = 0; f && i < n; i++)
        fprintf(f, "%d %d\n", (int)u[i].pid, u[i].busy);
    if (f)
        fclose(f);
}
#define USERS(...)                                                                                 \
    set_users(sizeof((struct user[]){__VA_ARGS__}) / sizeof(struct user),                          \
              (struct user[]){__VA_ARGS__})

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

static void test_kin(void)
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
}

/* The judge itself and two workers of kg use the device, and a stranger comes. The test's own
 * ancestors are nobody's, so it plays a judge whose pid alone matters. */
static void test_users(void)
{
    char name[64] = "";
    pid_t init, worker = family("kg-init", "kg-worker", &init);
    pid_t shell, stranger = family("bash", "a \n stranger", &shell);
    USERS({getpid(), 0}, {worker, 50});
    EQ_INT(kg_watch_family(DEVICE, init), 1);
    EQ_INT(kg_watch_stranger(DEVICE, 7, name), 0); /* the judge, seen from outside, does nothing */
    USERS({getpid(), 0}, {worker, 50}, {init, 1});
    EQ_INT(kg_watch_family(DEVICE, init), 2);
    USERS({getpid(), 0}, {worker, 50}, {stranger, 0});
    EQ_INT(kg_watch_family(DEVICE, init), 1);
    EQ_INT(kg_watch_stranger(DEVICE, 7, name), 0);
    USERS({getpid(), 0}, {worker, 50}, {stranger, 3});
    EQ_INT(kg_watch_stranger(DEVICE, 7, name), stranger);
    OK(strstr(name, "stranger") && !strchr(name, '\n'));
    /* who does not find himself cannot read the numbers */
    USERS({worker, 50}, {init, 1}, {stranger, 3});
    EQ_INT(kg_watch_family(DEVICE, init), 0);
    EQ_INT(kg_watch_stranger(DEVICE, 7, name), 0);
    /* a device that nobody knows has no users */
    EQ_INT(kg_watch_family("none", init), 0);
    EQ_INT(kg_watch_stranger("none", 7, name), 0);
    end(init);
    end(shell);
}

int main(int argc, char **argv)
{
    (void)argc;
    fake_library("libnvidia-ml.so.1", library, argv);
    test_kin();
    test_users();
    fake_library_remove();
    return tap_done();
}
