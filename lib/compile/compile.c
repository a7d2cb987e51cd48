#include "compile/compile.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "compile/build.h"
#include "compile/cache.h"
#include "compile/log.h"
#include "compile/missing.h"
#include "compile/shim.h"
#include "host/host.h"

#define SOURCE_MAX ((size_t)16 << 20)

/* ---- verdicts of ours ---------------------------------------------------------------------- */

static void set_message(struct kg_compile_result *res, const char *text, size_t n)
{
    if (n >= sizeof res->message)
        n = kg_utf8_cut(text, sizeof res->message - 1);
    memcpy(res->message, text, n);
    res->message[n] = 0;
    kg_utf8_clean_line(res->message, n);
}

void kg_build_fault(struct kg_build *b, const struct kg_error *err)
{
    b->res->verdict = KG_JUDGE_FAULT;
    b->res->code = err->code;
    b->transient = true;
    set_message(b->res, err->text, strlen(err->text));
}

void kg_build_timed_out(struct kg_build *b)
{
    struct kg_buf text = KG_BUF_INIT;
    b->res->verdict = KG_COMPILE_ERROR;
    b->transient = true;
    kg_buf_addf(&text, "the compiler was stopped after the time limit of %g s", b->opts->timeout_s);
    set_message(b->res, kg_buf_str(&text), text.len);
    kg_buf_release(&text);
}

void kg_build_interrupted(struct kg_build *b)
{
    struct kg_error err = KG_ERROR_INIT;
    kg_error_set(&err, KG_E_SYSTEM, "interrupted");
    kg_build_fault(b, &err);
}

uint64_t kg_build_memory(void)
{
    const uint64_t most = (uint64_t)8 << 30, least = (uint64_t)2 << 30;
    uint64_t have = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4 * 3;
    return have > most ? most : have < least ? least : have;
}

/* ---- what is built, and by whom ------------------------------------------------------------ */

static void arg(struct kg_build *b, const char *text)
{
    if (b->n_args < KG_BUILD_ARGS)
        b->args[b->n_args++] = text;
}

static void args(struct kg_build *b, const char *const *list)
{
    for (; *list; list++)
        arg(b, *list);
}

static void include(struct kg_build *b, const char *dir, const char *sub)
{
    char *path = dir && sub ? kg_fs_join(dir, sub) : dir ? kg_mem_strdup(dir) : NULL;
    if (path && kg_fs_is_dir(path))
        arg(b, kg_arena_printf(&b->arena, "-I%s", path));
    free(path);
}

static void host_args(struct kg_build *b)
{
    args(b, (const char *const[]){"-std=gnu++17", "-O2", "-pipe", "-fPIC", "-shared", "-pthread",
                                  "-fvisibility=hidden",
                                  /* CUDA sources read arrays as float4 and the like */
                                  "-fno-strict-aliasing", "-ffp-contract=off", "-fmax-errors=50",
                                  "-fdiagnostics-color=never", "-Wl,-z,now", "-Wl,-z,noexecstack",
                                  NULL});
    include(b, b->tools->host_include, NULL);
    args(b, (const char *const[]){"-x", "c++", "translated.cpp", NULL});
    if (b->opts->sanitize)
        args(b, (const char *const[]){"-fsanitize=address", "-g", NULL});
}

static void nvcc_target(struct kg_build *b)
{
    const char *sm = b->opts->target + 3;
    arg(b, "-gencode");
    arg(b, kg_arena_printf(&b->arena, "arch=compute_%s,code=sm_%s", sm, sm));
    arg(b, "-ccbin");
    arg(b, b->tools->cxx);
    arg(b, "candidate.cu");
}

static void nvcc_args(struct kg_build *b)
{
    args(b, (const char *const[]){"-std=c++17", "-O3", "-shared", "-cudart", "shared", "-Xcompiler",
                                  "-fPIC,-fvisibility=hidden,-fno-strict-aliasing,"
                                  "-fdiagnostics-color=never",
                                  "-Xptxas", "-v", "-Xlinker", "--no-undefined", NULL});
    nvcc_target(b);
    for (size_t i = 0; b->task->link && b->task->link[i]; i++)
        arg(b, kg_arena_printf(&b->arena, "-l%s", b->task->link[i]));
}

