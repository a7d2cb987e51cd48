/*
 * The runtime API: names and numbers as in the CUDA runtime's public documentation. Work is done
 * when it is asked for; streams are always idle.
 */
#ifndef KG_API_H
#define KG_API_H

#include <cstddef>
#include <cstring>
#include <utility>

#include "kg/abi.h"
#include "kg/launch.h"

#define CUDART_VERSION 13000
#define CUDART_CB

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorAssert = 710,
    cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorNotPermitted = 800,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999,
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4,
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef void(CUDART_CB *cudaHostFn_t)(void *);
typedef void(CUDART_CB *cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);

#define cudaStreamDefault            0x00
#define cudaStreamNonBlocking        0x01
#define cudaStreamLegacy             ((cudaStream_t)0x1)
#define cudaStreamPerThread          ((cudaStream_t)0x2)
#define cudaEventDefault             0x00
#define cudaEventBlockingSync        0x01
#define cudaEventDisableTiming       0x02
#define cudaEventInterprocess        0x04
#define cudaHostAllocDefault         0x00
#define cudaHostAllocPortable        0x01
#define cudaHostAllocMapped          0x02
#define cudaHostAllocWriteCombined   0x04
#define cudaHostRegisterDefault      0x00
#define cudaMemAttachGlobal          0x01
#define cudaMemAttachHost            0x02
#define cudaDeviceScheduleAuto       0x00
#define cudaDeviceScheduleSpin       0x01
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaOccupancyDefault         0x00
#define cudaCpuDeviceId              ((int)-1)

#define KG_API(name) static inline cudaError_t name

/* ---- errors ---------------------------------------------------------------------------------- */

static inline cudaError_t kg_error(int e)
{
    return (cudaError_t)e;
}
KG_API(cudaGetLastError)()
{
    return kg_error(kg_host_last_error(1));
}
KG_API(cudaPeekAtLastError)()
{
    return kg_error(kg_host_last_error(0));
}
static inline const char *cudaGetErrorString(cudaError_t e)
{
    return kg_host_error_text(e);
}
static inline const char *cudaGetErrorName(cudaError_t e)
{
    return kg_host_error_name(e);
}

/* ---- memory ---------------------------------------------------------------------------------- */

template <class T> KG_API(cudaMalloc)(T **p, size_t n)
{
    return kg_error(kg_host_malloc(reinterpret_cast<void **>(p), n));
}
template <class T> KG_API(cudaMallocAsync)(T **p, size_t n, cudaStream_t s)
{
    if (kg_host_stream_check(s))
        return kg_error(kg_host_fail(400, "cudaMallocAsync: no such stream"));
    return cudaMalloc(p, n);
}
template <class T>
KG_API(cudaMallocManaged)(T **p, size_t n, unsigned = cudaMemAttachGlobal)
{
    return cudaMalloc(p, n);
}
template <class T> KG_API(cudaMallocHost)(T **p, size_t n, unsigned = cudaHostAllocDefault)
{
    return cudaMalloc(p, n);
}
template <class T> KG_API(cudaHostAlloc)(T **p, size_t n, unsigned)
{
    return cudaMalloc(p, n);
}
template <class T> KG_API(cudaMallocPitch)(T **p, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(p, *pitch * height);
}
KG_API(cudaFree)(void *p)
{
    return kg_error(kg_host_free(p));
}
KG_API(cudaFreeAsync)(void *p, cudaStream_t)
{
    return cudaFree(p);
}
KG_API(cudaFreeHost)(void *p)
{
    return cudaFree(p);
}
KG_API(cudaHostRegister)(void *, size_t, unsigned)
{
    return cudaSuccess;
}
KG_API(cudaHostUnregister)(void *)
{
    return cudaSuccess;
}
template <class T> KG_API(cudaHostGetDevicePointer)(T **device, void *host, unsigned)
{
    *device = static_cast<T *>(host);
    return cudaSuccess;
}
KG_API(cudaMemGetInfo)(size_t *free_bytes, size_t *total)
{
    *free_bytes = kg_host_memory_free();
    *total = kg_host_memory_total();
    return cudaSuccess;
}

