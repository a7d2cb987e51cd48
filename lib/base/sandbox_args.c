#include "base/sandbox.h"
#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
    char **v;
    size_t n, cap;
};

static void add(struct args *a, char *text)
{
    a->v = kg_mem_grow(a->v, a->n, &a->cap, sizeof *a->v);
    a->v[a->n++] = text;
}

static void add_opt(struct args *a, const char *opt, const char *value)
{
    add(a, kg_mem_strdup(opt));
    add(a, kg_mem_strdup(value));
}

static void add_dirs(struct args *a, const char *opt, const char *const *dirs)
{
    for (; dirs && *dirs; dirs++)
        add_opt(a, opt, *dirs);
}

static void add_count(struct args *a, const char *opt, uint64_t n)
{
    if (!n)
        return;
    add(a, kg_mem_strdup(opt));
    add(a, kg_mem_printf("%llu", (unsigned long long)(n > INT64_MAX ? INT64_MAX : n)));
}

/* What is private to the person who runs the judge. */
static void add_private(struct args *a)
{
    static const char *const fixed[] = {"/root", "/home", "/run", "/media", NULL};
    add_dirs(a, "-x", fixed);
    static const char *const vars[] = {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"};
    for (size_t i = 0; i < sizeof vars / sizeof *vars; i++) {
        const char *dir = getenv(vars[i]);
        if (dir && dir[0] == '/' && dir[1])
            add_opt(a, "-x", dir);
    }
}

char **kg_init_args(const char *program, const struct kg_proc_spec *spec, bool filter)
{
    struct args a = {0};
    const struct kg_sandbox *s = spec->sandbox;
    enum kg_sandbox_mode mode = s ? s->mode : KG_SANDBOX_OFF;
    add(&a, kg_mem_strdup(program));
    add_opt(&a, "-m", mode == KG_SANDBOX_OFF ? "0" : mode == KG_SANDBOX_REQUIRE ? "2" : "1");
    add_count(&a, "-n", spec->n_fds);
    if (filter)
        add(&a, kg_mem_strdup("-F"));
    if (mode != KG_SANDBOX_OFF) {
        if (s->devices)
            add(&a, kg_mem_strdup("-g"));
        add_private(&a);
        add_dirs(&a, "-w", s->writable);
        add_dirs(&a, "-r", s->readable);
        add_dirs(&a, "-x", s->hidden);
        if (s->workdir)
            add_opt(&a, "-d", s->workdir);
    } else if (s && s->workdir) {
        add_opt(&a, "-d", s->workdir);
    } else if (spec->cwd) {
        add_opt(&a, "-d", spec->cwd);
    }
    /* RLIMIT_CPU counts whole seconds */
    add_count(&a, "-C", spec->limits.cpu_s > 0 ? (uint64_t)spec->limits.cpu_s + 1 : 0);
    add_count(&a, "-A", spec->limits.as_bytes);
    add_count(&a, "-S", spec->limits.file_bytes);
    add_count(&a, "-P", spec->limits.nproc);
    add_count(&a, "-N", spec->limits.nofile);
    add_count(&a, "-K", spec->limits.stack_bytes);
    add(&a, kg_mem_strdup("--"));
    for (const char *const *p = spec->argv; *p; p++)
        add(&a, kg_mem_strdup(*p));
    add(&a, NULL);
    return a.v;
}

void kg_init_args_free(char **args)
{
    for (char **p = args; p && *p; p++)
        free(*p);
    free(args);
}

static int push_dir(const char **list, const char *dir, struct kg_error *err)
{
    size_t n = 0;
    while (list[n])
        n++;
    if (dir[0] != '/')
        return kg_error_set(err, KG_E_USAGE, "the sandbox needs absolute paths: '%s'", dir);
    if (n == KG_INIT_MAX_DIRS)
        return kg_error_set(err, KG_E_LIMIT, "more than %d directories for a sandbox",
                            KG_INIT_MAX_DIRS);
    list[n] = dir;
    return 0;
}

static int count_of(const char *text, uint64_t *out, struct kg_error *err)
{
    int64_t n;
    if (kg_num_int(text, 0, INT64_MAX, &n, err))
        return -1;
    *out = (uint64_t)n;
    return 0;
}

static int parse_one(int opt, const char *arg, struct kg_init_opts *o, struct kg_error *err)
{
    uint64_t n = 0;
    switch (opt) {
    case 'm':
        if (count_of(arg, &n, err))
            return -1;
        o->mode = n == 0 ? KG_SANDBOX_OFF : n == 2 ? KG_SANDBOX_REQUIRE : KG_SANDBOX_AUTO;
        return 0;
    case 'n':
        if (count_of(arg, &n, err))
            return -1;
        o->n_fds = n;
        return 0;
    case 'F':
        o->filter = 0; /* its number follows from n */
        return 0;
    case 'g':
        o->devices = true;
        return 0;
    case 'd':
        o->workdir = arg;
        return 0;
    case 'w':
        return push_dir(o->writable, arg, err);
    case 'r':
        return push_dir(o->readable, arg, err);
    case 'x':
        return push_dir(o->hidden, arg, err);
    case 'C':
        if (count_of(arg, &n, err))
            return -1;
        o->limits.cpu_s = (double)n;
        return 0;
    case 'A':
        return count_of(arg, &o->limits.as_bytes, err);
    case 'S':
        return count_of(arg, &o->limits.file_bytes, err);
    case 'P':
        return count_of(arg, &o->limits.nproc, err);
    case 'N':
        return count_of(arg, &o->limits.nofile, err);
    case 'K':
        return count_of(arg, &o->limits.stack_bytes, err);
    }
    return kg_error_set(err, KG_E_USAGE, "kg-init is started by kg's other programs");
}

int kg_init_parse(int argc, char **argv, struct kg_init_opts *o, struct kg_error *err)
{
    memset(o, 0, sizeof *o);
    o->filter = -1;
    opterr = 0;
    for (int c; (c = getopt(argc, argv, "+m:n:Fgd:w:r:x:C:A:S:P:N:K:")) != -1;)
        if (parse_one(c, optarg, o, err))
            return -1;
    if (optind >= argc)
        return kg_error_set(err, KG_E_USAGE, "kg-init is started by kg's other programs");
    o->argv = argv + optind;
    o->ctl = 3 + (int)o->n_fds;
    if (o->filter >= 0)
        o->filter = o->ctl + 1;
    return 0;
}