static void nvrtc_args(struct kg_build *b)
{
    arg(b, "--std=c++17");
    arg(b, kg_arena_printf(&b->arena, "--gpu-architecture=%s", b->opts->target));
    arg(b, "--ptxas-options=-v");
    if (b->tools->nvrtc_include) {
        include(b, b->tools->nvrtc_include, NULL);
        arg(b, "--pre-include=kg_nvrtc.h");
    }
    include(b, b->tools->cuda_home, "include");
    include(b, b->tools->cuda_home, "include/cccl");
}

static void reference_args(struct kg_build *b)
{
    args(b, (const char *const[]){"-std=gnu11", "-O2", "-fopenmp", "-fPIC", "-shared",
                                  "-Werror=implicit-function-declaration", "-ffp-contract=off",
                                  "-fdiagnostics-color=never", "-Wl,-z,now", "-Wl,-z,noexecstack",
                                  "reference.c", "-lm", NULL});
}

static int missing(struct kg_build *b, const char *what)
{
    struct kg_error err = KG_ERROR_INIT;
    kg_error_set(&err, KG_E_MISSING, "%s not found: %s%s%s", what,
                 b->tools->cuda_home ? "looked in '" : "no CUDA toolkit (set CUDA_HOME)",
                 b->tools->cuda_home ? b->tools->cuda_home : "", b->tools->cuda_home ? "'" : "");
    kg_build_fault(b, &err);
    return -1;
}

static int missing_host(struct kg_build *b, const char *what)
{
    struct kg_error err = KG_ERROR_INIT;
    kg_error_set(&err, KG_E_MISSING, "%s", what);
    kg_build_fault(b, &err);
    return -1;
}

static int choose(struct kg_build *b, enum kg_compile_kind kind)
{
    struct kg_error err = KG_ERROR_INIT;
    if (kind == KG_SOURCE_REFERENCE) {
        b->builder = KG_BUILD_REFERENCE;
        b->input = "reference.c";
        b->program = b->tools->cc;
        reference_args(b);
        return b->program ? 0 : missing_host(b, "no C compiler (gcc, cc, clang) on PATH");
    }
    if (!strcmp(b->opts->target, "host")) {
        b->builder = KG_BUILD_HOST;
        b->input = "translated.cpp";
        b->program = b->tools->cxx;
        host_args(b);
        if (!b->tools->host_include)
            return missing_host(b, "kg's host headers (share/kg/include) are not installed");
        return b->program ? 0 : missing_host(b, "no C++ compiler (g++, c++, clang++) on PATH");
    }
    if (kg_compile_target_check(b->opts->target, &err)) {
        kg_build_fault(b, &err);
        return -1;
    }
    if (b->task->bare) {
        b->builder = KG_BUILD_NVRTC;
        b->suffix = ".cubin";
        b->program = b->tools->nvrtc;
        nvrtc_args(b);
        return b->program ? 0 : missing(b, "NVRTC (lib64/libnvrtc.so)");
    }
    b->builder = KG_BUILD_NVCC;
    b->program = b->tools->nvcc;
    nvcc_args(b);
    if (!b->tools->cxx)
        return missing_host(b, "no C++ compiler (g++, c++, clang++) on PATH");
    return b->program ? 0 : missing(b, "nvcc");
}

/* The compiler's input. -1: a verdict is set. */
static int write_text(struct kg_build *b)
{
    struct kg_error err = KG_ERROR_INIT;
    enum kg_shim_kind shim = b->builder == KG_BUILD_REFERENCE ? KG_SHIM_REFERENCE
                             : b->builder == KG_BUILD_NVRTC   ? KG_SHIM_BARE_DEVICE
                             : b->task->bare                  ? KG_SHIM_BARE_HOST
                                                              : KG_SHIM_ENTRY;
    if (b->builder != KG_BUILD_HOST) {
        kg_buf_add(&b->text, b->src, b->src_len);
    } else if (kg_host_translate(b->src, b->src_len, "candidate.cu", &b->text, &err)) {
        b->res->verdict = err.code == KG_E_UNSUPPORTED ? KG_UNSUPPORTED : KG_COMPILE_ERROR;
        struct kg_buf text = KG_BUF_INIT;
        if (err.line)
            kg_buf_addf(&text, "candidate.cu:%zu: ", err.line);
        kg_buf_adds(&text, err.text);
        set_message(b->res, kg_buf_str(&text), text.len);
        kg_buf_release(&text);
        return -1;
    }
    kg_shim_write(b->task, shim, &b->text);
    return 0;
}

