#include "device/nvml.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* The few declarations that are needed (the management library's header is not in the toolkit's
 * base package): names and values as its reference manual gives them. */
typedef void *device_t;
enum { CLOCK_SM = 1, SUCCESS = 0 };

/* reasons that slow the device against its will */
#define HW_SLOWDOWN         0x08ull
#define SW_THERMAL_SLOWDOWN 0x20ull
#define HW_THERMAL_SLOWDOWN 0x40ull
#define HW_POWER_BRAKE      0x80ull
#define SLOWED              (HW_SLOWDOWN | SW_THERMAL_SLOWDOWN | HW_THERMAL_SLOWDOWN | HW_POWER_BRAKE)

static struct {
    bool open;
    int (*init)(void);
    int (*by_uuid)(const char *, device_t *);
    int (*clock)(device_t, int, unsigned *);
    int (*reasons)(device_t, unsigned long long *);
} nvml;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
    void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return;
    const struct {
        const char *name;
        void **to;
    } wanted[] = {{"nvmlInit_v2", (void **)&nvml.init},
                  {"nvmlDeviceGetHandleByUUID", (void **)&nvml.by_uuid},
                  {"nvmlDeviceGetClockInfo", (void **)&nvml.clock},
                  {"nvmlDeviceGetCurrentClocksThrottleReasons", (void **)&nvml.reasons}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!(*wanted[i].to = dlsym(lib, wanted[i].name)))
            return;
    nvml.open = nvml.init() == SUCCESS;
}

static bool find(const char *uuid, device_t *d)
{
    pthread_once(&once, open_library);
    return nvml.open && nvml.by_uuid(uuid, d) == SUCCESS;
}

void kg_nvml_state(const char *uuid, struct kg_nvml_state *out)
{
    device_t d;
    unsigned mhz = 0;
    unsigned long long why = 0;
    memset(out, 0, sizeof *out);
    if (!find(uuid, &d) || nvml.clock(d, CLOCK_SM, &mhz) != SUCCESS)
        return;
    out->known = true;
    out->sm_clock_mhz = mhz;
    if (nvml.reasons(d, &why) == SUCCESS)
        out->throttled = (why & SLOWED) != 0;
}
