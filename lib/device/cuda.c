#include "device/cuda.h"

#include <stdio.h>

#if KG_HAVE_CUDA

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "device/cuda_api.h"

static struct kg_cuda_api api;
static struct kg_error open_error;
static const char *open_path;
static pthread_once_t open_once = PTHREAD_ONCE_INIT;

/* Two levels, so that the name is expanded before it becomes a string. */
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

static int load_functions(void *lib)
{
#define LOAD(name)                                                                                 \
    if (!(*(void **)&api.name = dlsym(lib, TEXT(name))))                                           \
        return kg_error_set(&open_error, KG_E_MISSING, "the CUDA driver is too old: no '%s'",      \
                            TEXT(name));
    KG_CUDA_FUNCTIONS(LOAD)
#undef LOAD
    return 0;
}

static void open_driver(void)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so"};
    void *lib = NULL;
    char first[512] = "";
    for (size_t i = 0; i < sizeof names / sizeof *names && !lib; i++) {
        lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (lib)
            open_path = names[i];
        else if (!*first)
            snprintf(first, sizeof first, "%s", dlerror());
    }
    if (!lib) {
        kg_error_set(&open_error, KG_E_MISSING, "no CUDA driver: %s", first);
        return;
    }
    if (load_functions(lib))
        return;
    KG_CUDA_TRY(&open_error, &api, cuInit, (0));
}

const struct kg_cuda_api *kg_cuda_api(struct kg_error *err)
{
    pthread_once(&open_once, open_driver);
    if (open_error.code) {
        kg_error_set(err, open_error.code, "%s", open_error.text);
        return NULL;
    }
    return &api;
}

int kg_cuda_fail(struct kg_error *err, CUresult r, const char *call, const char *file, int line)
{
    const char *name = NULL, *text = NULL;
    if (api.cuGetErrorName)
        api.cuGetErrorName(r, &name);
    if (api.cuGetErrorString)
        api.cuGetErrorString(r, &text);
    const char *slash = strrchr(file, '/');
    int code = KG_E_SYSTEM;
    if (r == CUDA_ERROR_NO_DEVICE || r == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH ||
        r == CUDA_ERROR_STUB_LIBRARY)
        code = KG_E_MISSING;
    else if (r == CUDA_ERROR_DEVICE_UNAVAILABLE || r == CUDA_ERROR_ECC_UNCORRECTABLE)
        code = KG_E_LOST;
    return kg_error_set(err, code, "%s: %s (%d): %s [%s:%d]", call, name ? name : "unknown error",
                        (int)r, text ? text : "no text", slash ? slash + 1 : file, line);
}

int kg_cuda_open(struct kg_error *err)
{
    return kg_cuda_api(err) ? 0 : -1;
}

int kg_cuda_count(struct kg_error *err)
{
    const struct kg_cuda_api *cu = kg_cuda_api(err);
    int n = 0;
    if (!cu || KG_CUDA_TRY(err, cu, cuDeviceGetCount, (&n)))
        return -1;
    return n;
}

static void format_uuid(const CUuuid *u, char *out, size_t size)
{
    const unsigned char *b = (const unsigned char *)u->bytes;
    snprintf(out, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
             b[14], b[15]);
}

int kg_cuda_device(int index, struct kg_cuda_device *out, struct kg_error *err)
{
    const struct kg_cuda_api *cu = kg_cuda_api(err);
    CUdevice dev;
    CUuuid uuid;
    size_t bytes = 0;
    *out = (struct kg_cuda_device){.index = index};
    if (!cu)
        return -1;
    int n = kg_cuda_count(err);
    if (n < 0)
        return -1;
    if (index < 0 || index >= n)
        return kg_error_set(err, KG_E_MISSING, "no device cuda:%d: %d visible", index, n);
    if (KG_CUDA_TRY(err, cu, cuDeviceGet, (&dev, index)) ||
        KG_CUDA_TRY(err, cu, cuDeviceGetName, (out->name, sizeof out->name, dev)) ||
        KG_CUDA_TRY(err, cu, cuDeviceGetUuid, (&uuid, dev)) ||
        KG_CUDA_TRY(err, cu, cuDeviceTotalMem, (&bytes, dev)) ||
        KG_CUDA_TRY(err, cu, cuDeviceGetAttribute,
                    (&out->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev)) ||
        KG_CUDA_TRY(err, cu, cuDeviceGetAttribute,
                    (&out->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev)) ||
        KG_CUDA_TRY(err, cu, cuDeviceGetAttribute,
                    (&out->multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, dev)))
        return -1;
    format_uuid(&uuid, out->uuid, sizeof out->uuid);
    out->memory_bytes = bytes;
    return 0;
}

int kg_cuda_driver_version(void)
{
    const struct kg_cuda_api *cu = kg_cuda_api(NULL);
    int version = 0;
    if (!cu || cu->cuDriverGetVersion(&version) != CUDA_SUCCESS)
        return 0;
    return version;
}

const char *kg_cuda_path(void)
{
    return kg_cuda_open(NULL) ? NULL : open_path;
}

#else /* built without the toolkit's headers: the host device is all there is */

static int no_cuda(struct kg_error *err)
{
    return kg_error_set(err, KG_E_MISSING, "this kg was built without CUDA's headers");
}

int kg_cuda_open(struct kg_error *err)
{
    return no_cuda(err);
}

int kg_cuda_count(struct kg_error *err)
{
    return no_cuda(err);
}

int kg_cuda_device(int index, struct kg_cuda_device *out, struct kg_error *err)
{
    *out = (struct kg_cuda_device){.index = index};
    return no_cuda(err);
}

int kg_cuda_driver_version(void)
{
    return 0;
}

const char *kg_cuda_path(void)
{
    return NULL;
}

#endif
