/* Compilers that are programs: g++ for the host device, nvcc, cc for references. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"
#include "compile/build.h"
#include "record/loop.h"

#define STOP_S 0.1 /* how soon a compile ends when the program is told to */

/* The compiler's input, and for the host the candidate's own text under the name that messages
 * have: the compiler then quotes the candidate's lines, not the translator's. */
static int make_workplace(const struct kg_build *b, char **dir, struct kg_error *err)
{
    *dir = kg_fs_tempdir("kg-compile", err);
    if (!*dir)
        return -1;
    char *input = kg_fs_join(*dir, b->input);
    int r = kg_fs_write(input, b->text.data, b->text.len, 0644, err);
    free(input);
    if (!r && b->builder == KG_BUILD_HOST) {
        char *own = kg_fs_join(*dir, "candidate.cu");
        r = kg_fs_write(own, b->src, b->src_len, 0644, err);
        free(own);
    }
    return r;
}

/* The built file. It was written by an untrusted process: no link is followed. */
static int take_file(struct kg_build *b, const char *dir, struct kg_error *err)
{
    char *path = kg_fs_join(dir, "out");
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int r = 0;
    if (fd < 0 || fstat(fd, &st))
        r = kg_error_errno(err, KG_E_SYSTEM, "the compiler left no file");
    else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > KG_BUILD_FILE_MAX)
        r = kg_error_set(err, KG_E_LIMIT, "the compiler left no regular file of at most %zu bytes",
                         KG_BUILD_FILE_MAX);
    while (r == 0) {
        char *room = kg_buf_reserve(&b->file, 1 << 16);
        ssize_t n = room ? read(fd, room, 1 << 16) : 0;
        if (n < 0 && errno != EINTR)
            r = kg_error_errno(err, KG_E_SYSTEM, "cannot read the compiler's file");
        if (n == 0)
            break;
        b->file.len += n > 0 ? (size_t)n : 0;
        b->file.data[b->file.len] = 0;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    return r;
}

/* PATH with the compiler's folder first (gcc finds its linker there), nothing of the user's. */
static const char *const *environment(struct kg_build *b, const char *dir)
{
    char *bin = kg_fs_dirname(b->program);
    char *cxx = b->tools->cxx ? kg_fs_dirname(b->tools->cxx) : kg_mem_strdup("/usr/bin");
    const char **env = kg_arena_array(&b->arena, 5, sizeof *env);
    env[0] = kg_arena_printf(&b->arena, "PATH=%s:%s:/usr/bin:/bin", bin, cxx);
    env[1] = "LANG=C.UTF-8";
    env[2] = kg_arena_printf(&b->arena, "TMPDIR=%s", dir);
    env[3] = kg_arena_printf(&b->arena, "HOME=%s", dir);
    free(bin);
    free(cxx);
    return env;
}

static int run(struct kg_build *b, const char *dir, struct kg_proc_end *end, struct kg_error *err)
{
    const char **argv = kg_arena_array(&b->arena, b->n_args + 5, sizeof *argv);
    size_t n = 0;
    argv[n++] = b->program;
    for (size_t i = 0; i < b->n_args; i++)
        argv[n++] = b->args[i];
    argv[n++] = "-o";
    argv[n++] = "out";
    const char *writable[] = {dir, NULL};
    struct kg_sandbox box = {.mode = b->opts->sandbox,
                             .writable = writable,
                             .readable = b->readable,
                             .hidden = b->hidden,
                             .workdir = dir,
                             .allow_exec = true};
    bool trusted = b->builder == KG_BUILD_REFERENCE || b->opts->sandbox == KG_SANDBOX_OFF;
    double seconds = b->opts->timeout_s;
    struct kg_proc_spec spec = {.argv = argv,
                                .envp = environment(b, dir),
                                .cwd = dir,
                                .stdin_fd = -1,
                                .output = &b->raw,
                                .sandbox = trusted ? NULL : &box,
                                .limits = {.cpu_s = seconds * 8, /* nvcc starts several at once */
                                           .as_bytes = kg_build_memory(),
                                           .file_bytes = KG_BUILD_FILE_MAX}};
    struct kg_proc p;
    if (kg_proc_spawn(&spec, &p, err))
        return -1;
    b->res->layers = p.layers;
    double deadline = kg_clock_now() + seconds, left;
    while (!p.ended && (left = deadline - kg_clock_now()) > 0 && !kg_loop_stopping())
        kg_proc_wait(&p, left < STOP_S ? left : STOP_S);
    if (!p.ended) {
        kg_proc_kill(&p);
        p.end.how = KG_PROC_TIMEOUT;
    }
    *end = p.end;
    kg_proc_kill(&p); /* releases what is left of it */
    return 0;
}

/* nvcc's own refusals ('nvcc fatal') are about options and the installation: no candidate's fault.
 * They stand alone: a candidate can print such a line, but not before nvcc starts the front end. */
static bool is_our_fault(const struct kg_build *b)
{
    return b->builder == KG_BUILD_NVCC && !strncmp(kg_buf_str(&b->raw), "nvcc fatal", 10);
}

