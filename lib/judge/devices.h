/*
 * The devices of a run: one, or with "cuda" all that are visible. Threads are spread over them; a
 * device that was lost is dropped, and its threads go on with another.
 */
#ifndef KG_JUDGE_DEVICES_H
#define KG_JUDGE_DEVICES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define KG_DEVICES 64

struct kg_devices {
    size_t n;
    char name[KG_DEVICES][64]; /* "host", "cuda:0" */
    atomic_bool lost[KG_DEVICES];
};

/*
 * text: "host", "cuda", "cuda:N", "auto"; NULL or empty: auto. target: what to compile for ("host",
 * "sm_90"). All devices of a run are of one target: with "cuda", GPUs that differ from the first
 * are left out, with a warning. -1 with err: KG_E_USAGE, KG_E_MISSING.
 */
int kg_devices_find(struct kg_devices *d, const char *text, char target[16], struct kg_error *err);

/* The device of a thread: the (thread mod n)-th, or the next one that is not lost; NULL: all are.
 */
const char *kg_devices_pick(const struct kg_devices *d, size_t thread);
/* Not picked any more. Returns whether it was there until now. */
bool kg_devices_drop(struct kg_devices *d, const char *name);

#endif