/* ---- after the compiler -------------------------------------------------------------------- */

static void name_host_kernels(struct kg_build *b)
{
    struct kg_buf names = KG_BUF_INIT;
    struct kg_compile_result *res = b->res;
    size_t cap = 0;
    kg_host_kernels(b->src, b->src_len, &names);
    for (size_t i = 0; i < names.len; i += strlen(names.data + i) + 1) {
        res->kernels = kg_mem_grow(res->kernels, res->n_kernels, &cap, sizeof *res->kernels);
        struct kg_compile_kernel *k = &res->kernels[res->n_kernels++];
        *k = (struct kg_compile_kernel){.registers = -1,
                                        .shared_bytes = -1,
                                        .local_bytes = -1,
                                        .const_bytes = -1,
                                        .spill_bytes = -1};
        kg_log_kernel_name(names.data + i, strlen(names.data + i), k->name, sizeof k->name);
    }
    kg_buf_release(&names);
}

/* The verdict and its line from the compiler's words. */
static void explain(struct kg_build *b)
{
    struct kg_buf text = KG_BUF_INIT, first = KG_BUF_INIT;
    const char *raw = kg_buf_str(&b->raw);
    enum kg_log_error error = kg_log_first_error(raw, b->raw.len, &first);
    enum kg_verdict verdict;
    if (b->builder == KG_BUILD_HOST &&
        kg_missing_on_host(b->tools, raw, b->raw.len, b->src, b->src_len, &text))
        b->res->verdict = KG_UNSUPPORTED;
    else if (b->builder != KG_BUILD_REFERENCE && error != KG_LOG_PLACED &&
             kg_shim_explain(b->task, raw, &verdict, &text))
        b->res->verdict = verdict;
    else if (error != KG_LOG_NONE)
        kg_buf_add(&text, first.data, first.len);
    else
        kg_buf_adds(&text, "the compiler failed without naming an error");
    set_message(b->res, kg_buf_str(&text), text.len);
    kg_buf_release(&text);
    kg_buf_release(&first);
}

/* NVRTC refused because of a header that is not there or not made for it (<cub/cub.cuh>, <vector>):
 * nvcc knows them. */
static bool is_for_nvcc(const struct kg_build *b)
{
    struct kg_buf first = KG_BUF_INIT;
    bool is = false;
    if (b->res->verdict == KG_COMPILE_ERROR && !b->res->message[0] && b->tools->nvcc &&
        b->tools->cxx &&
        kg_log_first_error(kg_buf_str(&b->raw), b->raw.len, &first) == KG_LOG_PLACED)
        is = strncmp(first.data, "candidate.cu:", 13) != 0 ||
             strstr(first.data, "cannot open source file");
    kg_buf_release(&first);
    return is;
}

static void build_bare_by_nvcc(struct kg_build *b)
{
    struct kg_compile_result *res = b->res;
    struct kg_error err = KG_ERROR_INIT;
    kg_buf_reset(&b->raw);
    kg_buf_reset(&b->file);
    b->builder = KG_BUILD_NVCC;
    b->program = b->tools->nvcc;
    b->n_args = 0;
    args(b, (const char *const[]){"-std=c++17", "-O3", "-cubin", "-Xptxas", "-v", NULL});
    nvcc_target(b);
    kg_build_by_program(b);
    if (res->verdict == KG_PASSED && !kg_log_symbol(kg_buf_str(&b->raw), b->raw.len, b->task->entry,
                                                    res->entry, sizeof res->entry)) {
        kg_error_set(&err, KG_E_INTERNAL, "no kernel '%s' in the report of ptxas", b->task->entry);
        kg_build_fault(b, &err);
    }
    kg_buf_adds(&res->notes, "built by nvcc: a header is not made for NVRTC\n");
}

