/*
 * The preload (LD_PRELOAD of a worker): turns the candidate's own launches into nothing while
 * ablation is on, so that the judge can see whether they matter. A launch is the
 * candidate's own when the call comes from the candidate's shared object; a library that launches
 * its kernels is left alone.
 *
 * Every way to launch that a program linked with -cudart shared can take is wrapped: the runtime's
 * entries, the driver's, and cuGetProcAddress, which hands out the driver's. A candidate that gets
 * around all of them only looks inert, which is its own loss.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "worker/trace.h"

#define VISIBLE __attribute__((visibility("default")))

struct dims { /* the runtime's dim3: three words by value */
    unsigned x, y, z;
};

static atomic_int ablating;
static const void *own_base; /* where the candidate's object is loaded */
static void (*tell_tracer)(void);

VISIBLE void kg_preload_ablate(const void *inside, int on)
{
    Dl_info d;
    if (inside && dladdr(inside, &d))
        own_base = d.dli_fbase;
    /* the driver loaded the tracer for itself alone: by its path it can be found */
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *tracer = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (tracer)
        *(void **)&tell_tracer = dlsym(tracer, "kg_trace_ablated");
    atomic_store(&ablating, on);
}

static int must_skip(const void *caller)
{
    Dl_info d;
    if (!atomic_load(&ablating) || !own_base)
        return 0;
    if (!dladdr(caller, &d) || d.dli_fbase != own_base)
        return 0;
    if (tell_tracer)
        tell_tracer();
    return 1;
}

#define CALLER __builtin_return_address(0)

/* The next definition of a name. The runtime comes in with the candidate's object, out of reach of
 * RTLD_NEXT, so it is asked by its name. */
static void *real(const char *name)
{
    static const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12", "libcuda.so.1"};
    void *f = dlsym(RTLD_NEXT, name);
    for (size_t i = 0; !f && i < sizeof libraries / sizeof *libraries; i++) {
        void *lib = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        f = lib ? dlsym(lib, name) : NULL;
    }
    return f;
}

