/*
 * The runtime API's device and function management. The host device says what it is: one
 * multiprocessor is one OS thread of its pool. Limits of a block are those of compute capability 9.0.
 */
#ifndef KG_DEVICE_API_H
#define KG_DEVICE_API_H

struct cudaUUID_t {
    char bytes[16];
};

struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory, concurrentKernels, ECCEnabled;
    int pciBusID, pciDeviceID, pciDomainID, asyncEngineCount, unifiedAddressing;
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
    int pageableMemoryAccess, concurrentManagedAccess, cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int clockRate, memoryClockRate; /* kHz; 0: the host device has none */
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMemoryPoolsSupported = 115,
};

enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitPersistingL2CacheSize = 6,
};

enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3,
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2,
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100,
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

/* ---- devices --------------------------------------------------------------------------------- */

KG_API(kg_check_device)(int device)
{
    return kg_error(device == 0 ? 0 : kg_host_fail(101, "there is one device, number 0"));
}
KG_API(cudaGetDeviceCount)(int *n)
{
    *n = 1;
    return cudaSuccess;
}
KG_API(cudaGetDevice)(int *device)
{
    *device = 0;
    return cudaSuccess;
}
KG_API(cudaSetDevice)(int device)
{
    return kg_check_device(device);
}
KG_API(cudaDeviceSynchronize)()
{
    return kg_error(kg_host_synchronize());
}
KG_API(cudaDeviceReset)()
{
    return cudaSuccess;
}
KG_API(cudaSetDeviceFlags)(unsigned)
{
    return cudaSuccess;
}
KG_API(cudaDeviceSetLimit)(cudaLimit, size_t)
{
    return cudaSuccess;
}
KG_API(cudaDeviceGetLimit)(size_t *value, cudaLimit limit)
{
    *value = limit == cudaLimitStackSize ? 1024 : limit == cudaLimitMallocHeapSize ? 8 << 20 : 0;
    return cudaSuccess;
}
KG_API(cudaDeviceSetCacheConfig)(cudaFuncCache)
{
    return cudaSuccess;
}
KG_API(cudaDeviceSetSharedMemConfig)(cudaSharedMemConfig)
{
    return cudaSuccess;
}
KG_API(cudaRuntimeGetVersion)(int *v)
{
    *v = CUDART_VERSION;
    return cudaSuccess;
}
KG_API(cudaDriverGetVersion)(int *v)
{
    *v = CUDART_VERSION;
    return cudaSuccess;
}
KG_API(cudaProfilerStart)()
{
    return cudaSuccess;
}
KG_API(cudaProfilerStop)()
{
    return cudaSuccess;
}

static inline int kg_attribute(cudaDeviceAttr a)
{
    switch (a) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
        return 1024;
    case cudaDevAttrMaxBlockDimZ:
        return 64;
    case cudaDevAttrMaxGridDimX:
        return 2147483647;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return 48 * 1024;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return 227 * 1024;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return 228 * 1024;
    case cudaDevAttrTotalConstantMemory:
        return 64 * 1024;
    case cudaDevAttrWarpSize:
        return 32;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        return 65536;
    case cudaDevAttrMultiProcessorCount:
        return kg_host_processors();
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return 2048;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return 32;
    case cudaDevAttrL2CacheSize:
        return 1 << 20;
    case cudaDevAttrComputeCapabilityMajor:
        return 9;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
        return 1;
    default:
        return 0;
    }
}
KG_API(cudaDeviceGetAttribute)(int *value, cudaDeviceAttr a, int device)
{
    *value = kg_attribute(a);
    return kg_check_device(device);
}

KG_API(cudaGetDeviceProperties)(cudaDeviceProp *p, int device)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "kg host device");
    p->totalGlobalMem = kg_host_memory_total();
    p->sharedMemPerBlock = 48 * 1024;
    p->sharedMemPerBlockOptin = 227 * 1024;
    p->sharedMemPerMultiprocessor = 228 * 1024;
    p->reservedSharedMemPerBlock = 1024;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = 32;
    p->memPitch = 2147483647;
    p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->totalConstMem = 64 * 1024;
    p->major = 9;
    p->textureAlignment = 512;
    p->texturePitchAlignment = 32;
    p->multiProcessorCount = kg_host_processors();
    p->maxThreadsPerMultiProcessor = 2048;
    p->maxBlocksPerMultiProcessor = 32;
    p->l2CacheSize = kg_attribute(cudaDevAttrL2CacheSize);
    p->integrated = p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = 1;
    p->managedMemory = p->cooperativeLaunch = p->pageableMemoryAccess = 1;
    return kg_check_device(device);
}

/* ---- functions ------------------------------------------------------------------------------- */

template <class F> inline const void *kg_function(F f)
{
    return (const void *)f;
}
template <class F> KG_API(cudaFuncSetAttribute)(F f, cudaFuncAttribute a, int value)
{
    if (a != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    return kg_error(kg_host_set_shared_limit(kg_function(f), value));
}
template <class F> KG_API(cudaFuncSetCacheConfig)(F, cudaFuncCache)
{
    return cudaSuccess;
}
template <class F> KG_API(cudaFuncSetSharedMemConfig)(F, cudaSharedMemConfig)
{
    return cudaSuccess;
}
/* Registers are a guess that lets sums come out; the host has none of its own to report. */
template <class F> KG_API(cudaFuncGetAttributes)(cudaFuncAttributes *a, F)
{
    memset(a, 0, sizeof *a);
    a->maxThreadsPerBlock = 1024;
    a->numRegs = 32;
    a->ptxVersion = a->binaryVersion = 90;
    a->maxDynamicSharedSizeBytes = 48 * 1024;
    return cudaSuccess;
}
template <class F>
KG_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(int *blocks, F f, int threads, size_t shared)
{
    bool may = shared <= kg_host_shared_limit(kg_function(f));
    *blocks = may ? kg_host_max_blocks_per_sm(threads, shared) : 0;
    return cudaSuccess;
}
template <class F>
KG_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int *blocks, F f, int threads,
                                                               size_t shared, unsigned)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared);
}
template <class F>
KG_API(cudaOccupancyMaxPotentialBlockSize)(int *min_grid, int *block, F, size_t shared = 0,
                                           int limit = 0)
{
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    *min_grid = kg_host_max_blocks_per_sm(*block, shared) * kg_host_processors();
    return cudaSuccess;
}

struct cudaPointerAttributes {
    int type, device;
    void *devicePointer, *hostPointer;
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3,
};
KG_API(cudaPointerGetAttributes)(cudaPointerAttributes *a, const void *p)
{
    void *base;
    size_t n;
    memset(a, 0, sizeof *a);
    a->type = kg_host_pointer_range(p, &base, &n) ? cudaMemoryTypeDevice
                                                  : cudaMemoryTypeUnregistered;
    a->devicePointer = a->hostPointer = const_cast<void *>(p);
    return cudaSuccess;
}

#endif
