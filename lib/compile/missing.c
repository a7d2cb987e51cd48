#include "compile/missing.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"

#define HEADER_MAX ((size_t)4 << 20)

struct text {
    const char *s;
    size_t n;
};

static const char *find(struct text t, const char *what)
{
    return t.n ? memmem(t.s, t.n, what, strlen(what)) : NULL;
}

/* "candidate.cu:12:5: [fatal ]error: " at the start of a line; the first one of the log. */
static bool first_error(struct text raw, size_t *line, struct text *words)
{
    static const char file[] = "candidate.cu:";
    const char *end = raw.s + raw.n;
    for (const char *p = raw.s; p < end;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        struct text l = {p, (size_t)((nl ? nl : end) - p)};
        const char *e = find(l, "error: ");
        if (l.n > sizeof file && !memcmp(p, file, sizeof file - 1) && e) {
            *line = 0;
            for (p += sizeof file - 1; p < e && isdigit((unsigned char)*p); p++)
                *line = *line * 10 + (size_t)(*p - '0');
            e += strlen("error: ");
            *words = (struct text){e, (size_t)(l.s + l.n - e)};
            return true;
        }
        p = nl ? nl + 1 : end;
    }
    return false;
}

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(struct text t, const char *word, size_t n)
{
    for (const char *p = t.s, *end = t.s + t.n; (p = memmem(p, (size_t)(end - p), word, n)); p++)
        if ((p == t.s || !word_char(p[-1])) && (p + n == end || !word_char(p[n])))
            return true;
    return false;
}

/* ---- headers ------------------------------------------------------------------------------- */

static bool begins_with_any(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (!strncmp(s, *list, strlen(*list)))
            return true;
    return false;
}

static bool is_cuda_header(const struct kg_toolchain *t, const char *name)
{
    static const char *const known[] = {
        "cub/",     "thrust/", "cuda/",    "nvtx3/",   "mma.h", "cublas", "cudnn",
        "curand",   "cufft",   "cusparse", "cusolver", "cuda_", "cuda.h", "cooperative_groups",
        "cutlass/", "cute/",   "nccl",     "cutensor", NULL};
    if (begins_with_any(name, known))
        return true;
    static const char *const folders[] = {"include", "include/cccl", NULL};
    for (int i = 0; t->cuda_home && folders[i]; i++) {
        char *dir = kg_fs_join(t->cuda_home, folders[i]), *path = kg_fs_join(dir, name);
        bool found = name[0] != '/' && !strstr(name, "..") && kg_fs_exists(path);
        free(path);
        free(dir);
        if (found)
            return true;
    }
    return false;
}

static bool missing_header(const struct kg_toolchain *t, struct text words, size_t line,
                           struct kg_buf *message)
{
    const char *end = find(words, ": No such file or directory");
    if (!end)
        return false;
    char *name = kg_mem_strndup(words.s, (size_t)(end - words.s));
    bool ours = is_cuda_header(t, name);
    if (ours)
        kg_buf_addf(message, "candidate.cu:%zu: the host device has no header '%s'", line, name);
    free(name);
    return ours;
}

/* ---- names --------------------------------------------------------------------------------- */

static bool file_has_word(const char *path, const char *word, size_t n)
{
    struct kg_buf b;
    kg_buf_init(&b, HEADER_MAX);
    bool found =
        kg_fs_read(path, &b, NULL) == 0 && b.len && has_word((struct text){b.data, b.len}, word, n);
    kg_buf_release(&b);
    return found;
}

/* Headers that every CUDA source sees, and those of this one's own #includes. */
static bool counts(const char *name, struct text src)
{
    static const char *const always[] = {"cuda_runtime",  "driver_types",     "driver_functions",
                                         "vector_",       "device_",          "sm_",
                                         "math_",         "texture_",         "surface_",
                                         "host_",         "common_functions", "channel_descriptor",
                                         "builtin_types", "library_types",    NULL};
    static const char *const asked[] = {
        "cuda_fp16",          "cuda_bf16", "cuda_fp8",       "cuda_pipeline",
        "cooperative_groups", "mma",       "cuda_awbarrier", NULL};
    if (begins_with_any(name, always))
        return true;
    for (int i = 0; asked[i]; i++)
        if (!strncmp(name, asked[i], strlen(asked[i])) && find(src, asked[i]))
            return true;
    return false;
}

static bool folder_has_word(const char *dir, bool all, struct text src, const char *word, size_t n)
{
    DIR *d = opendir(dir);
    bool found = false;
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        if (len < 3 || (strcmp(e->d_name + len - 2, ".h") && strcmp(e->d_name + len - 4, ".hpp")))
            continue;
        if (!all && !counts(e->d_name, src))
            continue;
        char *path = kg_fs_join(dir, e->d_name);
        found = file_has_word(path, word, n);
        free(path);
    }
    if (d)
        closedir(d);
    return found;
}

static bool toolkit_has(const struct kg_toolchain *t, struct text src, const char *word, size_t n)
{
    char *include = kg_fs_join(t->cuda_home, "include"), *crt = kg_fs_join(include, "crt");
    bool found =
        folder_has_word(crt, true, src, word, n) || folder_has_word(include, false, src, word, n);
    free(crt);
    free(include);
    return found;
}

static bool looks_like_cuda(const char *s, size_t n)
{
    static const char *const heads[] = {"__",     "cuda",   "nvcuda", "tex", "surf",
                                        "cublas", "curand", "atomic", NULL};
    return n > 3 &&
           (begins_with_any(s, heads) || (!strncmp(s, "cu", 2) && isupper((unsigned char)s[2])));
}

/* The quoted name of "'x' was not declared" and the like. */
static bool quoted_name(struct text words, struct text *name)
{
    static const char *const open[] = {"\xE2\x80\x98", "'", NULL};
    static const char *const close[] = {"\xE2\x80\x99", "'", NULL};
    for (int i = 0; open[i]; i++) {
        const char *p = find(words, open[i]), *q;
        if (!p)
            continue;
        p += strlen(open[i]);
        q = find((struct text){p, (size_t)(words.s + words.n - p)}, close[i]);
        if (!q)
            continue;
        *name = (struct text){p, (size_t)(q - p)};
        return true;
    }
    return false;
}

static bool missing_name(const struct kg_toolchain *t, struct text words, size_t line,
                         struct text src, struct kg_buf *message)
{
    static const char *const phrases[] = {"was not declared",
                                          "has not been declared",
                                          "does not name a type",
                                          "is not a member of",
                                          "is not a class, namespace",
                                          "there are no arguments to",
                                          NULL};
    struct text name;
    bool fits = false;
    for (int i = 0; phrases[i] && !fits; i++)
        fits = find(words, phrases[i]);
    if (!fits || !quoted_name(words, &name) || !looks_like_cuda(name.s, name.n))
        return false;
    if (t->cuda_home && !toolkit_has(t, src, name.s, name.n))
        return false;
    kg_buf_addf(message, "candidate.cu:%zu: the host device has no '%.*s'", line, (int)name.n,
                name.s);
    return true;
}

bool kg_missing_on_host(const struct kg_toolchain *t, const char *raw, size_t n, const char *src,
                        size_t len, struct kg_buf *message)
{
    struct text words;
    size_t line;
    if (!first_error((struct text){raw, n}, &line, &words))
        return false;
    return missing_header(t, words, line, message) ||
           missing_name(t, words, line, (struct text){src, len}, message);
}
