#include "judge/truth.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/sha256.h"
#include "compile/cache.h"
#include "judge/secret.h"
#include "task/compare.h"

#define MAGIC "kgtruth1"
#define ALIGN 64

/* The file: this, then the answers, call by call. */
struct head {
    char magic[8];
    uint64_t seed, bytes, n_calls;
    double rms[KG_TASK_MAX_ARGS];
    uint64_t offset[KG_PLAN_TRUTH][KG_TASK_MAX_ARGS];
};

struct entry {
    struct kg_truth truth;
    bool ready;
    struct entry *next;
};

struct agreed {
    char key[2 * KG_SHA256_HEX];
    struct agreed *next;
};

struct kg_truths {
    bool no_cache;
    bool temporary; /* dir goes with us */
    int64_t bytes;  /* its bound */
    char *dir;
    pthread_mutex_t lock;
    pthread_cond_t done;
    struct entry *entries;
    struct agreed *agreed;
};

/* The cache, private; where it cannot be written, a temporary folder, and 'why' says so. */
static char *find_dir(bool *temporary, struct kg_error *why)
{
    char *dir = kg_fs_cache("truth", why);
    *temporary = false;
    if (dir && !chmod(dir, 0700) && !access(dir, W_OK))
        return dir;
    if (dir)
        kg_error_errno(why, KG_E_SYSTEM, "cannot write to '%s'", dir);
    free(dir);
    *temporary = true;
    return kg_fs_tempdir("kg-truth", NULL);
}

struct kg_truths *kg_truths_new(bool no_cache, int64_t bytes, struct kg_error *err)
{
    struct kg_error why = KG_ERROR_INIT;
    bool temporary;
    char *dir = find_dir(&temporary, &why);
    if (!dir) {
        kg_error_set(err, why.code, "%s", why.text);
        return NULL;
    }
    if (temporary)
        kg_msg_warn("no cache of truths: %s", why.text);
    struct kg_truths *t = kg_mem_zalloc(sizeof *t);
    t->no_cache = no_cache;
    t->bytes = bytes;
    t->dir = dir;
    t->temporary = temporary;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->done, NULL);
    return t;
}

void kg_truths_free(struct kg_truths *t)
{
    if (!t)
        return;
    for (struct entry *e = t->entries, *next; e; e = next) {
        next = e->next;
        if (e->truth.map)
            munmap((void *)(uintptr_t)e->truth.map, e->truth.map_bytes);
        free(e);
    }
    for (struct agreed *a = t->agreed, *next; a; a = next) {
        next = a->next;
        free(a);
    }
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->done);
    if (t->temporary)
        kg_fs_remove_tree(t->dir);
    free(t->dir);
    free(t);
}

/* GPUs of different kinds need not make the same inputs to the last bit, so the device's name is
 * part of the key. */
static int make_key(struct kg_space *space, const struct kg_instance *in, char key[KG_SHA256_HEX],
                    struct kg_error *err)
{
    struct kg_device_info info;
    struct kg_sha256 h;
    unsigned char d[KG_SHA256_BYTES];
    if (space->ops->info(space, &info, err))
        return -1;
    kg_sha256_init(&h);
    kg_sha256_add_str(&h, MAGIC);
    kg_sha256_add(&h, in->task->sha, KG_SHA256_BYTES);
    kg_sha256_add_str(&h, space->ops->name);
    kg_sha256_add_str(&h, info.name);
    kg_sha256_add_str(&h, in->which->label);
    kg_sha256_add(&h, in->which->axes, in->task->n_axes * sizeof *in->which->axes);
    for (size_t i = 0; i < in->task->n_args; i++) {
        const struct kg_init *x = in->args[i].init;
        if (x) {
            kg_sha256_add(&h, &x->kind, sizeof x->kind);
            kg_sha256_add(&h, &x->a, sizeof x->a);
            kg_sha256_add(&h, &x->b, sizeof x->b);
            if (x->kind == KG_INIT_CUSTOM)
                kg_sha256_add_str(&h, x->name);
        }
    }
    kg_sha256_end(&h, d);
    kg_sha256_hex(d, key);
    return 0;
}

