#include "device/nvrtc.h"

#if KG_HAVE_CUDA

#include <dlfcn.h>
#include <nvrtc.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(F)                                                                               \
    F(nvrtcVersion)                                                                                \
    F(nvrtcGetErrorString)                                                                         \
    F(nvrtcCreateProgram)                                                                          \
    F(nvrtcDestroyProgram)                                                                         \
    F(nvrtcAddNameExpression)                                                                      \
    F(nvrtcCompileProgram)                                                                         \
    F(nvrtcGetLoweredName)                                                                         \
    F(nvrtcGetProgramLogSize)                                                                      \
    F(nvrtcGetProgramLog)                                                                          \
    F(nvrtcGetCUBINSize)                                                                           \
    F(nvrtcGetCUBIN)

static struct {
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    void *lib;
} rtc;

/*
 * NVRTC opens its built-in tables by name alone, which the loader finds only where the toolkit is
 * in its own list of folders. Opened here by path first, they are found by name as well; where that
 * fails NVRTC says so itself.
 */
static void open_builtins(const char *path)
{
    char name[4096];
    int major = 0, minor = 0;
    const char *slash = strrchr(path, '/');
    rtc.nvrtcVersion(&major, &minor);
    int n = snprintf(name, sizeof name, "%.*slibnvrtc-builtins.so.%d.%d",
                     slash ? (int)(slash + 1 - path) : 0, path, major, minor);
    if (n < (int)sizeof name)
        dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

int kg_nvrtc_open(const char *path, struct kg_error *err)
{
    if (rtc.lib)
        return 0;
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return kg_error_set(err, KG_E_MISSING, "cannot open NVRTC: %s", dlerror());
#define LOAD(name)                                                                                 \
    if (!(*(void **)&rtc.name = dlsym(lib, #name))) {                                              \
        dlclose(lib);                                                                              \
        return kg_error_set(err, KG_E_MISSING, "'%s' is no NVRTC that kg can use: no '%s'", path,  \
                            #name);                                                                \
    }
    FUNCTIONS(LOAD)
#undef LOAD
    rtc.lib = lib;
    open_builtins(path);
    return 0;
}

void kg_nvrtc_version(int *major, int *minor)
{
    *major = *minor = 0;
    if (rtc.lib)
        rtc.nvrtcVersion(major, minor);
}

static int check(struct kg_error *err, nvrtcResult r, const char *call, int line)
{
    if (r == NVRTC_SUCCESS)
        return 0;
    return kg_error_set(err, KG_E_SYSTEM, "%s: %s (%d) [nvrtc.c:%d]", call,
                        rtc.nvrtcGetErrorString(r), (int)r, line);
}
#define TRY(err, name, args) check((err), rtc.name args, #name, __LINE__)

static int take_log(nvrtcProgram p, struct kg_buf *log, struct kg_error *err)
{
    size_t n = 0;
    if (TRY(err, nvrtcGetProgramLogSize, (p, &n)))
        return -1;
    char *room = n > 1 ? kg_buf_reserve(log, n) : NULL;
    if (!room)
        return n > 1 ? kg_error_set(err, KG_E_LIMIT, "a compiler log of %zu bytes", n) : 0;
    if (TRY(err, nvrtcGetProgramLog, (p, room)))
        return -1;
    log->len += strnlen(room, n - 1); /* its size counts one NUL or two */
    return 0;
}

static int take_cubin(nvrtcProgram p, struct kg_buf *cubin, struct kg_error *err)
{
    size_t n = 0;
    if (TRY(err, nvrtcGetCUBINSize, (p, &n)))
        return -1;
    char *room = kg_buf_reserve(cubin, n);
    if (!room)
        return kg_error_set(err, KG_E_LIMIT, "a cubin of %zu bytes", n);
    if (TRY(err, nvrtcGetCUBIN, (p, room)))
        return -1;
    cubin->len += n;
    return 0;
}

static int run(nvrtcProgram p, const struct kg_nvrtc_source *s, bool *ok, struct kg_buf *cubin,
               struct kg_buf *log, struct kg_buf *symbol, struct kg_error *err)
{
    if (s->kernel && TRY(err, nvrtcAddNameExpression, (p, s->kernel)))
        return -1;
    nvrtcResult r = rtc.nvrtcCompileProgram(p, s->n_options, s->options);
    *ok = r == NVRTC_SUCCESS;
    if (take_log(p, log, err))
        return -1;
    if (r != NVRTC_SUCCESS) {
        /* a source that it refuses is no fault of ours; anything else without a word is, and what
         * it says of itself ("nvrtc: error: failed to open ...") */
        if (log->len == 0 || r == NVRTC_ERROR_INVALID_OPTION ||
            r == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE || !strncmp(log->data, "nvrtc: error", 12))
            return kg_error_set(err, KG_E_SYSTEM, "nvrtcCompileProgram: %s (%d): %.*s [nvrtc.c:%d]",
                                rtc.nvrtcGetErrorString(r), (int)r,
                                (int)strcspn(kg_buf_str(log), "\n"), kg_buf_str(log), __LINE__);
        return 0;
    }
    const char *name = NULL;
    if (s->kernel && TRY(err, nvrtcGetLoweredName, (p, s->kernel, &name)))
        return -1;
    if (name)
        kg_buf_adds(symbol, name);
    return take_cubin(p, cubin, err);
}

int kg_nvrtc_compile(const struct kg_nvrtc_source *s, bool *ok, struct kg_buf *cubin,
                     struct kg_buf *log, struct kg_buf *symbol, struct kg_error *err)
{
    nvrtcProgram p;
    *ok = false;
    if (!rtc.lib)
        return kg_error_set(err, KG_E_INTERNAL, "NVRTC is not open");
    if (TRY(err, nvrtcCreateProgram, (&p, s->text, s->file, 0, NULL, NULL)))
        return -1;
    int r = run(p, s, ok, cubin, log, symbol, err);
    rtc.nvrtcDestroyProgram(&p);
    return r;
}

#else

int kg_nvrtc_open(const char *path, struct kg_error *err)
{
    return kg_error_set(err, KG_E_MISSING, "this kg was built without CUDA's headers");
}

void kg_nvrtc_version(int *major, int *minor)
{
    *major = *minor = 0;
}

int kg_nvrtc_compile(const struct kg_nvrtc_source *s, bool *ok, struct kg_buf *cubin,
                     struct kg_buf *log, struct kg_buf *symbol, struct kg_error *err)
{
    *ok = false;
    return kg_nvrtc_open(NULL, err);
}

#endif
