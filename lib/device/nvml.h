/*
 * What the management library knows of a device: clock, throttling, and who else uses it.
 * Opened at run time; where it is missing, nothing is known and nobody is blamed.
 * All calls are thread-safe and take some microseconds (kg_nvml_used: 2 ms).
 */
#ifndef KG_DEVICE_NVML_H
#define KG_DEVICE_NVML_H

#include <stdbool.h>
#include <stdint.h>

struct kg_nvml_state {
    bool known;
    double sm_clock_mhz;
    bool throttled; /* slowed by heat or power, not by idling or by its owner's setting */
};

/* uuid: "GPU-...", here and below. */
void kg_nvml_state(const char *uuid, struct kg_nvml_state *out);

/* Processes that hold a compute context on the device, each once; the first 'max' are written.
 * Their numbers are those of the caller's pid namespace, or of the host's where the library knows
 * no better: who does not find himself among them cannot read them. Returns how many; -1: not
 * known. */
#define KG_NVML_USERS 256
int kg_nvml_users(const char *uuid, unsigned *pid, int max);

/* Has the process used the multiprocessors of the device after 'since_us' (microseconds of
 * CLOCK_REALTIME)? 1: yes, 0: no, -1: the library has not sampled it since (it does about once a
 * second). */
int kg_nvml_used(const char *uuid, unsigned pid, uint64_t since_us);

#endif
