/*
 * What the management library knows of a device: clock and throttling.
 * Opened at run time; where it is missing, nothing is known and nobody is blamed.
 */
#ifndef KG_DEVICE_NVML_H
#define KG_DEVICE_NVML_H

#include <stdbool.h>

struct kg_nvml_state {
    bool known;
    double sm_clock_mhz;
    bool throttled; /* slowed by heat or power, not by idling or by its owner's setting */
};

/* uuid: "GPU-...". Thread-safe. */
void kg_nvml_state(const char *uuid, struct kg_nvml_state *out);

#endif
