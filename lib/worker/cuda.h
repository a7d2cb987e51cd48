/*
 * The native runner on a GPU: what a worker of kind KG_WORKER_CUDA does with the judge's orders.
 * The artifact is an image (cubin) whose kernel is launched as the order says, or a shared object
 * whose kg_call runs the candidate's host function. Slots are device memory of the judge, imported
 * from descriptors; inputs are mapped for reading only.
 *
 * After each call the worker says DONE, so that the judge can take the bytes, and only then lets
 * the tracer (trace.h) collect what the device did; one LAUNCHED message without records says that
 * the trace of the call is complete.
 */
#ifndef KG_WORKER_CUDA_H
#define KG_WORKER_CUDA_H

#include "worker/wire.h"

struct kg_cuda_runner;

/* Opens the only visible device; the tracer comes in with the driver. NULL with done filled. It
 * lives as long as the process: the driver frees what it had. */
struct kg_cuda_runner *kg_cuda_runner_new(struct kg_wire_done *done);

/* Each fills done->status, code and text. fds stay the caller's. */
void kg_cuda_runner_load(struct kg_cuda_runner *r, const struct kg_wire_load *order, int fd,
                         struct kg_wire_done *done);
void kg_cuda_runner_slots(struct kg_cuda_runner *r, const struct kg_wire_slots *order,
                          const int *fds, struct kg_wire_done *done);
void kg_cuda_runner_go(struct kg_cuda_runner *r, const struct kg_wire_go *order,
                       struct kg_wire_done *done);
/* After DONE was sent: collects the trace of the call. */
void kg_cuda_runner_collect(struct kg_cuda_runner *r);

#endif
