#include "compile/toolchain.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"

struct entry {
    struct entry *next;
    char *asked; /* NULL: the default */
    struct kg_toolchain t;
};

static struct entry *entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void kg_toolchain_identity(const char *path, struct kg_buf *out)
{
    char real[PATH_MAX];
    struct stat st;
    if (path && realpath(path, real) && !stat(real, &st))
        kg_buf_addf(out, "%s %lld %lld.%09ld\n", real, (long long)st.st_size,
                    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    else
        kg_buf_adds(out, "none\n");
}

static char *identity_of(const char *const *paths)
{
    struct kg_buf b = KG_BUF_INIT;
    for (; *paths; paths++)
        kg_toolchain_identity(*paths, &b);
    return kg_buf_take(&b);
}

static char *existing(const char *dir, const char *name)
{
    char *path = dir ? kg_fs_join(dir, name) : NULL;
    if (path && !access(path, R_OK))
        return path;
    free(path);
    return NULL;
}

/* A path without links, so that a sandbox that hides /etc/alternatives still finds it. */
static char *resolved(char *path)
{
    char real[PATH_MAX];
    if (!path || !realpath(path, real))
        return path;
    free(path);
    return kg_mem_strdup(real);
}

static char *first_program(const char *const *names)
{
    for (; *names; names++) {
        char *p = kg_fs_which(*names);
        if (p)
            return resolved(p);
    }
    return NULL;
}

static void find_cuda_home(struct kg_toolchain *t, const char *asked)
{
    const char *env = getenv("CUDA_HOME");
    if (asked && *asked) {
        t->cuda_home = kg_mem_strdup(asked);
        t->cuda_from = "--cuda-home";
    } else if (env && *env) {
        t->cuda_home = kg_mem_strdup(env);
        t->cuda_from = "CUDA_HOME";
    } else if (!env && kg_fs_is_dir(KG_CUDA_HOME)) {
        t->cuda_home = kg_mem_strdup(KG_CUDA_HOME);
        t->cuda_from = "built in";
    } else {
        char *nvcc = resolved(kg_fs_which("nvcc"));
        char *bin = nvcc ? kg_fs_dirname(nvcc) : NULL;
        t->cuda_home = bin ? kg_fs_dirname(bin) : NULL;
        t->cuda_from = "PATH";
        free(nvcc);
        free(bin);
    }
    t->cuda_home = resolved(t->cuda_home);
}

static void find_cuda(struct kg_toolchain *t)
{
    static const char *const libs[] = {"lib64/libnvrtc.so.13", "lib64/libnvrtc.so.12",
                                       "lib64/libnvrtc.so", "targets/x86_64-linux/lib/libnvrtc.so",
                                       "targets/sbsa-linux/lib/libnvrtc.so"};
    t->nvcc = existing(t->cuda_home, "bin/nvcc");
    for (size_t i = 0; i < sizeof libs / sizeof *libs && !t->nvrtc; i++)
        t->nvrtc = existing(t->cuda_home, libs[i]);
    char *cicc = existing(t->cuda_home, "nvvm/bin/cicc");
    char *ptxas = existing(t->cuda_home, "bin/ptxas");
    char *runtime = existing(t->cuda_home, "include/cuda_runtime_api.h");
    t->nvcc_id =
        identity_of((const char *[]){t->nvcc ? t->nvcc : "", ptxas ? ptxas : "", cicc ? cicc : "",
                                     runtime ? runtime : "", t->cxx ? t->cxx : "", NULL});
    t->nvrtc_id =
        identity_of((const char *[]){t->nvrtc ? t->nvrtc : "", runtime ? runtime : "", NULL});
    free(cicc);
    free(ptxas);
    free(runtime);
}

/* Identities of a folder's files, in the order of their names. */
static void add_folder_identity(const char *dir, struct kg_buf *out)
{
    struct dirent **list = NULL;
    int n = scandir(dir, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char *path = kg_fs_join(dir, list[i]->d_name);
        if (list[i]->d_name[0] != '.') {
            if (kg_fs_is_dir(path))
                add_folder_identity(path, out);
            else
                kg_toolchain_identity(path, out);
        }
        free(path);
        free(list[i]);
    }
    free(list);
}

static void add_id(char **id, const char *dir)
{
    struct kg_buf b = KG_BUF_INIT;
    kg_buf_adds(&b, *id);
    if (dir)
        add_folder_identity(dir, &b);
    free(*id);
    *id = kg_buf_take(&b);
}

static void find_all(struct kg_toolchain *t, const char *asked)
{
    t->cxx = first_program((const char *[]){"g++", "c++", "clang++", NULL});
    t->cc = first_program((const char *[]){"gcc", "cc", "clang", NULL});
    t->cxx_id = identity_of((const char *[]){t->cxx ? t->cxx : "", NULL});
    t->cc_id = identity_of((const char *[]){t->cc ? t->cc : "", NULL});
    find_cuda_home(t, asked);
    find_cuda(t);
    t->host_include = kg_fs_share("include", NULL);
    t->nvrtc_include = kg_fs_share("nvrtc", NULL);
    add_id(&t->cxx_id, t->host_include);
    add_id(&t->nvrtc_id, t->nvrtc_include);
}

const struct kg_toolchain *kg_toolchain_get(const char *cuda_home)
{
    struct entry *e;
    pthread_mutex_lock(&lock);
    for (e = entries; e; e = e->next)
        if (cuda_home && e->asked ? !strcmp(cuda_home, e->asked) : !cuda_home && !e->asked)
            break;
    if (!e) {
        e = kg_mem_zalloc(sizeof *e);
        e->asked = cuda_home ? kg_mem_strdup(cuda_home) : NULL;
        find_all(&e->t, cuda_home);
        e->next = entries;
        entries = e;
    }
    pthread_mutex_unlock(&lock);
    return &e->t;
}

/* The line of '--version' that holds a digit and a dot, or why there is none. */
static void add_version(const char *program, struct kg_buf *out)
{
    struct kg_buf text;
    struct kg_proc_end end;
    struct kg_error err = KG_ERROR_INIT;
    const char *argv[] = {program, "--version", NULL};
    kg_buf_init(&text, 4096);
    struct kg_proc_spec spec = {.argv = argv, .stdin_fd = -1, .output = &text};
    if (kg_proc_run(&spec, 10, &end, &err)) {
        kg_buf_addf(out, " (does not start: %s)", err.text);
    } else {
        const char *line = strstr(kg_buf_str(&text), "release ");
        if (!line)
            line = kg_buf_str(&text);
        kg_buf_adds(out, " (");
        kg_buf_add(out, line, strcspn(line, "\n"));
        kg_buf_adds(out, ")");
    }
    kg_buf_release(&text);
}

static void add_program(const char *name, const char *path, struct kg_buf *out)
{
    kg_buf_addf(out, "%s: %s", name, path ? path : "not found");
    if (path)
        add_version(path, out);
    kg_buf_addc(out, '\n');
}

void kg_toolchain_env(const struct kg_toolchain *t, struct kg_buf *out)
{
    kg_buf_addf(out, "cuda: %s", t->cuda_home ? t->cuda_home : "not found");
    kg_buf_addf(out, t->cuda_home ? " (from %s)\n" : "\n", t->cuda_from);
    add_program("nvcc", t->nvcc, out);
    kg_buf_addf(out, "nvrtc: %s\n", t->nvrtc ? t->nvrtc : "not found");
    add_program("c++", t->cxx, out);
    add_program("cc", t->cc, out);
    kg_buf_addf(out, "host headers: %s\n", t->host_include ? t->host_include : "not found");
}