/* NAME(parameters) -> the next definition of the same name, unless the launch is to be skipped */
#define WRAP(type, name, params, args)                                                             \
    VISIBLE type name params;                                                                      \
    type name params                                                                               \
    {                                                                                              \
        static type(*next) params;                                                                 \
        if (must_skip(CALLER))                                                                     \
            return 0;                                                                              \
        if (!next)                                                                                 \
            *(void **)&next = real(#name);                                                         \
        return next ? next args : 1; /* cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE */         \
    }

#define RUNTIME_PARAMS                                                                             \
    (const void *f, struct dims grid, struct dims block, void **a, size_t shared, void *stream)
#define RUNTIME_ARGS (f, grid, block, a, shared, stream)
WRAP(int, cudaLaunchKernel, RUNTIME_PARAMS, RUNTIME_ARGS)
WRAP(int, cudaLaunchKernel_ptsz, RUNTIME_PARAMS, RUNTIME_ARGS)
WRAP(int, __cudaLaunchKernel, RUNTIME_PARAMS, RUNTIME_ARGS)
WRAP(int, __cudaLaunchKernel_ptsz, RUNTIME_PARAMS, RUNTIME_ARGS)
WRAP(int, cudaLaunchCooperativeKernel, RUNTIME_PARAMS, RUNTIME_ARGS)
WRAP(int, cudaLaunchCooperativeKernel_ptsz, RUNTIME_PARAMS, RUNTIME_ARGS)
WRAP(int, cudaLaunchKernelExC, (const void *config, const void *f, void **a), (config, f, a))
WRAP(int, cudaLaunchKernelExC_ptsz, (const void *config, const void *f, void **a), (config, f, a))
WRAP(int, cudaGraphLaunch, (void *graph, void *stream), (graph, stream))
WRAP(int, cudaGraphLaunch_ptsz, (void *graph, void *stream), (graph, stream))

/* ---- the driver's entries; the wrappers are also what cuGetProcAddress hands to the candidate --
 */

#define DRIVER_PARAMS                                                                              \
    (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,        \
     unsigned shared, void *stream, void **params, void **extra)
#define DRIVER_ARGS (f, gx, gy, gz, bx, by, bz, shared, stream, params, extra)
#define COOPERATIVE_PARAMS                                                                         \
    (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,        \
     unsigned shared, void *stream, void **params)
#define COOPERATIVE_ARGS (f, gx, gy, gz, bx, by, bz, shared, stream, params)

#undef cuLaunchKernel
#undef cuLaunchKernelEx
#undef cuLaunchCooperativeKernel
#undef cuGraphLaunch
#undef cuGetProcAddress

#define DRIVER_WRAP(name, params, args)                                                            \
    static int(*real_##name) params;                                                               \
    static int own_##name params                                                                   \
    {                                                                                              \
        if (must_skip(CALLER))                                                                     \
            return 0;                                                                              \
        if (!real_##name)                                                                          \
            *(void **)&real_##name = real(#name);                                                  \
        return real_##name ? real_##name args : 1;                                                 \
    }

DRIVER_WRAP(cuLaunchKernel, DRIVER_PARAMS, DRIVER_ARGS)
DRIVER_WRAP(cuLaunchKernel_ptsz, DRIVER_PARAMS, DRIVER_ARGS)
DRIVER_WRAP(cuLaunchKernelEx, (const void *config, void *f, void **p, void **extra),
            (config, f, p, extra))
DRIVER_WRAP(cuLaunchKernelEx_ptsz, (const void *config, void *f, void **p, void **extra),
            (config, f, p, extra))
DRIVER_WRAP(cuLaunchCooperativeKernel, COOPERATIVE_PARAMS, COOPERATIVE_ARGS)
DRIVER_WRAP(cuLaunchCooperativeKernel_ptsz, COOPERATIVE_PARAMS, COOPERATIVE_ARGS)
DRIVER_WRAP(cuGraphLaunch, (void *graph, void *stream), (graph, stream))
DRIVER_WRAP(cuGraphLaunch_ptsz, (void *graph, void *stream), (graph, stream))

static const struct {
    const char *name;
    void *own;
    void **real;
} driver[] = {
#define D(name)                                                                                    \
    {                                                                                              \
#name, (void *)own_##name, (void **)&real_##name                                           \
    }
    D(cuLaunchKernel),        D(cuLaunchKernel_ptsz),       D(cuLaunchKernelEx),
    D(cuLaunchKernelEx_ptsz), D(cuLaunchCooperativeKernel), D(cuLaunchCooperativeKernel_ptsz),
    D(cuGraphLaunch),         D(cuGraphLaunch_ptsz),
#undef D
};

/* a program linked against the driver sees these names */
VISIBLE CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                unsigned, unsigned, CUstream, void **, void **)
    __attribute__((alias("own_cuLaunchKernel")));
VISIBLE CUresult cuLaunchKernelEx(const CUlaunchConfig *, CUfunction, void **, void **)
    __attribute__((alias("own_cuLaunchKernelEx")));
VISIBLE CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned,
                                           unsigned, unsigned, unsigned, CUstream, void **)
    __attribute__((alias("own_cuLaunchCooperativeKernel")));
VISIBLE CUresult cuGraphLaunch(CUgraphExec, CUstream) __attribute__((alias("own_cuGraphLaunch")));

static void hand_out(const char *symbol, void **p, const void *caller)
{
    Dl_info d;
    if (!p || !*p || !own_base || !dladdr(caller, &d) || d.dli_fbase != own_base)
        return;
    for (size_t i = 0; i < sizeof driver / sizeof *driver; i++)
        if (!strcmp(driver[i].name, symbol)) {
            *driver[i].real = *p;
            *p = driver[i].own;
        }
}

VISIBLE CUresult cuGetProcAddress_v2(const char *symbol, void **p, int version, cuuint64_t flags,
                                     CUdriverProcAddressQueryResult *status);
CUresult cuGetProcAddress_v2(const char *symbol, void **p, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status)
{
    static CUresult (*next)(const char *, void **, int, cuuint64_t,
                            CUdriverProcAddressQueryResult *);
    if (!next)
        *(void **)&next = real("cuGetProcAddress_v2");
    if (!next)
        return CUDA_ERROR_NOT_FOUND;
    CUresult rc = next(symbol, p, version, flags, status);
    if (rc == CUDA_SUCCESS)
        hand_out(symbol, p, CALLER);
    return rc;
}
