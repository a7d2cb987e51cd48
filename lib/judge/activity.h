/*
 * What a device did in one call, from the tracer's record of it (worker/trace.h): whose kernels
 * ran, how long, and what else was on the device. Pure. A trace comes from the candidate's process:
 * all of this is a claim, but for the images, which are held against the artifact that was built.
 */
#ifndef KG_JUDGE_ACTIVITY_H
#define KG_JUDGE_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "worker/trace.h"
#include "worker/wire.h"

/* By where the code came from, never by name. */
enum kg_kernel_class {
    KG_KERNEL_CUSTOM,      /* image of the submitted source's own build */
    KG_KERNEL_LIBRARY,     /* image of an installed library */
    KG_KERNEL_LIBRARY_JIT, /* made at run time by a library */
    KG_KERNEL_FOREIGN,     /* neither */
    KG_KERNEL_COPY,
    KG_KERNEL_SET,
    KG_KERNEL_JUDGE, /* the worker's own; counts nowhere */
    KG_KERNEL_CLASSES
};
const char *kg_kernel_class_name(enum kg_kernel_class c);

/* The images of an artifact: of a cubin itself, of every fat binary inside a shared object. */
struct kg_images {
    uint64_t *hash;
    size_t n, cap;
};
int kg_images_of(const char *path, struct kg_images *out, struct kg_error *err);
void kg_images_release(struct kg_images *i);

enum kg_kernel_class kg_image_class(const struct kg_trace_image *image,
                                    const struct kg_images *own);

/* What else a call's trace shows, beside its launches. */
struct kg_activity {
    uint64_t outside; /* device work that was started between calls */
    double outside_us;
    uint64_t unjoined; /* work of the call that was still running when it answered */
    double lead_us,
        tail_us; /* begin of the call to first device work; last device work to its end */
    double api_us, sync_us; /* host time in driver and runtime calls; in those that wait */
    uint64_t ablated;
};

/* Device work of a call: kernels, copies and sets alike, by start. class_hint is the class. */
struct kg_launches {
    struct kg_wire_launch *v;
    size_t n, cap;
};

/*
 * Reads the trace of the last call; launches are replaced. The worker's own work is left out. -1
 * with err (KG_E_INTERNAL) when it cannot be trusted to be whole: the tracer is not attached, CUPTI
 * failed or dropped records, events were lost, 'calls' is not the number of calls collected. That
 * is NO_PROFILE of a candidate.
 */
int kg_activity_read(const struct kg_trace *t, const struct kg_images *own, uint32_t calls,
                     struct kg_launches *launches, struct kg_activity *out, struct kg_error *err);

#endif
