/* The management library, played by one of our own: what it says is read, and its errors are no
 * knowledge. */
#include "tap.h"

#include "../fake_library.h"
#include "device/nvml.h"

static const char library[] =
    "#include <string.h>\n"
    "struct process { unsigned pid; unsigned long long bytes; unsigned gi, ci; };\n"
    "struct sample { unsigned pid; unsigned long long us; unsigned sm, mem, enc, dec; };\n"
    "static int devices[2];\n"
    "int nvmlInit_v2(void) { return 0; }\n"
    "int nvmlDeviceGetHandleByUUID(const char *u, void **d)\n"
    "{ *d = &devices[!strcmp(u, \"GPU-2\")]; return !strcmp(u, \"GPU-none\") ? 6 : 0; }\n"
    "int nvmlDeviceGetClockInfo(void *d, int what, unsigned *mhz)\n"
    "{ *mhz = what == 1 ? 1755 : 1; return d == &devices[1] ? 999 : 0; }\n"
    "int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *why)\n"
    "{ *why = 0x20; return 0; }\n"
    "int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, struct process *p)\n"
    "{ static const unsigned pid[4] = {7, 8, 7, 9};\n"
    "  if (d == &devices[1]) return 3;\n"
    "  for (*n = 0; *n < 4; ++*n) p[*n] = (struct process){pid[*n], 1, *n, 0};\n"
    "  return 0; }\n"
    "int nvmlDeviceGetProcessUtilization(void *d, struct sample *s, unsigned *n,\n"
    "                                    unsigned long long since)\n"
    "{ if (d == &devices[1] || since > 300) return 6;\n"
    "  if (!s) { *n = 3; return 7; }\n"
    "  s[0] = (struct sample){7, 200, 0}; s[1] = (struct sample){8, 250, 12};\n"
    "  s[2] = (struct sample){7, 280, 0};\n"
    "  *n = 3; return 0; }\n";

int main(int argc, char **argv)
{
    (void)argc;
    struct kg_nvml_state state;
    unsigned pid[4] = {0};
    fake_library("libnvidia-ml.so.1", library, argv);

    kg_nvml_state("GPU-1", &state);
    OK(state.known && state.throttled && state.sm_clock_mhz == 1755);
    kg_nvml_state("GPU-2", &state);
    OK(!state.known && !state.throttled);
    kg_nvml_state("GPU-none", &state);
    OK(!state.known);

    EQ_INT(kg_nvml_users("GPU-1", pid, 4), 3); /* 7 holds two instances */
    OK(pid[0] == 7 && pid[1] == 8 && pid[2] == 9);
    EQ_INT(kg_nvml_users("GPU-1", pid, 1), 3);
    EQ_INT(kg_nvml_users("GPU-2", pid, 4), -1);
    EQ_INT(kg_nvml_users("GPU-none", pid, 4), -1);

    EQ_INT(kg_nvml_used("GPU-1", 7, 100), 0);
    EQ_INT(kg_nvml_used("GPU-1", 8, 100), 1);
    EQ_INT(kg_nvml_used("GPU-1", 8, 250), -1); /* not since */
    EQ_INT(kg_nvml_used("GPU-1", 9, 100), -1);
    EQ_INT(kg_nvml_used("GPU-1", 8, 400), -1);
    EQ_INT(kg_nvml_used("GPU-2", 8, 100), -1);

    fake_library_remove();
    return tap_done();
}