/* Messages name files of the workplace by their last part, so that logs do not differ by chance. */
static void forget_workplace(struct kg_build *b, const char *dir)
{
    struct kg_buf out;
    size_t n = strlen(dir);
    const char *p = kg_buf_str(&b->raw), *end = p + b->raw.len, *q;
    if (!b->raw.len || !memmem(p, b->raw.len, dir, n))
        return;
    kg_buf_init(&out, b->raw.max);
    for (; (q = memmem(p, (size_t)(end - p), dir, n)); p = q + n + (q + n < end && q[n] == '/'))
        kg_buf_add(&out, p, (size_t)(q - p));
    kg_buf_add(&out, p, (size_t)(end - p));
    kg_buf_release(&b->raw);
    b->raw = out;
}

static void judge_end(struct kg_build *b, const struct kg_proc_end *end, const char *dir,
                      struct kg_machine *m)
{
    struct kg_error err = KG_ERROR_INIT;
    forget_workplace(b, dir);
    if (end->how == KG_PROC_TIMEOUT && kg_loop_stopping()) {
        kg_build_interrupted(b);
    } else if (end->how == KG_PROC_TIMEOUT) {
        kg_build_timed_out(b);
    } else if (end->how == KG_PROC_EXITED && end->status == 0) {
        b->res->verdict = KG_PASSED;
        if (take_file(b, dir, &err))
            kg_build_fault(b, &err);
    } else if (end->how == KG_PROC_LOST) {
        kg_error_set(&err, KG_E_SYSTEM, "the compiler was killed from outside");
        kg_build_fault(b, &err);
    } else if (is_our_fault(b)) {
        kg_error_set(&err, KG_E_SYSTEM, "%.*s", (int)strcspn(b->raw.data, "\n"), b->raw.data);
        kg_build_fault(b, &err);
    } else {
        b->res->verdict = KG_COMPILE_ERROR;
        bool killed = end->how == KG_PROC_SIGNALED && end->status == SIGKILL;
        kg_machine_is_doubted(m, &b->raw, killed, dir);
        if (end->how == KG_PROC_SIGNALED)
            kg_buf_addf(&b->raw, "\nthe compiler was ended by signal %d (%s)\n", end->status,
                        strsignal(end->status));
    }
}

/* One build in a workplace of its own. With m->doubt set, 'sick' gets what is wrong there. */
static void attempt(struct kg_build *b, struct kg_machine *m, struct kg_error *sick)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_proc_end end;
    char *dir = NULL;
    m->doubt = false;
    if (make_workplace(b, &dir, &err) || run(b, dir, &end, &err))
        kg_build_fault(b, &err);
    else
        judge_end(b, &end, dir, m);
    if (m->doubt)
        kg_machine_check(m, dir, sick);
    if (dir && kg_fs_remove_tree(dir))
        kg_buf_addf(&b->res->notes, "could not remove '%s'\n", dir);
    free(dir);
}

/* Does a source that cannot be wrong build here, with the same compiler and options? -1: no. */
static int build_control(const struct kg_build *b, const char *line, struct kg_error *err)
{
    const char *text = b->builder == KG_BUILD_NVCC
                           ? "__global__ void kg_control(float *x) { *x = 1; }\n"
                           : "int kg_control = 1;\n";
    struct kg_compile_result res = {0};
    struct kg_build c = *b;
    struct kg_machine m;
    struct kg_error sick = KG_ERROR_INIT;
    c.src = text;
    c.src_len = strlen(text);
    c.res = &res;
    memset(&c.arena, 0, sizeof c.arena);
    kg_buf_init(&c.text, 0);
    kg_buf_adds(&c.text, text);
    kg_buf_init(&c.raw, KG_BUILD_RAW_MAX);
    kg_buf_init(&c.file, KG_BUILD_FILE_MAX);
    kg_machine_before(&m);
    attempt(&c, &m, &sick);
    bool built = res.verdict == KG_PASSED;
    if (!built)
        kg_error_set(err, KG_E_SYSTEM, "a source of one line does not build here either (%s)",
                     line[0] ? line : "the compiler said nothing");
    kg_buf_release(&c.text);
    kg_buf_release(&c.raw);
    kg_buf_release(&c.file);
    kg_arena_release(&c.arena);
    kg_compile_result_release(&res);
    return built ? 0 : -1;
}

/*
 * A failure that the machine may have caused is tried once more, for what has passed meanwhile.
 * When it stays, the machine is looked at, and a source of one line is built: either finds a fault
 * of the machine, or it is the source's; that is not kept, since what cannot be seen may pass as
 * well.
 */
void kg_build_by_program(struct kg_build *b)
{
    struct kg_error sick = KG_ERROR_INIT;
    struct kg_machine m;
    kg_machine_before(&m);
    attempt(b, &m, &sick);
    if (!m.doubt || kg_loop_stopping())
        return;
    kg_buf_reset(&b->raw);
    kg_buf_reset(&b->file);
    kg_error_clear(&sick);
    attempt(b, &m, &sick);
    if (!m.doubt || kg_loop_stopping())
        return;
    b->transient = true;
    if (sick.code || build_control(b, m.line, &sick))
        kg_build_fault(b, &sick);
}
