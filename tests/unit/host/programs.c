/*
 * Every tests/host/NAME.cu is translated, compiled by the host C++ compiler, loaded and run in a
 * process of its own; what its program() prints must be NAME.out. With arguments: only those names;
 * '-v' in front prints the output instead of comparing it.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"
#include "host/host.h"
#include "host/runtime.h"
#include "tap.h"

static const char *top(void)
{
    const char *t = getenv("KG_TOP");
    return t ? t : ".";
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static int compile(const char *cpp, const char *so)
{
    char *include = kg_mem_printf("-I%s/share/kg/include", top());
    const char *cxx = getenv("CXX") ? getenv("CXX") : "c++";
    const char *more = getenv("KG_TEST_CXXFLAGS") ? getenv("KG_TEST_CXXFLAGS") : "-DKG_TEST";
    pid_t pid = fork();
    if (pid == 0) {
        execlp(cxx, cxx, "-std=c++17", "-O2", "-fno-semantic-interposition", "-g", "-shared",
               "-fPIC", "-w", more, include, "-o", so, cpp, (char *)NULL);
        _exit(127);
    }
    int status = wait_for(pid);
    free(include);
    return status;
}

static void load_and_run(const char *so, const char *out)
{
    int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, 1);
    void *h = dlopen(so, RTLD_NOW | RTLD_LOCAL);
    if (!h) {
        printf("dlopen: %s\n", dlerror());
        exit(1);
    }
    void (*program)(void);
    *(void **)&program = dlsym(h, "program");
    if (!program) {
        printf("no program()\n");
        exit(1);
    }
    program();
    fflush(stdout);
    _exit(0);
}

static int build(const char *dir, const char *name, char **so)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_buf src = KG_BUF_INIT, cpp = KG_BUF_INIT;
    char *file = kg_mem_printf("%s/tests/host/%s.cu", top(), name);
    char *short_name = kg_mem_printf("%s.cu", name); /* so that output has no path in it */
    char *path = kg_mem_printf("%s/%s.cpp", dir, name);
    *so = kg_mem_printf("%s/%s.so", dir, name);
    int r = kg_fs_read(file, &src, &err);
    if (r == 0)
        r = kg_host_translate(src.data, src.len, short_name, &cpp, &err);
    if (r == 0)
        r = kg_fs_write(path, cpp.data, cpp.len, 0600, &err);
    if (r != 0)
        printf("# %s:%zu: %s\n", err.source, err.line, err.text);
    if (r == 0)
        r = compile(path, *so);
    kg_buf_release(&src);
    kg_buf_release(&cpp);
    free(file);
    free(short_name);
    free(path);
    return r;
}

static void test(const char *dir, const char *name, int show)
{
    char *so, *out = kg_mem_printf("%s/%s.got", dir, name);
    char *want_path = kg_mem_printf("%s/tests/host/%s.out", top(), name);
    struct kg_buf got = KG_BUF_INIT, want = KG_BUF_INIT;
    int status = build(dir, name, &so);
    if (status == 0) {
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0)
            load_and_run(so, out);
        status = wait_for(pid);
        kg_fs_read(out, &got, NULL);
    }
    kg_fs_read(want_path, &want, NULL);
    if (show) {
        printf("status %d\n%s", status, kg_buf_str(&got));
    } else {
        EQ_INT(status, 0);
        tap_str(kg_buf_str(&got), kg_buf_str(&want), want_path, 0, name);
    }
    kg_buf_release(&got);
    kg_buf_release(&want);
    free(so);
    free(out);
    free(want_path);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t find_programs(char **names, size_t max)
{
    char *path = kg_mem_printf("%s/tests/host", top());
    DIR *d = opendir(path);
    size_t n = 0;
    for (struct dirent *e; d && (e = readdir(d)) && n < max;) {
        size_t len = strlen(e->d_name);
        if (len > 3 && !strcmp(e->d_name + len - 3, ".cu"))
            names[n++] = kg_mem_strndup(e->d_name, len - 3);
    }
    if (d)
        closedir(d);
    free(path);
    qsort(names, n, sizeof *names, by_name);
    return n;
}

int main(int argc, char **argv)
{
    struct kg_error err = KG_ERROR_INIT;
    char *dir = kg_fs_tempdir("kg-host-", &err);
    int show = argc > 1 && !strcmp(argv[1], "-v");
    kg_host_set_threads(getenv("KG_TEST_THREADS") ? (int)strlen(getenv("KG_TEST_THREADS")) : 2);
    if (argc > 1) {
        for (int i = 1 + show; i < argc; i++)
            test(dir, argv[i], show);
    } else {
        char *names[256];
        size_t n = find_programs(names, 256);
        OK(n > 0);
        for (size_t i = 0; i < n; i++) {
            test(dir, names[i], 0);
            free(names[i]);
        }
    }
    if (getenv("KG_TEST_KEEP"))
        printf("# %s\n", dir);
    else
        kg_fs_remove_tree(dir);
    free(dir);
    return tap_done();
}
