/* Which target a device means, and what --env prints. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "compile/cache.h"
#include "compile/compile.h"
#include "compile/tasks.h"
#include "compile/toolchain.h"
#include "device/cuda.h"

static int target_of_gpu(int index, char target[16], struct kg_error *err)
{
    struct kg_cuda_device d;
    if (kg_cuda_device(index, &d, err))
        return -1;
    snprintf(target, 16, "sm_%d%d", d.major, d.minor);
    return 0;
}

static bool is_gpu_target(const char *t)
{
    size_t n = strspn(t + (strncmp(t, "sm_", 3) ? 0 : 3), "0123456789");
    const char *rest = t + 3 + n;
    return !strncmp(t, "sm_", 3) && n >= 2 && n <= 3 &&
           (!*rest || ((*rest == 'a' || *rest == 'f') && !rest[1]));
}

int kg_compile_target_check(const char *target, struct kg_error *err)
{
    if (!strcmp(target, "host") || is_gpu_target(target))
        return 0;
    return kg_error_set(err, KG_E_USAGE, "'%s' is no target: host, sm_NN (sm_90) or auto", target);
}

int kg_compile_target(const char *device, char target[16], struct kg_error *err)
{
    int64_t index = 0;
    if (!strcmp(device, "host") || (!strcmp(device, "auto") && kg_cuda_count(NULL) < 1)) {
        memcpy(target, "host", sizeof "host");
        return 0;
    }
    if (!strncmp(device, "cuda:", 5)) {
        if (kg_num_int(device + 5, 0, 1023, &index, err))
            return -1;
    } else if (strcmp(device, "cuda") && strcmp(device, "auto")) {
        return kg_error_set(err, KG_E_USAGE, "'%s' is no device: auto, host, cuda or cuda:N",
                            device);
    }
    return target_of_gpu((int)index, target, err);
}

void kg_compile_env(struct kg_buf *out)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_buf notes = KG_BUF_INIT;
    kg_buf_addf(out, "kg: %s\n", KG_VERSION);
    kg_toolchain_env(kg_toolchain_get(NULL), out);
    int n = kg_cuda_count(&err);
    if (n < 0)
        kg_buf_addf(out, "driver: %s\n", err.text);
    else
        kg_buf_addf(out, "driver: CUDA %d.%d (%s)\n", kg_cuda_driver_version() / 1000,
                    kg_cuda_driver_version() % 1000 / 10, kg_cuda_path());
    for (int i = 0; i < n; i++) {
        struct kg_cuda_device d;
        struct kg_error bad = KG_ERROR_INIT;
        if (kg_cuda_device(i, &d, &bad))
            kg_buf_addf(out, "cuda:%d: %s\n", i, bad.text);
        else
            kg_buf_addf(out, "cuda:%d: %s, sm_%d%d, %llu MiB, %s\n", i, d.name, d.major, d.minor,
                        (unsigned long long)(d.memory_bytes >> 20), d.uuid);
    }
    kg_tasks_env(out);
    kg_buf_addf(out, "cache: %s\n", kg_cache_dir(&notes));
    kg_buf_add(out, kg_buf_str(&notes), notes.len);
    kg_buf_release(&notes);
}
