/* A management library that knows only a device that is too hot. */
static int device;

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **d)
{
    (void)uuid;
    *d = &device;
    return 0;
}

int nvmlDeviceGetClockInfo(void *d, int what, unsigned *mhz)
{
    (void)d;
    (void)what;
    *mhz = 345;
    return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *why)
{
    (void)d;
    *why = 0x40;
    return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, void *p)
{
    (void)d;
    (void)n;
    (void)p;
    return 3;
}

int nvmlDeviceGetProcessUtilization(void *d, void *s, unsigned *n, unsigned long long since)
{
    (void)d;
    (void)s;
    (void)n;
    (void)since;
    return 3;
}
