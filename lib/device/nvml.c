#include "device/nvml.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

struct process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
};

struct sample {
    unsigned pid;
    unsigned long long us;
    unsigned sm, memory, encoder, decoder; /* percent */
};

static struct {
    bool open;
    int (*init)(void);
    int (*by_uuid)(const char *, device_t *);
    int (*clock)(device_t, int, unsigned *);
    int (*reasons)(device_t, unsigned long long *);
    int (*processes)(device_t, unsigned *, struct process *);
    int (*samples)(device_t, struct sample *, unsigned *, unsigned long long);
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
                  {"nvmlDeviceGetCurrentClocksThrottleReasons", (void **)&nvml.reasons},
                  {"nvmlDeviceGetComputeRunningProcesses_v3", (void **)&nvml.processes},
                  {"nvmlDeviceGetProcessUtilization", (void **)&nvml.samples}};
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

int kg_nvml_users(const char *uuid, unsigned *pid, int max)
{
    device_t d;
    struct process p[KG_NVML_USERS];
    unsigned n = KG_NVML_USERS;
    int found = 0;
    if (!find(uuid, &d) || nvml.processes(d, &n, p) != SUCCESS)
        return -1;
    for (unsigned i = 0; i < n; i++) {
        unsigned before = 0;
        while (before < i && p[before].pid != p[i].pid)
            before++;
        if (before < i)
            continue;
        if (found < max)
            pid[found] = p[i].pid;
        found++;
    }
    return found;
}

int kg_nvml_used(const char *uuid, unsigned pid, uint64_t since_us)
{
    device_t d;
    unsigned n = 0;
    int used = -1;
    if (!find(uuid, &d))
        return -1;
    nvml.samples(d, NULL, &n, since_us); /* says how many it has room for */
    struct sample *s = kg_mem_array(n ? n : 1, sizeof *s);
    if (n && nvml.samples(d, s, &n, since_us) == SUCCESS)
        for (unsigned i = 0; i < n; i++)
            if (s[i].pid == pid && s[i].us > since_us)
                used = used > 0 || s[i].sm > 0;
    free(s);
    return used;
}
