/*
 * What the management library knows of a device: clock, throttling, whose processes are on it.
 * Opened at run time; where it is missing, nothing is known and nobody is blamed.
 */
#ifndef KG_DEVICE_NVML_H
#define KG_DEVICE_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct kg_nvml_state {
    bool known;
    double sm_clock_mhz;
    bool throttled; /* slowed by heat or power, not by idling or by its owner's setting */
};

/* uuid: "GPU-...". Thread-safe. */
void kg_nvml_state(const char *uuid, struct kg_nvml_state *out);

/* Process ids (of this pid namespace's view) that have a compute context on the device; returns
 * their number, at most max are copied; 0 when nothing is known. */
size_t kg_nvml_processes(const char *uuid, pid_t *pids, size_t max);

#endif
