#include "device/gpu.h"

#if KG_HAVE_CUDA /* else nothing of it is called: see worker/cuda.c and judge/space.c */
#include "base/mem.h"
#include "device/cuda_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kg_gpu {
    const struct kg_cuda_api *cu;
    struct kg_cuda_device info;
    CUdevice device;
    CUcontext context;
    size_t granule, l2;
};

struct kg_gpu_module {
    CUmodule handle;
};

static _Thread_local int last_code;

int kg_gpu_last_code(void)
{
    return last_code;
}

/* The errors after which a context or a device cannot be used any more. */
static int is_lost(CUresult r)
{
    switch ((int)r) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_DEVICE_NOT_LICENSED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case 226: /* CUDA_ERROR_CONTAINED; older headers lack the two */
    case 721: /* CUDA_ERROR_TENSOR_MEMORY_LEAK */
        return 1;
    default:
        return 0;
    }
}

static int check(struct kg_error *err, CUresult r, const char *call, int line)
{
    last_code = (int)r;
    if (r == CUDA_SUCCESS)
        return 0;
    bool fresh = err && !err->code;
    kg_cuda_fail(err, r, call, __FILE__, line);
    if (fresh && is_lost(r))
        err->code = KG_E_LOST;
    return -1;
}

#define TRY(name, args) check(err, g->cu->name args, #name, __LINE__)
#define ENTER(g)        (check(err, (g)->cu->cuCtxSetCurrent((g)->context), "cuCtxSetCurrent", __LINE__))

static CUmemAllocationProp memory_kind(const struct kg_gpu *g)
{
    CUmemAllocationProp p;
    memset(&p, 0, sizeof p);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = g->device;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return p;
}

static int set_up(struct kg_gpu *g, int index, struct kg_error *err)
{
    int l2 = 0;
    if (kg_cuda_device(index, &g->info, err) || TRY(cuDeviceGet, (&g->device, index)) ||
        TRY(cuDevicePrimaryCtxRetain, (&g->context, g->device)))
        return -1;
    CUmemAllocationProp kind = memory_kind(g);
    if (ENTER(g) ||
        TRY(cuMemGetAllocationGranularity,
            (&g->granule, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM)) ||
        TRY(cuDeviceGetAttribute, (&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, g->device)))
        return -1;
    g->l2 = (size_t)l2;
    return 0;
}

struct kg_gpu *kg_gpu_open(int index, struct kg_error *err)
{
    const struct kg_cuda_api *cu = kg_cuda_api(err);
    if (!cu)
        return NULL;
    struct kg_gpu *g = kg_mem_zalloc(sizeof *g);
    g->cu = cu;
    if (!set_up(g, index, err))
        return g;
    kg_gpu_close(g);
    return NULL;
}

void kg_gpu_close(struct kg_gpu *g)
{
    if (!g)
        return;
    if (g->context)
        g->cu->cuDevicePrimaryCtxRelease(g->device);
    free(g);
}

const struct kg_cuda_device *kg_gpu_device(const struct kg_gpu *g)
{
    return &g->info;
}

void kg_gpu_target(const struct kg_gpu *g, char target[16])
{
    snprintf(target, 16, "sm_%d%d", g->info.major % 100, g->info.minor % 100);
}

size_t kg_gpu_l2_bytes(const struct kg_gpu *g)
{
    return g->l2;
}

