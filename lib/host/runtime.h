/*
 * The host device at run time, inside a worker: what generated code and
 * share/kg/include/cuda_runtime.h call. Threads of a block are fibers; blocks run on a pool of OS
 * threads. Also what the worker asks: errors, launches by name, times.
 *
 * Nothing here may trust the candidate: it shares the process with it.
 */
#ifndef KG_HOST_RUNTIME_H
#define KG_HOST_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* Limits of the device that the host plays: as on a GPU of compute capability 9.0. */
#define KG_HOST_MAX_THREADS 1024
#define KG_HOST_MAX_SHARED  (227 * 1024) /* dynamic, opted in; 48 KiB without */

/* cudaError_t's numbers, so that candidates see what they know. */
enum kg_host_error {
    KG_HOST_OK = 0,
    KG_HOST_INVALID_VALUE = 1,
    KG_HOST_NO_MEMORY = 2,
    KG_HOST_INVALID_CONFIG = 9,
    KG_HOST_INVALID_PITCH = 12,
    KG_HOST_INVALID_DIRECTION = 21, /* of a copy */
    KG_HOST_INVALID_FUNCTION = 98,
    KG_HOST_INVALID_HANDLE = 400,
    KG_HOST_ASSERT = 710,
    KG_HOST_LAUNCH_FAILURE = 719,
    KG_HOST_DIVERGENT_BARRIER = 719, /* cudaErrorLaunchFailure; the text says what it was */
    KG_HOST_COOPERATIVE_TOO_LARGE = 720,
    KG_HOST_NOT_PERMITTED = 800,
    KG_HOST_NOT_SUPPORTED = 801,
};

/* One kernel, copy or set of the host device, as the worker reports it (claims, as everything from
 * there). */
enum kg_host_work { KG_HOST_KERNEL, KG_HOST_COPY, KG_HOST_SET };

struct kg_host_launch_record {
    char name[128]; /* of a kernel; "[copy]", "[set]", "[several]" (kg_host_take_launches) */
    enum kg_host_work work;
    double start_s, end_s; /* kg_clock_now() */
    unsigned grid[3], block[3];
    size_t shared; /* static and dynamic bytes */
};

/* Threads of the pool; to be called before the first launch. Default: the CPUs this process may
 * use, at most 26 (address space and mappings for the stacks of so many blocks). Where the system
 * gives fewer threads, fewer are used. */
void kg_host_set_threads(int n);

/* Ablation: from now on launches are checked and recorded, but nothing runs. */
void kg_host_set_inert(int inert);

/*
 * What cudaGetLastError still holds for this thread, as on a GPU: 0 when the candidate has taken
 * its errors itself, but an error that has ended a kernel stays, whatever thread launched it. Of
 * several the first one, since it says more. Forgets it; text may be NULL, and lasts until the next
 * call.
 */
int kg_host_take_error(const char **text);

/*
 * Kernels, copies and sets since the last call of this: copies at most max of them, by the end of
 * their work, and gives their true number. KG_HOST_RECORDS are kept. The last of these then stands
 * for all that came after as well: it ends with the last one and lasts as long as all of them
 * together; it is "[several]" when their names differ, and a kernel when any of them is one.
 */
#define KG_HOST_RECORDS 4096
size_t kg_host_take_launches(struct kg_host_launch_record *out, size_t max);

/* Seconds of allocating and freeing since the last call of this or of kg_host_take_launches, before
 * the first record began and after the last one ended: call it before that. */
double kg_host_take_allocating(void);

/* Waits for all streams. */
int kg_host_synchronize(void);

#endif
