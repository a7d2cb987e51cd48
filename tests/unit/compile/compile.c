/* Sources to things that run: what is built is loaded here and called as a worker would. */
#include "tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "compile/compile.h"
#include "compile/toolchain.h"
#include "host/runtime.h"
#include "record/yaml.h"

typedef void call_fn(void **);

static struct kg_compile_opts opts = {.target = "host"};

static struct kg_task *task(const char *yaml)
{
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_error err = KG_ERROR_INIT;
    const struct kg_value *doc = kg_yaml_text(yaml, strlen(yaml), "test.yaml", &a, &err);
    struct kg_task *t = doc ? kg_task_new(doc, NULL, "test.yaml", &err) : NULL;
    if (!t)
        printf("# %zu: %s\n", err.line, err.text);
    kg_arena_release(&a);
    return t;
}

#define TASK(how)                                                                                  \
    "task_id: scale\n"                                                                             \
    "axes: {n: 1000}\n"                                                                            \
    "args:\n"                                                                                      \
    "  - {name: x, dtype: float32, shape: [n], init: randn}\n"                                     \
    "  - {name: y, dtype: float32, shape: [n], role: out}\n"                                       \
    "  - {name: a, dtype: float32, value: 2.5}\n"                                                  \
    "  - {name: n, dtype: int64}\n" how "reference: |\n"                                           \
    "  #include <stdint.h>\n"                                                                      \
    "  void reference(const double *x, double *y, double a, int64_t n)\n"                          \
    "  { for (int64_t i = 0; i < n; i++) y[i] = a * x[i]; }\n"                                     \
    "baseline: |\n"                                                                                \
    "  void solve(const float *x, float *y, float a, long n) {}\n"

#define BARE                                                                                       \
    "kernel: scale_k\nlaunch: {grid: [\"ceil_div(n,256)\"], block: [256], shared: \"4*256\"}\n"
#define SOLVE "entry: solve\n"

static const char kernel[] = "__global__ void scale_k(const float *x, float *y, float a, long n)\n"
                             "{\n"
                             "    extern __shared__ float s[];\n"
                             "    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;\n"
                             "    s[threadIdx.x] = a;\n"
                             "    __syncthreads();\n"
                             "    if (i < n)\n"
                             "        y[i] = s[255 - threadIdx.x] * x[i];\n"
                             "}\n";

static const char solve[] =
    "#include <cuda_runtime.h>\n"
    "#define N 4\n" /* names of the shim must not be the candidate's */
    "#define T N\n"
    "__global__ void k(const float *x, float *y, float a, long long n)\n"
    "{ long long i = blockIdx.x * 256LL + threadIdx.x; if (i < n) y[i] = a * x[i]; }\n"
    "extern \"C\" void solve(float *x, float *y, float a, long long n)\n"
    "{ k<<<(n + 255) / 256, 256>>>(x, y, a, n); }\n";

static void build(const struct kg_task *t, enum kg_compile_kind kind, const char *src,
                  struct kg_compile_result *r)
{
    kg_compile(t, kind, src, strlen(src), &opts, r);
    if (r->verdict != KG_PASSED)
        printf("# %s: %s\n# %s\n", kg_verdict_name(r->verdict), r->message, kg_buf_str(&r->log));
}

/* Loads what was built and runs it on n elements; true when every answer is right. */
static int runs(const struct kg_compile_result *r)
{
    static float x[1000], y[1000];
    struct {
        unsigned grid[3], block[3];
        unsigned long long shared;
    } dims = {{4, 1, 1}, {256, 1, 1}, 1024};
    float *px = x, *py = y, a = 2.5f;
    long long n = 1000;
    void *args[] = {&px, &py, &a, &n, &dims};
    void *so = r->path ? dlopen(r->path, RTLD_NOW | RTLD_LOCAL) : NULL;
    call_fn *call = NULL;
    if (so)
        *(void **)&call = dlsym(so, "kg_call");
    if (!call) {
        printf("# %s\n", dlerror());
        return 0;
    }
    for (int i = 0; i < 1000; i++) {
        x[i] = (float)i;
        y[i] = -1;
    }
    call(args);
    kg_host_synchronize();
    int right = 0;
    for (int i = 0; i < 1000; i++)
        right += y[i] == 2.5f * (float)i;
    dlclose(so);
    return right == 1000;
}

static void host(void)
{
    struct kg_task *bare = task(TASK(BARE)), *entry = task(TASK(SOLVE));
    struct kg_compile_result r;
    OK(bare && entry);
    build(bare, KG_SOURCE_CANDIDATE, kernel, &r);
    EQ_INT(r.verdict, KG_PASSED);
    EQ_INT(r.n_kernels, 1);
    EQ_STR(r.n_kernels ? r.kernels[0].name : NULL, "scale_k");
    OK(runs(&r));
    kg_compile_result_release(&r);
    build(entry, KG_SOURCE_CANDIDATE, solve, &r);
    EQ_INT(r.verdict, KG_PASSED);
    OK(runs(&r));
    kg_compile_result_release(&r);
    kg_task_free(bare);
    kg_task_free(entry);
}