static void build(struct kg_build *b)
{
    kg_buf_init(&b->raw, KG_BUILD_RAW_MAX);
    kg_buf_init(&b->file, KG_BUILD_FILE_MAX);
    if (b->builder == KG_BUILD_NVRTC)
        kg_build_by_nvrtc(b);
    else
        kg_build_by_program(b);
    if (b->builder == KG_BUILD_NVRTC && is_for_nvcc(b))
        build_bare_by_nvcc(b);
    if (b->builder == KG_BUILD_HOST)
        name_host_kernels(b);
    else if (b->builder != KG_BUILD_REFERENCE)
        kg_log_kernels(kg_buf_str(&b->raw), b->raw.len, &b->res->kernels, &b->res->n_kernels);
    if (b->res->verdict == KG_COMPILE_ERROR && !b->res->message[0])
        explain(b);
    kg_log_clean(kg_buf_str(&b->raw), b->raw.len, KG_COMPILE_LOG_MAX, &b->res->log);
}

/* ---- the cache ----------------------------------------------------------------------------- */

static void make_key(const struct kg_build *b, char hex[KG_SHA256_HEX])
{
    static const char *const names[] = {"host", "nvcc", "nvrtc", "reference"};
    const char *ids[] = {b->tools->cxx_id, b->tools->nvcc_id, b->tools->nvrtc_id, b->tools->cc_id};
    struct kg_sha256 s;
    unsigned char digest[KG_SHA256_BYTES];
    kg_sha256_init(&s);
    kg_sha256_add_str(&s, "kg artifact 2 " KG_VERSION);
    kg_sha256_add_str(&s, names[b->builder]);
    kg_sha256_add_str(&s, b->opts->target);
    kg_sha256_add_str(&s, ids[b->builder]);
    if (b->builder == KG_BUILD_NVRTC) /* which may hand over to it */
        kg_sha256_add_str(&s, ids[KG_BUILD_NVCC]);
    kg_sha256_add_str(&s, b->task->entry ? b->task->entry : "");
    for (size_t i = 0; i < b->n_args; i++)
        kg_sha256_add_str(&s, b->args[i]);
    kg_sha256_add(&s, b->text.data, b->text.len);
    kg_sha256_end(&s, digest);
    kg_sha256_hex(digest, hex);
}

/* A cache without room: the file goes where those of --no-cache go. */
static int keep_privately(struct kg_build *b, const struct kg_cache_entry *e, struct kg_error *err)
{
    struct kg_cache_entry own = *e;
    struct kg_error last = KG_ERROR_INIT;
    own.dir = kg_cache_private_dir();
    if (own.dir == e->dir || kg_cache_put(&own, b->file.data, b->file.len, b->res, &last))
        return -1;
    kg_buf_addf(&b->res->notes, "not cached: %s; built in a temporary folder\n", err->text);
    return 0;
}

static void keep(struct kg_build *b, const struct kg_cache_entry *e)
{
    struct kg_compile_result *res = b->res;
    struct kg_error err = KG_ERROR_INIT;
    int64_t bound = b->opts->cache_bytes ? b->opts->cache_bytes : (int64_t)4 << 30;
    if (b->transient)
        return;
    if (kg_cache_put(e, b->file.data, b->file.len, res, &err) == 0) {
        if (!b->opts->no_cache)
            kg_cache_bound(e->dir, bound, (int64_t)b->file.len + 4096);
    } else if (res->verdict == KG_PASSED &&
               keep_privately(b, e, &err)) { /* a verdict without a file needs no cache */
        kg_build_fault(b, &err);
    }
}

static void build_or_get(struct kg_build *b)
{
    char key[KG_SHA256_HEX];
    struct kg_compile_result *res = b->res;
    make_key(b, key);
    struct kg_cache_entry e = {.key = key, .suffix = b->suffix};
    if (b->opts->no_cache) {
        e.dir = kg_cache_private_dir();
        build(b);
        keep(b, &e);
        return;
    }
    e.dir = kg_cache_dir(&res->notes);
    if (kg_cache_get(&e, res))
        return;
    int fd = kg_cache_lock(&e, &res->notes);
    if (!kg_cache_get(&e, res)) { /* unless somebody built it while we waited */
        build(b);
        keep(b, &e);
    }
    kg_cache_unlock(&e, fd);
}

