/* First start to last end, and the union of intervals, of launch records; locks of a device. */
#include "judge/inside.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static void spans(void)
{
    double span, busy;
    struct kg_wire_launch l[4] = {{.start_s = 10, .end_s = 11},
                                  {.start_s = 5, .end_s = 7},
                                  {.start_s = 6, .end_s = 8},
                                  {.start_s = 6.5, .end_s = 6.6}};
    kg_call_spans(l, 4, &span, &busy);
    NEAR(span, 6e6, 1e-6);
    NEAR(busy, 4e6, 1e-6);
    kg_call_spans(l, 1, &span, &busy);
    NEAR(span, 1e6, 1e-6);
    NEAR(busy, 1e6, 1e-6);
    kg_call_spans(l, 0, &span, &busy);
    NEAR(span, 0, 0);
    l[0].end_s = 3; /* a claim of an end before its start is no negative time */
    kg_call_spans(l, 1, &span, &busy);
    NEAR(span, 0, 0);
    NEAR(busy, 0, 0);
}

/* In another process: can it be had at once? */
static int free_for(const char *name, bool exclusive)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        struct kg_lock l;
        struct kg_error err = KG_ERROR_INIT;
        alarm(exclusive ? 1 : 1);
        _exit(kg_lock_open(&l, name, "host", &err) || kg_lock_take(&l, exclusive, &err) ? 2 : 0);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void locks(void)
{
    struct kg_lock l;
    struct kg_error err = KG_ERROR_INIT;
    char name[64], path[128];
    snprintf(name, sizeof name, "test-%d", (int)getpid());
    OK(!kg_lock_open(&l, name, "host", &err));
    OK(free_for(name, true));
    OK(!kg_lock_take(&l, false, &err));
    OK(l.held && !l.exclusive);
    OK(free_for(name, false));
    OK(!free_for(name, true));
    OK(!kg_lock_take(&l, true, &err));
    OK(!free_for(name, false));
    kg_lock_drop(&l);
    OK(free_for(name, true));
    kg_lock_close(&l);
    static const char *const ends[] = {"gate", "dev"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/dev/shm/kg-%s.%s", name, ends[i]);
        OK(!unlink(path));
    }
}

int main(void)
{
    spans();
    locks();
    return tap_done();
}