/* ---- copies, sets ---------------------------------------------------------------------------- */

KG_API(kg_on_stream)(cudaStream_t s, const char *what)
{
    return kg_error(kg_host_stream_check(s) ? kg_host_fail(400, what) : 0);
}
KG_API(cudaMemcpy)(void *dst, const void *src, size_t n, cudaMemcpyKind kind)
{
    return kg_error(kg_host_memcpy(dst, src, n, kind));
}
KG_API(cudaMemcpyAsync)(void *dst, const void *src, size_t n, cudaMemcpyKind kind,
                        cudaStream_t s = nullptr)
{
    cudaError_t e = kg_on_stream(s, "cudaMemcpyAsync: no such stream");
    return e ? e : cudaMemcpy(dst, src, n, kind);
}
KG_API(cudaMemcpyPeer)(void *dst, int, const void *src, int, size_t n)
{
    return cudaMemcpy(dst, src, n, cudaMemcpyDefault);
}
KG_API(cudaMemcpy2D)(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                     size_t height, cudaMemcpyKind kind)
{
    return kg_error(kg_host_memcpy_2d(dst, dpitch, src, spitch, width, height, kind));
}
KG_API(cudaMemcpy2DAsync)(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                          size_t height, cudaMemcpyKind kind, cudaStream_t s = nullptr)
{
    cudaError_t e = kg_on_stream(s, "cudaMemcpy2DAsync: no such stream");
    return e ? e : cudaMemcpy2D(dst, dpitch, src, spitch, width, height, kind);
}
KG_API(cudaMemset)(void *dst, int value, size_t n)
{
    return kg_error(kg_host_memset(dst, value, n));
}
KG_API(cudaMemsetAsync)(void *dst, int value, size_t n, cudaStream_t s = nullptr)
{
    cudaError_t e = kg_on_stream(s, "cudaMemsetAsync: no such stream");
    return e ? e : cudaMemset(dst, value, n);
}
KG_API(cudaMemset2D)(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    return kg_error(kg_host_memset_2d(dst, pitch, value, width, height));
}
KG_API(cudaMemPrefetchAsync)(const void *, size_t, int, cudaStream_t = nullptr)
{
    return cudaSuccess;
}

/* ---- __device__ and __constant__ variables ----------------------------------------------------- */

template <class T> KG_API(cudaGetSymbolAddress)(void **p, const T &symbol)
{
    *p = const_cast<void *>(static_cast<const void *>(&symbol));
    return cudaSuccess;
}
template <class T> KG_API(cudaGetSymbolSize)(size_t *n, const T &)
{
    *n = sizeof(T);
    return cudaSuccess;
}
template <class T>
KG_API(cudaMemcpyToSymbol)(const T &symbol, const void *src, size_t n, size_t offset = 0,
                           cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    if (offset > sizeof(T) || n > sizeof(T) - offset)
        return kg_error(kg_host_fail(1, "cudaMemcpyToSymbol: more than the variable holds"));
    return cudaMemcpy((char *)const_cast<void *>(static_cast<const void *>(&symbol)) + offset, src,
                      n, kind);
}
template <class T>
KG_API(cudaMemcpyToSymbolAsync)(const T &symbol, const void *src, size_t n, size_t offset = 0,
                                cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                cudaStream_t = nullptr)
{
    return cudaMemcpyToSymbol(symbol, src, n, offset, kind);
}
template <class T>
KG_API(cudaMemcpyFromSymbol)(void *dst, const T &symbol, size_t n, size_t offset = 0,
                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    if (offset > sizeof(T) || n > sizeof(T) - offset)
        return kg_error(kg_host_fail(1, "cudaMemcpyFromSymbol: more than the variable holds"));
    return cudaMemcpy(dst, (const char *)static_cast<const void *>(&symbol) + offset, n, kind);
}
template <class T>
KG_API(cudaMemcpyFromSymbolAsync)(void *dst, const T &symbol, size_t n, size_t offset = 0,
                                  cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                  cudaStream_t = nullptr)
{
    return cudaMemcpyFromSymbol(dst, symbol, n, offset, kind);
}

/* ---- streams --------------------------------------------------------------------------------- */

