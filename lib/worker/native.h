/*
 * The native runner on the host: what a worker of kind KG_WORKER_HOST does with the judge's orders.
 * Loads a shared object from a descriptor, keeps the slot sets mapped, calls an entry for each GO
 * in the thread that called it (the main thread).
 *
 * Shares its process with the candidate: nothing that it says is more than a claim. One a process.
 */
#ifndef KG_WORKER_NATIVE_H
#define KG_WORKER_NATIVE_H

#include <stddef.h>

#include "worker/wire.h"

/* Each fills d->status, code and text; fds stay the caller's. fd -1: other arguments for what is
 * loaded. */
void kg_native_load(const struct kg_wire_load *m, int fd, struct kg_wire_done *d);
void kg_native_slots(const struct kg_wire_slots *m, const int *fds, struct kg_wire_done *d);
void kg_native_go(const struct kg_wire_go *m, struct kg_wire_done *d);

/* Record i (below d->told) of the last call. */
void kg_native_launch(size_t i, struct kg_wire_launch *l);

#endif
