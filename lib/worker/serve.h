/*
 * The loop of a worker: takes orders from the wire, has them carried out by the runner of the kind
 * that LOAD names (native.h, cuda.h), answers each with one DONE.
 */
#ifndef KG_WORKER_SERVE_H
#define KG_WORKER_SERVE_H

/* In the environment: open the GPU at once, so that its context (0.2 s) is there when LOAD comes.
 */
#define KG_WORKER_WARM "KG_WORKER_WARM"

/* Serves the wire at 'fd' until QUIT or until the judge is gone; the exit status of the worker. */
int kg_worker_serve(int fd);

#endif