/* ---- the call ------------------------------------------------------------------------------ */

static bool is_blank(const char *src, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!strchr(" \t\r\n\v\f", src[i]) || !src[i])
            return false;
    return true;
}

static bool refuse(struct kg_compile_result *res, const char *src, size_t len)
{
    struct kg_buf text = KG_BUF_INIT;
    const char *nul = len ? memchr(src, 0, len) : NULL;
    res->verdict = KG_COMPILE_ERROR;
    if (is_blank(src, len)) {
        res->verdict = KG_NO_CODE;
        kg_buf_adds(&text, "the source is empty");
    } else if (len > SOURCE_MAX) {
        kg_buf_addf(&text, "a source of %zu bytes: the limit is %zu", len, SOURCE_MAX);
    } else if (nul) {
        kg_buf_addf(&text, "the source has a NUL: byte %zu", (size_t)(nul - src) + 1);
    }
    set_message(res, kg_buf_str(&text), text.len);
    kg_buf_release(&text);
    return res->message[0] != 0;
}

/* What a candidate must not include: the reference and the baseline in the task's folder, and what
 * the machine's owner keeps outside of home directories (those are hidden anyway). */
static void hide(struct kg_build *b)
{
    static const char *const system[] = {"/", "/usr", "/lib", "/lib64", "/bin", NULL};
    size_t n = 0;
    char real[PATH_MAX];
    if (b->task->source && realpath(b->task->source, real)) {
        char *dir = kg_fs_dirname(real);
        bool needed = false;
        for (int i = 0; system[i]; i++)
            needed |= !strcmp(dir, system[i]);
        if (!needed)
            b->hidden[n++] = kg_arena_strdup(&b->arena, dir);
        free(dir);
    }
    char *tasks = kg_fs_share("tasks", NULL);
    if (tasks)
        b->hidden[n++] = kg_arena_strdup(&b->arena, tasks);
    free(tasks);
    b->hidden[n++] = "/etc";
    b->hidden[n++] = "/srv";
    b->hidden[n++] = "/mnt";
    n = 0;
    const char *const need[] = {b->tools->cuda_home,     b->tools->host_include,
                                b->tools->nvrtc_include, b->program,
                                "/etc/ld.so.cache",      "/etc/alternatives"};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        if (need[i])
            b->readable[n++] = need[i];
}

void kg_compile(const struct kg_task *t, enum kg_compile_kind kind, const char *src, size_t len,
                const struct kg_compile_opts *o, struct kg_compile_result *out)
{
    double start = kg_clock_now();
    struct kg_compile_opts opts = *o;
    memset(out, 0, sizeof *out);
    kg_buf_init(&out->log, KG_COMPILE_LOG_MAX);
    kg_buf_init(&out->notes, 4096);
    opts.target = opts.target ? opts.target : "host";
    opts.timeout_s = opts.timeout_s > 0 ? opts.timeout_s : 60;
    struct kg_build b = {.task = t,
                         .src = src,
                         .src_len = len,
                         .input = "candidate.cu",
                         .opts = &opts,
                         .tools = kg_toolchain_get(opts.cuda_home),
                         .suffix = ".so",
                         .res = out};
    if (!refuse(out, src, len) && choose(&b, kind) == 0 && write_text(&b) == 0) {
        hide(&b);
        build_or_get(&b);
    }
    out->compile_ms = (kg_clock_now() - start) * 1e3;
    kg_buf_release(&b.text);
    kg_buf_release(&b.raw);
    kg_buf_release(&b.file);
    kg_arena_release(&b.arena);
}

void kg_compile_result_release(struct kg_compile_result *r)
{
    free(r->path);
    free(r->kernels);
    kg_buf_release(&r->log);
    kg_buf_release(&r->notes);
    memset(r, 0, sizeof *r);
}