static bool is_timed(const struct kg_instance *in)
{
    return in->which == &in->task->timed || in->which == &in->task->timed_host;
}

static void lay_out(const struct kg_instance *in, struct head *h)
{
    uint64_t at = (sizeof *h + ALIGN - 1) / ALIGN * ALIGN;
    memcpy(h->magic, MAGIC, sizeof h->magic);
    h->n_calls = is_timed(in) ? KG_PLAN_TRUTH_TIMED : KG_PLAN_TRUTH;
    for (uint64_t c = 0; c < h->n_calls; c++)
        for (size_t i = 0; i < in->task->n_args; i++)
            if (kg_arg_comes_out(&in->task->args[i])) {
                h->offset[c][i] = at;
                at += (kg_ref_out_bytes(in, i) + ALIGN - 1) / ALIGN * ALIGN;
            }
    h->bytes = at;
}

/* What check says of the reference's own answer: one that refuses it would refuse everybody, or
 * whom it likes. */
static int check_itself(struct kg_space *space, struct kg_ref *ref, const struct kg_plan_call *c,
                        enum kg_verdict *v, struct kg_error *err)
{
    const struct kg_instance *in = ref->in;
    int result;
    for (size_t i = 0; i < in->task->n_args; i++) {
        if (!kg_arg_comes_out(&in->task->args[i]))
            continue;
        void *native = kg_mem_alloc(in->args[i].bytes);
        kg_ref_take(ref, i, native);
        kg_ref_put_got(ref, i, native);
        free(native);
    }
    if (kg_ref_inputs(ref, space, c, true, v, err) ||
        kg_ref_check(ref, &c->content, &result, v, err))
        return -1;
    if (!result)
        return 0;
    *v = KG_REFERENCE_ERROR;
    return kg_error_set(err, KG_E_INPUT,
                        "task '%s' (%s): check refuses the reference's own answer: it returned %d",
                        in->task->task_id, in->which->label, result);
}

static int compute_call(struct kg_space *space, struct kg_ref *ref, const struct kg_plan_call *c,
                        int fd, const struct head *h, double *sum_sq, enum kg_verdict *v,
                        struct kg_error *err)
{
    const struct kg_instance *in = ref->in;
    if (kg_ref_inputs(ref, space, c, false, v, err) || kg_ref_run(ref, &c->content, v, err))
        return -1;
    for (size_t i = 0; i < in->task->n_args; i++) {
        enum kg_dtype t = in->task->args[i].dtype;
        if (!kg_arg_comes_out(&in->task->args[i]))
            continue;
        const void *out = kg_ref_out(ref, i);
        if (kg_dtype_is_float(t))
            sum_sq[i] += kg_sum_sq(t, NULL, out, in->args[i].count);
        if (lseek(fd, (off_t)h->offset[c->truth][i], SEEK_SET) < 0 ||
            kg_fs_write_all(fd, out, kg_ref_out_bytes(in, i))) {
            *v = KG_JUDGE_FAULT;
            return kg_error_errno(err, KG_E_SYSTEM, "cannot write a truth");
        }
    }
    return in->task->checked ? check_itself(space, ref, c, v, err) : 0;
}

static int compute(struct kg_space *space, const struct kg_instance *in, struct kg_ref *ref, int fd,
                   enum kg_verdict *v, struct kg_error *err)
{
    struct head h = {.seed = 0};
    struct kg_plan_call call[KG_PLAN_TRUTH];
    double sum_sq[KG_TASK_MAX_ARGS] = {0};
    struct kg_secret secret;
    kg_secret_init(&secret, NULL, "truth");
    h.seed = kg_secret_u64(&secret);
    lay_out(in, &h);
    kg_plan_truth(in, h.seed, h.n_calls, call);
    if (kg_ref_load(ref, in, v, err))
        return -1;
    for (size_t c = 0; c < h.n_calls; c++)
        if (compute_call(space, ref, &call[c], fd, &h, sum_sq, v, err))
            return -1;
    for (size_t i = 0; i < in->task->n_args; i++)
        if (in->args[i].count)
            h.rms[i] = sqrt(sum_sq[i] / (double)(in->args[i].count * h.n_calls));
    *v = KG_JUDGE_FAULT;
    if (lseek(fd, 0, SEEK_SET) < 0 || kg_fs_write_all(fd, &h, sizeof h) ||
        ftruncate(fd, (off_t)h.bytes))
        return kg_error_errno(err, KG_E_SYSTEM, "cannot write a truth");
    return 0;
}