static void reference(void)
{
    struct kg_task *t = task(TASK(SOLVE));
    struct kg_compile_result r;
    double x[3] = {1, 2, 3}, y[3] = {0}, *px = x, *py = y, a = 2;
    long long n = 3;
    void *args[] = {&px, &py, &a, &n};
    build(t, KG_SOURCE_REFERENCE, t->reference, &r);
    EQ_INT(r.verdict, KG_PASSED);
    void *so = dlopen(r.path, RTLD_NOW);
    call_fn *call = NULL;
    *(void **)&call = so ? dlsym(so, "kg_call") : NULL;
    OK(call != NULL);
    if (call)
        call(args);
    NEAR(y[2], 6, 0);
    if (so)
        dlclose(so);
    kg_compile_result_release(&r);
    build(t, KG_SOURCE_REFERENCE, "int x = y;\n", &r);
    EQ_INT(r.verdict, KG_COMPILE_ERROR);
    HAS(r.message, "reference.c:1: ");
    kg_compile_result_release(&r);
    kg_task_free(t);
}

static void cache(void)
{
    struct kg_task *t = task(TASK(SOLVE));
    struct kg_compile_result a, b;
    build(t, KG_SOURCE_REFERENCE, t->reference, &a); /* built by reference() */
    OK(a.cached);
    FILE *f = fopen(a.path, "a");
    fputs("x", f);
    fclose(f);
    build(t, KG_SOURCE_REFERENCE, t->reference, &b); /* a damaged file is no hit */
    OK(!b.cached);
    EQ_INT(b.verdict, KG_PASSED);
    EQ_STR(a.artifact, b.artifact);
    EQ_STR(a.path, b.path);
    kg_compile_result_release(&b);
    opts.no_cache = true;
    build(t, KG_SOURCE_REFERENCE, t->reference, &b);
    opts.no_cache = false;
    OK(!b.cached);
    OK(strcmp(a.path, b.path) != 0 && kg_fs_exists(b.path));
    kg_compile_result_release(&a);
    kg_compile_result_release(&b);
    kg_task_free(t);
}

static void refusals(void)
{
    struct kg_task *t = task(TASK(SOLVE));
    struct kg_compile_result r;
    build(t, KG_SOURCE_CANDIDATE, " \n\t", &r);
    EQ_INT(r.verdict, KG_NO_CODE);
    kg_compile_result_release(&r);
    kg_compile(t, KG_SOURCE_CANDIDATE, "int a;\0b", 8, &opts, &r);
    EQ_INT(r.verdict, KG_COMPILE_ERROR);
    HAS(r.message, "byte 7");
    kg_compile_result_release(&r);
    opts.target = "sm_";
    build(t, KG_SOURCE_CANDIDATE, solve, &r);
    EQ_INT(r.verdict, KG_JUDGE_FAULT);
    EQ_INT(r.code, KG_E_USAGE);
    kg_compile_result_release(&r);
    opts.target = "sm_90";
    opts.cuda_home = "/nonexistent";
    build(t, KG_SOURCE_CANDIDATE, solve, &r);
    EQ_INT(r.verdict, KG_JUDGE_FAULT);
    EQ_INT(r.code, KG_E_MISSING);
    HAS(r.message, "nvcc");
    kg_compile_result_release(&r);
    opts.cuda_home = NULL;
    kg_task_free(t);
}

static void gpu(void)
{
    struct kg_task *t = task(TASK(BARE));
    struct kg_compile_result r;
    opts.target = "sm_90";
    if (!kg_toolchain_get(NULL)->nvrtc) {
        printf("ok %d - NVRTC # SKIP no CUDA toolkit\n", ++tap_n);
    } else {
        build(t, KG_SOURCE_CANDIDATE, kernel, &r);
        EQ_INT(r.verdict, KG_PASSED);
        EQ_STR(r.entry, "_Z7scale_kPKfPffl");
        EQ_INT(r.n_kernels, 1);
        OK(r.n_kernels && r.kernels[0].registers > 0 && r.kernels[0].spill_bytes == 0);
        HAS(r.path ? r.path : "", ".cubin");
        kg_compile_result_release(&r);
        build(t, KG_SOURCE_CANDIDATE, kernel, &r);
        OK(r.cached);
        EQ_STR(r.entry, "_Z7scale_kPKfPffl"); /* the cache knows it too */
        kg_compile_result_release(&r);
    }
    kg_task_free(t);
}

int main(void)
{
    char *dir = kg_fs_tempdir("kg-compile-test", NULL);
    setenv("XDG_CACHE_HOME", dir, 1);
    host();
    reference();
    cache();
    refusals();
    gpu();
    kg_fs_remove_tree(dir);
    free(dir);
    return tap_done();
}
