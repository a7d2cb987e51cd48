/*
 * Sharing a device between the filters of a pipe, their threads, and other users of kg: two lock
 * files per device. Whoever wants it takes 'gate' exclusively, then 'dev' shared
 * (checks) or exclusively (timed rounds), then drops 'gate'; without the gate two overlapping
 * sharers starve a timer for ever. Locks are flock(2)s: the kernel drops them when a process dies.
 */
#ifndef KG_JUDGE_LOCK_H
#define KG_JUDGE_LOCK_H

#include <stdbool.h>

#include "base/error.h"

struct kg_lock {
    int gate, dev; /* descriptors, -1: none */
    bool held, exclusive;
    const char *device;   /* its name, for messages; not copied */
    struct kg_lock *next; /* of the locks that this process holds */
};

#define KG_LOCK_INIT                                                                               \
    {                                                                                              \
        -1, -1, false, false, NULL, NULL                                                           \
    }

/* Opens /dev/shm/kg-UUID.gate and .dev, made when missing. One lock a thread. It must not move
 * while it is held. */
int kg_lock_open(struct kg_lock *l, const char *uuid, const char *device, struct kg_error *err);
void kg_lock_close(struct kg_lock *l);

/* Waits; a note says so, once a device, when it takes long and no thread of this process had the
 * device. Already held in the same mode: nothing happens; in the other: dropped first, so others
 * may come in between. -1 when a signal ended the wait and the run is to end (kg_loop_stopping). */
int kg_lock_take(struct kg_lock *l, bool exclusive, struct kg_error *err);
void kg_lock_drop(struct kg_lock *l);

#endif
