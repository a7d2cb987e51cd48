/* A thread of the judge: its device, and what must not be shared with other threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/exit.h"
#include "base/mem.h"
#include "base/msg.h"
#include "judge/inside.h"
#include "record/loop.h"

static int open_device(struct kg_judge_thread *t)
{
    struct kg_judge *j = t->judge;
    struct kg_device_info info;
    t->lock = (struct kg_lock)KG_LOCK_INIT;
    t->space = kg_space_open(t->device, &t->fault);
    if (!t->space || t->space->ops->info(t->space, &info, &t->fault) ||
        kg_lock_open(&t->lock, info.uuid, t->device, &t->fault))
        return -1;
    t->space->warm = j->opts.compat == KG_COMPAT_KERNELGYM;
    snprintf(t->uuid, sizeof t->uuid, "%s", info.uuid);
    t->emulated = info.emulated;
    t->timer = kg_judge_by_events(j) ? "events" : info.timer;
    t->spec = (struct kg_runner_spec){.sandbox = (enum kg_sandbox_mode)j->opts.sandbox,
                                      .device = t->uuid,
                                      .cpus = &j->cpus,
                                      .cuda = !j->host,
                                      .as_bytes = j->host ? (uint64_t)16 << 30 : 0};
    return 0;
}

static void close_device(struct kg_judge_thread *t)
{
    if (t->has_spare)
        kg_runner_stop(&t->spare);
    t->has_spare = false;
    kg_kept_stop(&t->baseline);
    kg_kept_stop(&t->empty);
    kg_lock_close(&t->lock);
    kg_wants_drop(&t->wants, t->space);
    kg_space_close(t->space);
    t->space = NULL;
}

struct kg_judge_thread *kg_judge_thread_new(struct kg_judge *j, int index)
{
    struct kg_judge_thread *t = kg_mem_zalloc(sizeof *t);
    t->judge = j;
    t->index = (size_t)index;
    t->lock = (struct kg_lock)KG_LOCK_INIT;
    t->device = kg_devices_pick(&j->devices, t->index);
    if (t->device)
        open_device(t);
    else
        kg_error_set(&t->fault, KG_E_LOST, "all devices are lost");
    return t;
}

void kg_judge_thread_free(struct kg_judge_thread *t)
{
    if (!t)
        return;
    close_device(t);
    free(t);
}

void kg_judge_thread_wait(const struct kg_judge_thread *t)
{
    if (!t->has_spare || !t->spec.cuda)
        return;
    for (int ms = 0; ms < 5000 && kg_runner_alive(&t->spare) && !t->spare.trace->ready; ms++)
        nanosleep(&(struct timespec){0, 1000000L}, NULL);
}

bool kg_judge_thread_reopen(struct kg_judge_thread *t)
{
    if (!t->device || t->fault.code == KG_E_LOST)
        return false;
    close_device(t);
    kg_error_clear(&t->fault);
    if (!open_device(t))
        return true;
    nanosleep(&(struct timespec){0, 200000000L}, NULL); /* or it would answer for all the others */
    return false;
}

/* A device that comes back at once is kept, once; else it is dropped for all threads. */
bool kg_judge_thread_move(struct kg_judge_thread *t, const struct kg_error *why)
{
    struct kg_judge *j = t->judge;
    close_device(t);
    while (t->device) {
        bool again = t->came_back != t->device;
        t->came_back = t->device;
        kg_error_clear(&t->fault);
        if (again && !open_device(t) && !t->space->ops->recover(t->space, 5, &t->fault)) {
            kg_msg_warn("device '%s' was lost and came back: %s", t->device, why->text);
            return true;
        }
        close_device(t);
        if (kg_devices_drop(&j->devices, t->device))
            kg_msg_error("device '%s' is lost: %s", t->device, why->text);
        kg_loop_status(KG_EXIT_LOST);
        t->device = kg_devices_pick(&j->devices, t->index);
        kg_error_clear(&t->fault);
        if (t->device && !open_device(t))
            return true;
    }
    kg_error_clear(&t->fault);
    kg_error_set(&t->fault, KG_E_LOST, "%s", why->text);
    return false;
}
