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

/* DESIGN 8. By where the code came from, never by name. */
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

/* All launches of one kernel (name and class) in the calls that were added. */
struct kg_activity_kernel {
    char name[KG_TRACE_NAME];
    enum kg_kernel_class class;
    double device_us;
    uint64_t launches;
    uint32_t grid[3], block[3], registers, shared; /* of its last launch */
};

struct kg_activity {
    double span_us; /* first start to last end of the candidate's work, all streams */
    double busy_us; /* union of the intervals in it */
    double class_us[KG_KERNEL_CLASSES]; /* sums of durations */
    uint64_t launches[KG_KERNEL_CLASSES];
    uint64_t outside; /* device work that was started between calls */
    double outside_us;
    double lead_us;         /* begin of the call to the first device record, less nothing */
    double tail_us;         /* last device record to the end of the call */
    double api_us, sync_us; /* host time in driver and runtime calls */
    uint64_t ablated, failed_launches;
    struct kg_activity_kernel *kernels; /* longest first */
    size_t n_kernels, cap_kernels;
};

#define KG_ACTIVITY_INIT                                                                           \
    {                                                                                              \
        0                                                                                          \
    }

/*
 * Reads the trace of the last call. -1 with err (KG_E_INTERNAL) when it cannot be trusted to be
 * whole: the tracer is not attached, CUPTI failed or dropped records, events were lost, 'calls' is
 * not the number of calls collected. That is NO_PROFILE of a candidate.
 */
int kg_activity_read(const struct kg_trace *t, const struct kg_images *own, uint32_t calls,
                     struct kg_activity *out, struct kg_error *err);
void kg_activity_release(struct kg_activity *a);

/* Sums and kernels of 'more' are added to 'all' (spans too); for a profile over many calls. */
void kg_activity_add(struct kg_activity *all, const struct kg_activity *more);

/* Of the device time of the candidate's calls, the custom share; by time and by launches; 0 to 1,
 * NaN when nothing ran. */
double kg_activity_time_coverage(const struct kg_activity *a);
double kg_activity_count_coverage(const struct kg_activity *a);

#endif
