/*
 * The driver's functions as one table, for the files of lib/device that call them. A function is
 * added by one line in KG_CUDA_FUNCTIONS; names are expanded first, so that cuMemAlloc loads
 * cuMemAlloc_v2 as the vendor's header wants it.
 *
 *     const struct kg_cuda_api *cu = kg_cuda_api(err);
 *     if (!cu || KG_CUDA_TRY(err, cu, cuCtxSynchronize, ()))
 *         return -1;
 *
 * Sees a vendor header: must not be included outside lib/device.
 */
#ifndef KG_DEVICE_CUDA_API_H
#define KG_DEVICE_CUDA_API_H

#include <cuda.h>

#include "base/error.h"

#define KG_CUDA_FUNCTIONS(F)                                                                       \
    F(cuInit)                                                                                      \
    F(cuDriverGetVersion)                                                                          \
    F(cuGetErrorName)                                                                              \
    F(cuGetErrorString)                                                                            \
    F(cuDeviceGetCount)                                                                            \
    F(cuDeviceGet)                                                                                 \
    F(cuDeviceGetName)                                                                             \
    F(cuDeviceGetUuid)                                                                             \
    F(cuDeviceTotalMem)                                                                            \
    F(cuDeviceGetAttribute)                                                                        \
    F(cuCtxSetCurrent)                                                                             \
    F(cuCtxSynchronize)                                                                            \
    F(cuStreamSynchronize)                                                                         \
    F(cuEventCreate)                                                                               \
    F(cuEventRecord)                                                                               \
    F(cuEventElapsedTime)                                                                          \
    F(cuCtxResetPersistingL2Cache)                                                                 \
    F(cuDevicePrimaryCtxRetain)                                                                    \
    F(cuDevicePrimaryCtxRelease)                                                                   \
    F(cuMemGetInfo)                                                                                \
    F(cuMemAlloc)                                                                                  \
    F(cuMemFree)                                                                                   \
    F(cuMemcpyDtoD)                                                                                \
    F(cuMemcpyHtoD)                                                                                \
    F(cuMemcpyDtoH)                                                                                \
    F(cuMemGetAllocationGranularity)                                                               \
    F(cuMemCreate)                                                                                 \
    F(cuMemRelease)                                                                                \
    F(cuMemExportToShareableHandle)                                                                \
    F(cuMemImportFromShareableHandle)                                                              \
    F(cuMemAddressReserve)                                                                         \
    F(cuMemAddressFree)                                                                            \
    F(cuMemMap)                                                                                    \
    F(cuMemUnmap)                                                                                  \
    F(cuMemSetAccess)                                                                              \
    F(cuModuleLoadData)                                                                            \
    F(cuModuleUnload)                                                                              \
    F(cuModuleGetFunction)                                                                         \
    F(cuModuleGetFunctionCount)                                                                    \
    F(cuModuleEnumerateFunctions)                                                                  \
    F(cuFuncGetName)                                                                               \
    F(cuFuncSetAttribute)                                                                          \
    F(cuLaunchKernel)

struct kg_cuda_api {
#define KG_CUDA_MEMBER(name) __typeof__(&name) name;
    KG_CUDA_FUNCTIONS(KG_CUDA_MEMBER)
#undef KG_CUDA_MEMBER
};

/* The table, loaded and initialised once; NULL with err. */
const struct kg_cuda_api *kg_cuda_api(struct kg_error *err);

/* Sets err from a failed call; returns -1. file may be a path: its last part is shown. */
int kg_cuda_fail(struct kg_error *err, CUresult r, const char *call, const char *file, int line);

#define KG_CUDA_TRY(err, api, name, args)                                                          \
    kg_cuda_check((err), (api)->name args, #name, __FILE__, __LINE__)

static inline int kg_cuda_check(struct kg_error *err, CUresult r, const char *call,
                                const char *file, int line)
{
    return r == CUDA_SUCCESS ? 0 : kg_cuda_fail(err, r, call, file, line);
}

#endif