KG_API(cudaStreamCreate)(cudaStream_t *s)
{
    return kg_error(kg_host_stream_create(reinterpret_cast<void **>(s)));
}
KG_API(cudaStreamCreateWithFlags)(cudaStream_t *s, unsigned)
{
    return cudaStreamCreate(s);
}
KG_API(cudaStreamCreateWithPriority)(cudaStream_t *s, unsigned, int)
{
    return cudaStreamCreate(s);
}
KG_API(cudaStreamDestroy)(cudaStream_t s)
{
    return kg_error(kg_host_stream_destroy(s));
}
KG_API(cudaStreamSynchronize)(cudaStream_t s)
{
    cudaError_t e = kg_on_stream(s, "cudaStreamSynchronize: no such stream");
    return e ? e : kg_error(kg_host_synchronize());
}
KG_API(cudaStreamQuery)(cudaStream_t s)
{
    return cudaStreamSynchronize(s);
}
KG_API(cudaStreamWaitEvent)(cudaStream_t s, cudaEvent_t e, unsigned = 0)
{
    cudaError_t r = kg_on_stream(s, "cudaStreamWaitEvent: no such stream");
    return r ? r : kg_error(kg_host_event_check(e));
}
KG_API(cudaLaunchHostFunc)(cudaStream_t s, cudaHostFn_t f, void *arg)
{
    cudaError_t e = kg_on_stream(s, "cudaLaunchHostFunc: no such stream");
    if (!e)
        f(arg);
    return e;
}
KG_API(cudaStreamAddCallback)(cudaStream_t s, cudaStreamCallback_t f, void *arg, unsigned)
{
    f(s, cudaSuccess, arg);
    return cudaSuccess;
}
KG_API(cudaDeviceGetStreamPriorityRange)(int *least, int *greatest)
{
    *least = *greatest = 0;
    return cudaSuccess;
}

/* ---- events ---------------------------------------------------------------------------------- */

KG_API(cudaEventCreate)(cudaEvent_t *e)
{
    return kg_error(kg_host_event_create(reinterpret_cast<void **>(e)));
}
KG_API(cudaEventCreate)(cudaEvent_t *e, unsigned)
{
    return cudaEventCreate(e);
}
KG_API(cudaEventCreateWithFlags)(cudaEvent_t *e, unsigned)
{
    return cudaEventCreate(e);
}
KG_API(cudaEventDestroy)(cudaEvent_t e)
{
    return kg_error(kg_host_event_destroy(e));
}
KG_API(cudaEventRecord)(cudaEvent_t e, cudaStream_t s = nullptr)
{
    cudaError_t r = kg_on_stream(s, "cudaEventRecord: no such stream");
    return r ? r : kg_error(kg_host_event_record(e));
}
KG_API(cudaEventRecordWithFlags)(cudaEvent_t e, cudaStream_t s = nullptr, unsigned = 0)
{
    return cudaEventRecord(e, s);
}
KG_API(cudaEventSynchronize)(cudaEvent_t e)
{
    return kg_error(kg_host_event_check(e));
}
KG_API(cudaEventQuery)(cudaEvent_t e)
{
    return kg_error(kg_host_event_check(e));
}
KG_API(cudaEventElapsedTime)(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return kg_error(kg_host_event_elapsed(ms, start, end));
}

/* ---- launches by address ----------------------------------------------------------------------- */

template <class R, class... P>
KG_API(cudaLaunchKernel)(R (*f)(P...), dim3 grid, dim3 block, void **args, size_t shared = 0,
                         cudaStream_t s = nullptr)
{
    return kg_error(kg_launch_by_address(f, kg_config(grid, block, shared, s), args, 0,
                                         std::index_sequence_for<P...>()));
}
template <class R, class... P>
KG_API(cudaLaunchCooperativeKernel)(R (*f)(P...), dim3 grid, dim3 block, void **args,
                                    size_t shared = 0, cudaStream_t s = nullptr)
{
    return kg_error(kg_launch_by_address(f, kg_config(grid, block, shared, s), args, 1,
                                         std::index_sequence_for<P...>()));
}

#include "kg/device_api.h"

#endif