/* Maps a truth's file; -1 without err when it is not one that fits. */
static int map_file(int fd, const struct kg_instance *in, struct kg_truth *t)
{
    struct head want = {.seed = 0}, *h;
    struct stat st;
    lay_out(in, &want);
    if (fstat(fd, &st) || (uint64_t)st.st_size != want.bytes)
        return -1;
    void *map = mmap(NULL, want.bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return -1;
    h = map;
    if (memcmp(h->magic, MAGIC, sizeof h->magic) || h->n_calls != want.n_calls ||
        memcmp(h->offset, want.offset, sizeof h->offset)) {
        munmap(map, want.bytes);
        return -1;
    }
    t->map = map;
    t->map_bytes = want.bytes;
    t->n_calls = h->n_calls;
    memcpy(t->rms, h->rms, sizeof t->rms);
    for (size_t c = 0; c < KG_PLAN_TRUTH; c++)
        for (size_t i = 0; i < KG_TASK_MAX_ARGS; i++)
            t->offset[c][i] = h->offset[c][i];
    kg_plan_truth(in, h->seed, t->n_calls, t->call);
    return 0;
}

static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

/* Under the key's lock: computes into a temporary file, which is then renamed (or, without the
 * cache, left without a name). */
static int compute_file(struct kg_truths *t, const char *path, struct kg_space *space,
                        const struct kg_instance *in, struct kg_ref *ref, struct kg_truth *out,
                        enum kg_verdict *v, struct kg_error *err)
{
    char *tmp = kg_mem_printf("%s.XXXXXX", path);
    int fd = mkostemp(tmp, O_CLOEXEC), rc; /* mode 0600 */
    if (fd < 0) {
        rc = kg_error_errno(err, KG_E_SYSTEM, "cannot make '%s'", tmp);
        free(tmp);
        return rc;
    }
    rc = compute(space, in, ref, fd, v, err);
    if (!rc && map_file(fd, in, out))
        rc = kg_error_errno(err, KG_E_INTERNAL, "cannot map the truth '%s'", tmp);
    if (rc || t->no_cache || rename(tmp, path))
        unlink(tmp);
    else
        kg_truth_bound(t->dir, t->bytes);
    close(fd);
    free(tmp);
    return rc;
}

static int load(struct kg_truths *t, struct kg_space *space, const struct kg_instance *in,
                struct kg_ref *ref, struct kg_truth *out, enum kg_verdict *v, struct kg_error *err)
{
    char *path = kg_mem_printf("%s/%s", t->dir, out->key);
    char *lock = kg_mem_printf("%s.lock", path);
    int rc = -1, fd = -1, lock_fd = -1;
    *v = KG_JUDGE_FAULT;
    if (!t->no_cache && (fd = open_file(path)) >= 0 && !(rc = map_file(fd, in, out)))
        (void)futimens(fd, NULL); /* last use; when it fails the truth only ages */
    if (rc) {
        lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (lock_fd < 0 || kg_cache_flock(lock_fd))
            kg_error_errno(err, KG_E_SYSTEM, "cannot lock '%s'", lock);
        else if (!t->no_cache && fd < 0 && (fd = open_file(path)) >= 0 && !map_file(fd, in, out))
            rc = 0; /* another process was faster */
        else
            rc = compute_file(t, path, space, in, ref, out, v, err);
    }
    if (fd >= 0)
        close(fd);
    if (lock_fd >= 0)
        close(lock_fd);
    free(path);
    free(lock);
    return rc;
}

/* The entry of a key: ready, or claimed by the caller, who must load it. */
static struct entry *claim(struct kg_truths *t, const char *key, bool *ours)
{
    pthread_mutex_lock(&t->lock);
    for (;;) {
        struct entry *e = t->entries;
        while (e && strcmp(e->truth.key, key))
            e = e->next;
        *ours = !e;
        if (!e) {
            e = kg_mem_zalloc(sizeof *e);
            memcpy(e->truth.key, key, KG_SHA256_HEX);
            e->next = t->entries;
            t->entries = e;
        }
        if (*ours || e->ready) {
            pthread_mutex_unlock(&t->lock);
            return e;
        }
        pthread_cond_wait(&t->done, &t->lock); /* then look again: it may have failed */
    }
}

static void settle(struct kg_truths *t, struct entry *e, bool ok)
{
    pthread_mutex_lock(&t->lock);
    e->ready = ok;
    if (!ok) {
        struct entry **p = &t->entries;
        while (*p != e)
            p = &(*p)->next;
        *p = e->next;
        free(e);
    }
    pthread_cond_broadcast(&t->done);
    pthread_mutex_unlock(&t->lock);
}

struct kg_truth *kg_truth_get(struct kg_truths *t, struct kg_space *space,
                              const struct kg_instance *in, struct kg_ref *ref, enum kg_verdict *v,
                              struct kg_error *err)
{
    char key[KG_SHA256_HEX];
    bool ours;
    *v = KG_JUDGE_FAULT;
    if (make_key(space, in, key, err))
        return NULL;
    struct entry *e = claim(t, key, &ours);
    if (!ours)
        return &e->truth;
    int rc = load(t, space, in, ref, &e->truth, v, err);
    if (rc && err->code == KG_E_UNSUPPORTED)
        *v = KG_UNSUPPORTED;
    settle(t, e, !rc);
    return rc ? NULL : &e->truth;
}

static void agreed_name(const struct kg_truth *truth, const char *artifact,
                        char out[2 * KG_SHA256_HEX])
{
    struct kg_sha256 h;
    unsigned char d[KG_SHA256_BYTES];
    kg_sha256_init(&h);
    kg_sha256_add_str(&h, truth->key);
    /* a truth that was computed anew has other inputs, and has to be agreed with again */
    kg_sha256_add(&h, &truth->call[0].content.seed, sizeof truth->call[0].content.seed);
    kg_sha256_add_str(&h, artifact);
    kg_sha256_end(&h, d);
    kg_sha256_hex(d, out);
    memcpy(out + KG_SHA256_HEX - 1, ".ok", 4);
}

static bool known(struct kg_truths *t, const char *name)
{
    pthread_mutex_lock(&t->lock);
    struct agreed *a = t->agreed;
    while (a && strcmp(a->key, name))
        a = a->next;
    pthread_mutex_unlock(&t->lock);
    return a;
}

static void remember(struct kg_truths *t, const char *name)
{
    struct agreed *a = kg_mem_zalloc(sizeof *a);
    memcpy(a->key, name, sizeof a->key);
    pthread_mutex_lock(&t->lock);
    a->next = t->agreed;
    t->agreed = a;
    pthread_mutex_unlock(&t->lock);
}

bool kg_truth_agreed(struct kg_truths *t, const struct kg_truth *truth, const char *artifact)
{
    char name[2 * KG_SHA256_HEX];
    agreed_name(truth, artifact, name);
    if (known(t, name))
        return true;
    char *path = kg_mem_printf("%s/%s", t->dir, name);
    bool there = !t->no_cache && kg_fs_exists(path);
    free(path);
    if (there)
        remember(t, name);
    return there;
}

void kg_truth_agree(struct kg_truths *t, const struct kg_truth *truth, const char *artifact)
{
    char name[2 * KG_SHA256_HEX];
    struct kg_error ignored = KG_ERROR_INIT; /* it is then found out again next time */
    agreed_name(truth, artifact, name);
    remember(t, name);
    char *path = kg_mem_printf("%s/%s", t->dir, name);
    if (!t->no_cache)
        (void)kg_fs_write(path, "", 0, 0600, &ignored);
    free(path);
}
