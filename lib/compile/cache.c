#include "compile/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/jsonout.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "record/json.h"
#include "record/loop.h"

#define FILE_MAX ((size_t)256 << 20)

/* ---- folders ------------------------------------------------------------------------------- */

static pthread_once_t dir_once = PTHREAD_ONCE_INIT, private_once = PTHREAD_ONCE_INIT;
static char *dir_path, *private_path, *dir_trouble;
static pid_t private_owner;

static void remove_private(void)
{
    if (private_path && getpid() == private_owner)
        kg_fs_remove_tree(private_path);
    free(private_path);
    private_path = NULL;
}

static void make_private(void)
{
    struct kg_error err = KG_ERROR_INIT;
    private_path = kg_fs_tempdir("kg-artifacts", &err);
    private_owner = getpid();
    if (private_path)
        atexit(remove_private);
    else /* every write will fail with its own message */
        private_path = kg_mem_strdup("/nonexistent/kg-artifacts");
}

const char *kg_cache_private_dir(void)
{
    pthread_once(&private_once, make_private);
    return private_path;
}

/* Is a file really written there? A full or read-only file system says so only now. */
static bool is_writable(const char *dir, struct kg_error *err)
{
    char *name = kg_mem_printf("%s/.probe-%ld", dir, (long)getpid());
    int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        kg_error_errno(err, KG_E_SYSTEM, "cannot write in '%s'", dir);
    else
        close(fd);
    unlink(name);
    free(name);
    return fd >= 0;
}

static void find_dir(void)
{
    struct kg_error err = KG_ERROR_INIT;
    dir_path = kg_fs_cache("artifacts", &err);
    if (dir_path && is_writable(dir_path, &err))
        return;
    free(dir_path);
    dir_path = kg_mem_strdup(kg_cache_private_dir());
    dir_trouble = kg_mem_printf("no cache: %s; built in a temporary folder", err.text);
}

const char *kg_cache_dir(struct kg_buf *notes)
{
    pthread_once(&dir_once, find_dir);
    if (dir_trouble && notes)
        kg_buf_addf(notes, "%s\n", dir_trouble);
    return dir_path;
}

static char *entry_path(const struct kg_cache_entry *e, const char *suffix)
{
    return kg_mem_printf("%s/%.2s/%s%s", e->dir, e->key, e->key + 2, suffix);
}

/* ---- the .json beside an artifact ---------------------------------------------------------- */

static void write_kernel(struct kg_jsonout *j, const struct kg_compile_kernel *k)
{
    kg_jsonout_object(j);
    kg_jsonout_kv_str(j, "name", k->name);
    kg_jsonout_kv_int(j, "registers", k->registers);
    kg_jsonout_kv_int(j, "shared", k->shared_bytes);
    kg_jsonout_kv_int(j, "local", k->local_bytes);
    kg_jsonout_kv_int(j, "const", k->const_bytes);
    kg_jsonout_kv_int(j, "spill", k->spill_bytes);
    kg_jsonout_end(j);
}

static void write_meta(const struct kg_compile_result *r, struct kg_buf *out)
{
    struct kg_jsonout j;
    kg_jsonout_init(&j, out);
    kg_jsonout_object(&j);
    kg_jsonout_kv_str(&j, "verdict", kg_verdict_name(r->verdict));
    kg_jsonout_kv_str(&j, "message", r->message);
    kg_jsonout_kv_str(&j, "artifact", r->artifact);
    kg_jsonout_kv_str(&j, "entry", r->entry);
    kg_jsonout_kv_int(&j, "layers", r->layers);
    /* without a cache every note of this process says so again by itself */
    kg_jsonout_kv_str(&j, "notes", dir_trouble ? "" : kg_buf_str(&r->notes));
    kg_jsonout_key(&j, "kernels");
    kg_jsonout_array(&j);
    for (size_t i = 0; i < r->n_kernels; i++)
        write_kernel(&j, &r->kernels[i]);
    kg_jsonout_end(&j);
    kg_jsonout_key(&j, "log");
    kg_jsonout_strn(&j, kg_buf_str(&r->log), r->log.len);
    kg_jsonout_end(&j);
}

static void copy_text(char *dst, size_t size, const struct kg_value *v)
{
    const char *s = kg_value_str(v, "");
    size_t n = strlen(s);
    if (n >= size)
        n = size - 1;
    memcpy(dst, s, n);
    dst[n] = 0;
}

static int64_t whole(const struct kg_value *v, const char *key)
{
    int64_t n;
    return kg_value_int(kg_value_get(v, key), &n) ? n : -1;
}

static bool read_meta(const struct kg_value *v, struct kg_compile_result *r)
{
    const struct kg_value *kernels = kg_value_get(v, "kernels"), *log = kg_value_get(v, "log");
    enum kg_verdict verdict;
    if (!kg_verdict_parse(kg_value_str(kg_value_get(v, "verdict"), ""), &verdict) ||
        !kg_value_is(kernels, KG_VALUE_ARRAY) || !kg_value_is(log, KG_VALUE_STRING) ||
        whole(v, "layers") < 0)
        return false;
    r->verdict = verdict;
    copy_text(r->message, sizeof r->message, kg_value_get(v, "message"));
    copy_text(r->artifact, sizeof r->artifact, kg_value_get(v, "artifact"));
    copy_text(r->entry, sizeof r->entry, kg_value_get(v, "entry"));
    r->layers = (unsigned)whole(v, "layers");
    r->n_kernels = kernels->len;
    r->kernels = kg_mem_array(kernels->len, sizeof *r->kernels);
    for (size_t i = 0; i < kernels->len; i++) {
        struct kg_compile_kernel *k = &r->kernels[i];
        copy_text(k->name, sizeof k->name, kg_value_get(kernels->items[i], "name"));
        k->registers = whole(kernels->items[i], "registers");
        k->shared_bytes = whole(kernels->items[i], "shared");
        k->local_bytes = whole(kernels->items[i], "local");
        k->const_bytes = whole(kernels->items[i], "const");
        k->spill_bytes = whole(kernels->items[i], "spill");
    }
    kg_buf_add(&r->log, log->text, log->len);
    kg_buf_adds(&r->notes, kg_value_str(kg_value_get(v, "notes"), ""));
    return true;
}