int kg_gpu_mem_info(struct kg_gpu *g, uint64_t *free_bytes, uint64_t *total, struct kg_error *err)
{
    size_t f = 0, t = 0;
    if (ENTER(g) || TRY(cuMemGetInfo, (&f, &t)))
        return -1;
    *free_bytes = f;
    *total = t;
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------ */

int kg_gpu_alloc(struct kg_gpu *g, size_t bytes, uint64_t *address, struct kg_error *err)
{
    CUdeviceptr p = 0;
    *address = 0;
    if (ENTER(g) || TRY(cuMemAlloc, (&p, bytes ? bytes : 1)))
        return -1;
    *address = p;
    return 0;
}

void kg_gpu_free(struct kg_gpu *g, uint64_t address)
{
    if (!address)
        return;
    g->cu->cuCtxSetCurrent(g->context);
    g->cu->cuMemFree(address);
}

int kg_gpu_copy(struct kg_gpu *g, uint64_t dst, uint64_t src, size_t bytes, struct kg_error *err)
{
    if (!bytes)
        return 0;
    return ENTER(g) || TRY(cuMemcpyDtoD, (dst, src, bytes)) || TRY(cuCtxSynchronize, ()) ? -1 : 0;
}

int kg_gpu_upload(struct kg_gpu *g, uint64_t dst, const void *src, size_t bytes,
                  struct kg_error *err)
{
    if (!bytes)
        return 0;
    return ENTER(g) || TRY(cuMemcpyHtoD, (dst, src, bytes)) || TRY(cuCtxSynchronize, ()) ? -1 : 0;
}

int kg_gpu_read(struct kg_gpu *g, void *dst, uint64_t src, size_t bytes, struct kg_error *err)
{
    if (!bytes)
        return 0;
    return ENTER(g) || TRY(cuMemcpyDtoH, (dst, src, bytes)) ? -1 : 0;
}

int kg_gpu_synchronize(struct kg_gpu *g, struct kg_error *err)
{
    return ENTER(g) || TRY(cuCtxSynchronize, ()) ? -1 : 0;
}

int kg_gpu_synchronize_default(struct kg_gpu *g, struct kg_error *err)
{
    return ENTER(g) || TRY(cuStreamSynchronize, (CU_STREAM_LEGACY)) ? -1 : 0;
}

int kg_gpu_timer_new(struct kg_gpu *g, struct kg_gpu_timer *t, struct kg_error *err)
{
    CUevent start = NULL, stop = NULL;
    int rc = ENTER(g) || TRY(cuEventCreate, (&start, CU_EVENT_DEFAULT)) ||
                     TRY(cuEventCreate, (&stop, CU_EVENT_DEFAULT))
                 ? -1
                 : 0;
    *t = (struct kg_gpu_timer){start, stop};
    return rc;
}

int kg_gpu_timer_start(struct kg_gpu *g, struct kg_gpu_timer *t, struct kg_error *err)
{
    return ENTER(g) || TRY(cuEventRecord, (t->start, CU_STREAM_LEGACY)) ? -1 : 0;
}

int kg_gpu_timer_stop(struct kg_gpu *g, struct kg_gpu_timer *t, struct kg_error *err)
{
    return ENTER(g) || TRY(cuEventRecord, (t->stop, CU_STREAM_LEGACY)) ? -1 : 0;
}

int kg_gpu_timer_us(struct kg_gpu *g, struct kg_gpu_timer *t, double *us, struct kg_error *err)
{
    float ms = 0;
    if (ENTER(g) || TRY(cuEventElapsedTime, (&ms, t->start, t->stop)))
        return -1;
    *us = 1e3 * (double)ms;
    return 0;
}

/* ---- memory that crosses processes ----------------------------------------------------------- */

static int map_shared(struct kg_gpu *g, struct kg_gpu_shared *s, bool read_only,
                      struct kg_error *err)
{
    CUdeviceptr p = 0;
    if (TRY(cuMemAddressReserve, (&p, s->bytes, 0, 0, 0)))
        return -1;
    if (TRY(cuMemMap, (p, s->bytes, 0, s->handle, 0))) {
        g->cu->cuMemAddressFree(p, s->bytes);
        return -1;
    }
    s->address = p;
    CUmemAccessDesc access;
    memset(&access, 0, sizeof access);
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = g->device;
    access.flags = read_only ? CU_MEM_ACCESS_FLAGS_PROT_READ : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return TRY(cuMemSetAccess, (p, s->bytes, &access, 1));
}

int kg_gpu_shared_new(struct kg_gpu *g, size_t bytes, struct kg_gpu_shared *out,
                      struct kg_error *err)
{
    *out = (struct kg_gpu_shared)KG_GPU_SHARED_INIT;
    CUmemAllocationProp kind = memory_kind(g);
    CUmemGenericAllocationHandle handle = 0;
    size_t whole = (bytes + g->granule - 1) / g->granule * g->granule;
    if (ENTER(g) || TRY(cuMemCreate, (&handle, whole ? whole : g->granule, &kind, 0)))
        return -1;
    out->bytes = whole ? whole : g->granule;
    out->handle = handle;
    if (map_shared(g, out, false, err) ||
        TRY(cuMemExportToShareableHandle,
            (&out->fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0))) {
        kg_gpu_shared_free(g, out);
        return -1;
    }
    return 0;
}

int kg_gpu_shared_import(struct kg_gpu *g, int fd, size_t bytes, bool read_only,
                         struct kg_gpu_shared *out, struct kg_error *err)
{
    *out = (struct kg_gpu_shared)KG_GPU_SHARED_INIT;
    CUmemGenericAllocationHandle handle = 0;
    if (ENTER(g) || TRY(cuMemImportFromShareableHandle,
                        (&handle, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)))
        return -1;
    out->bytes = bytes;
    out->handle = handle;
    if (!map_shared(g, out, read_only, err))
        return 0;
    kg_gpu_shared_free(g, out);
    return -1;
}

void kg_gpu_shared_free(struct kg_gpu *g, struct kg_gpu_shared *s)
{
    g->cu->cuCtxSetCurrent(g->context);
    if (s->address) {
        g->cu->cuMemUnmap(s->address, s->bytes);
        g->cu->cuMemAddressFree(s->address, s->bytes);
    }
    if (s->handle)
        g->cu->cuMemRelease(s->handle);
    if (s->fd >= 0)
        close(s->fd);
    *s = (struct kg_gpu_shared)KG_GPU_SHARED_INIT;
}

/* ---- modules and launches ---------------------------------------------------------------- */

struct kg_gpu_module *kg_gpu_module_load(struct kg_gpu *g, const void *image, struct kg_error *err)
{
    CUmodule m = NULL;
    if (ENTER(g) || TRY(cuModuleLoadData, (&m, image)))
        return NULL;
    struct kg_gpu_module *module = kg_mem_zalloc(sizeof *module);
    module->handle = m;
    return module;
}

void kg_gpu_module_free(struct kg_gpu *g, struct kg_gpu_module *m)
{
    if (!m)
        return;
    g->cu->cuCtxSetCurrent(g->context);
    g->cu->cuModuleUnload(m->handle);
    free(m);
}

uint64_t kg_gpu_kernel(struct kg_gpu *g, struct kg_gpu_module *m, const char *name,
                       struct kg_error *err)
{
    CUfunction f = NULL;
    if (ENTER(g) || TRY(cuModuleGetFunction, (&f, m->handle, name))) {
        if (err && last_code == CUDA_ERROR_NOT_FOUND)
            err->code = KG_E_MISSING;
        return 0;
    }
    return (uint64_t)(uintptr_t)f;
}

uint64_t kg_gpu_kernel_like(struct kg_gpu *g, struct kg_gpu_module *m, const char *part,
                            struct kg_error *err)
{
    unsigned n = 0;
    if (ENTER(g) || TRY(cuModuleGetFunctionCount, (&n, m->handle)))
        return 0;
    CUfunction *all = kg_mem_array(n ? n : 1, sizeof *all);
    CUfunction found = NULL;
    unsigned matches = 0;
    if (!TRY(cuModuleEnumerateFunctions, (all, n, m->handle)))
        for (unsigned i = 0; i < n; i++) {
            const char *name = NULL;
            if (g->cu->cuFuncGetName(&name, all[i]) != CUDA_SUCCESS || !name)
                continue;
            if (n == 1 || strstr(name, part)) {
                found = all[i];
                matches++;
            }
        }
    free(all);
    if (matches == 1)
        return (uint64_t)(uintptr_t)found;
    kg_error_set(err, KG_E_MISSING, "%u of %u kernels in the image have '%s' in their name",
                 matches, n, part);
    return 0;
}

#define OPT_IN_ABOVE (48 * 1024)

int kg_gpu_launch(struct kg_gpu *g, uint64_t kernel, const unsigned grid[3],
                  const unsigned block[3], size_t shared, void **args, int *code,
                  struct kg_error *err)
{
    CUfunction f = (CUfunction)(uintptr_t)kernel;
    int rc = ENTER(g);
    if (!rc && shared > OPT_IN_ABOVE)
        rc = TRY(cuFuncSetAttribute,
                 (f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared));
    if (!rc)
        rc = TRY(cuLaunchKernel, (f, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                  (unsigned)shared, NULL, args, NULL));
    if (code)
        *code = rc ? last_code : 0;
    return rc;
}

unsigned kg_gpu_blocks_n(const struct kg_gpu *g, uint64_t n)
{
    uint64_t useful = (n + 255) / 256, most = (uint64_t)g->info.multiprocessors * 16;
    if (!useful)
        return 1;
    return (unsigned)(useful < most ? useful : most);
}

int kg_gpu_launch_n(struct kg_gpu *g, uint64_t kernel, uint64_t n, void **args,
                    struct kg_error *err)
{
    const unsigned grid[3] = {kg_gpu_blocks_n(g, n), 1, 1}, block[3] = {256, 1, 1};
    return kg_gpu_launch(g, kernel, grid, block, 0, args, NULL, err);
}

int kg_gpu_reset_l2(struct kg_gpu *g, struct kg_error *err)
{
    return ENTER(g) || TRY(cuCtxResetPersistingL2Cache, ()) ? -1 : 0;
}

#endif
