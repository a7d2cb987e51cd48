#include "judge/space_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "compile/toolchain.h"
#include "device/nvrtc.h"

extern const char kg_space_text[], kg_space_text_end[];

/* The embedded texts without their #include lines: they stand one behind the other already. */
static void source(struct kg_buf *out)
{
    for (const char *p = kg_space_text; p < kg_space_text_end;) {
        const char *end = memchr(p, '\n', (size_t)(kg_space_text_end - p));
        size_t n = end ? (size_t)(end - p) + 1 : (size_t)(kg_space_text_end - p);
        if (strncmp(p, "#include", 8))
            kg_buf_add(out, p, n);
        p += n;
    }
}

static int build(const char *text, const char *target, struct kg_buf *cubin, struct kg_error *err)
{
    struct kg_buf log, symbol = KG_BUF_INIT;
    kg_buf_init(&log, 4096);
    const char *library = kg_toolchain_get(NULL)->nvrtc;
    char arch[40];
    snprintf(arch, sizeof arch, "--gpu-architecture=%s", target);
    const char *options[] = {arch, "--std=c++17", "--fmad=false"};
    struct kg_nvrtc_source s = {text, "space_kernels.cu", NULL, options, 3};
    bool ok = false;
    int rc = -1;
    if (!library)
        kg_error_set(err, KG_E_MISSING, "NVRTC is not there: the judge's kernels cannot be built");
    else if (!kg_nvrtc_open(library, err))
        rc = kg_nvrtc_compile(&s, &ok, cubin, &log, &symbol, err);
    if (!rc && !ok)
        rc = kg_error_set(err, KG_E_INTERNAL, "the judge's kernels do not compile: %s",
                          kg_buf_str(&log));
    kg_buf_release(&log);
    kg_buf_release(&symbol);
    return rc;
}

static char *cache_path(const char *text, const char *target)
{
    struct kg_sha256 sha;
    unsigned char digest[KG_SHA256_BYTES];
    char hex[KG_SHA256_HEX];
    kg_sha256_init(&sha);
    kg_sha256_add_str(&sha, text);
    kg_sha256_add_str(&sha, target);
    kg_sha256_end(&sha, digest);
    kg_sha256_hex(digest, hex);
    char *dir = kg_fs_cache("device", NULL);
    char *path = dir ? kg_mem_printf("%s/%s.cubin", dir, hex) : NULL;
    free(dir);
    return path;
}

static int find_kernels(struct kg_gpu *g, struct kg_space_kernels *k, struct kg_error *err)
{
    const struct {
        const char *name;
        uint64_t *to;
    } wanted[] = {{"kg_fill_blocks", &k->fill_blocks},
                  {"kg_fill_values", &k->fill_values},
                  {"kg_poison", &k->poison},
                  {"kg_guard", &k->guard},
                  {"kg_guard_check", &k->guard_check},
                  {"kg_hash", &k->hash},
                  {"kg_differs", &k->differs},
                  {"kg_flush", &k->flush},
                  {"kg_read", &k->read},
                  {"kg_probe", &k->probe},
                  {"kg_row_squares", &k->row_squares},
                  {"kg_add_parts", &k->add_parts},
                  {"kg_compare", &k->compare}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!(*wanted[i].to = kg_gpu_kernel(g, k->module, wanted[i].name, err)))
            return -1;
    return 0;
}

int kg_space_kernels_load(struct kg_gpu *g, struct kg_space_kernels *k, struct kg_error *err)
{
    struct kg_buf text = KG_BUF_INIT, cubin = KG_BUF_INIT;
    char target[16];
    int rc = 0;
    kg_gpu_target(g, target);
    source(&text);
    char *path = cache_path(kg_buf_str(&text), target);
    if (!path || kg_fs_read(path, &cubin, NULL)) {
        kg_buf_reset(&cubin);
        rc = build(kg_buf_str(&text), target, &cubin, err);
        /* a cache that cannot be written costs only time */
        if (!rc && path)
            kg_fs_write(path, cubin.data, cubin.len, 0600, NULL);
    }
    if (!rc && !(k->module = kg_gpu_module_load(g, cubin.data, err)))
        rc = -1;
    if (!rc)
        rc = find_kernels(g, k, err);
    free(path);
    kg_buf_release(&text);
    kg_buf_release(&cubin);
    return rc;
}