/* ---- entries ------------------------------------------------------------------------------- */

static void hash_of(const void *data, size_t n, char hex[KG_SHA256_HEX])
{
    struct kg_sha256 s;
    unsigned char digest[KG_SHA256_BYTES];
    kg_sha256_init(&s);
    kg_sha256_add(&s, data, n);
    kg_sha256_end(&s, digest);
    kg_sha256_hex(digest, hex);
}

static bool is_sound(const char *path, const char *artifact)
{
    struct kg_buf file;
    char hex[KG_SHA256_HEX];
    kg_buf_init(&file, FILE_MAX);
    bool ok = kg_fs_read(path, &file, NULL) == 0;
    if (ok) {
        hash_of(file.data, file.len, hex);
        ok = !strcmp(hex, artifact);
    }
    kg_buf_release(&file);
    return ok;
}

static void forget(struct kg_compile_result *r)
{
    free(r->kernels);
    r->kernels = NULL;
    r->n_kernels = 0;
    r->layers = 0;
    r->message[0] = r->artifact[0] = r->entry[0] = 0;
    kg_buf_reset(&r->log);
    kg_buf_reset(&r->notes);
}

bool kg_cache_get(const struct kg_cache_entry *e, struct kg_compile_result *out)
{
    char *meta = entry_path(e, ".json"), *file = entry_path(e, e->suffix);
    struct kg_buf text;
    struct kg_arena arena = KG_ARENA_INIT;
    bool ok = false;
    kg_buf_init(&text, (size_t)4 << 20);
    if (kg_fs_exists(meta) && kg_fs_read(meta, &text, NULL) == 0) {
        const struct kg_value *v = kg_json_text(kg_buf_str(&text), text.len, meta, &arena, NULL);
        ok = v && read_meta(v, out) && (out->verdict != KG_PASSED || is_sound(file, out->artifact));
        if (!ok)
            forget(out);
    }
    if (ok) {
        utimensat(AT_FDCWD, meta, NULL, 0); /* last use; when it fails the entry only ages */
        out->cached = true;
        if (out->verdict == KG_PASSED)
            out->path = kg_mem_strdup(file);
    }
    kg_arena_release(&arena);
    kg_buf_release(&text);
    free(meta);
    free(file);
    return ok;
}

int kg_cache_flock(int fd)
{
    while (flock(fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -1;
        if (kg_loop_stopping()) {
            errno = EINTR;
            return -1;
        }
        nanosleep(&(struct timespec){0, 5000000L}, NULL);
    }
    return 0;
}

int kg_cache_lock(const struct kg_cache_entry *e, struct kg_buf *notes)
{
    char *path = entry_path(e, ".lock"), *dir = kg_fs_dirname(path);
    struct kg_error err = KG_ERROR_INIT;
    struct stat here, there;
    int fd = -1;
    if (kg_fs_mkdirs(dir, 0700, &err) == 0) {
        for (;;) {
            fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
            if (fd >= 0 && kg_cache_flock(fd)) {
                close(fd);
                fd = -1;
            }
            /* the holder before us may have removed the name: then ours is no lock */
            if (fd < 0 || (!fstat(fd, &here) && !stat(path, &there) && here.st_ino == there.st_ino))
                break;
            close(fd);
        }
        if (fd < 0)
            kg_error_errno(&err, KG_E_SYSTEM, "cannot lock '%s'", path);
    }
    if (fd < 0)
        kg_buf_addf(notes, "%s\n", err.text);
    free(dir);
    free(path);
    return fd;
}

void kg_cache_unlock(const struct kg_cache_entry *e, int fd)
{
    if (fd < 0)
        return;
    char *path = entry_path(e, ".lock");
    unlink(path);
    close(fd);
    free(path);
}

int kg_cache_put(const struct kg_cache_entry *e, const void *file, size_t n,
                 struct kg_compile_result *res, struct kg_error *err)
{
    char *meta = entry_path(e, ".json"), *path = entry_path(e, e->suffix);
    char *dir = kg_fs_dirname(meta);
    struct kg_buf text = KG_BUF_INIT;
    int r = kg_fs_mkdirs(dir, 0700, err);
    if (!r && res->verdict == KG_PASSED) {
        hash_of(file, n, res->artifact);
        /* readable by the worker's own user; the folders above keep others out */
        r = kg_fs_write(path, file, n, 0755, err);
    }
    if (!r) {
        write_meta(res, &text);
        r = kg_fs_write(meta, text.data, text.len, 0600, err);
    }
    if (!r && res->verdict == KG_PASSED)
        res->path = kg_mem_strdup(path);
    kg_buf_release(&text);
    free(dir);
    free(meta);
    free(path);
    return r;
}
