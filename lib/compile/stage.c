#include "compile/stage.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/fs.h"
#include "base/jsonout.h"
#include "base/mem.h"
#include "base/msg.h"
#include "compile/stamp.h"

/* ---- one record ---------------------------------------------------------------------------- */

static void say_missing(const char *message)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool said;
    pthread_mutex_lock(&lock);
    if (!said)
        kg_msg_error("%s", message);
    said = true;
    pthread_mutex_unlock(&lock);
    kg_loop_status(KG_EXIT_MISSING);
}

static double time_limit(const struct kg_compile_stage *s, struct kg_record *r)
{
    const struct kg_value *v = kg_record_get(r, "timeout");
    double seconds = kg_value_num(v, 0);
    if (s->opts.timeout_s > 0)
        return s->opts.timeout_s;
    if (v && v->type != KG_VALUE_NULL && !(seconds > 0))
        kg_record_fault(r, "field 'timeout' is no positive number");
    return seconds > 0 ? seconds : 60;
}

static void verdict_of_source(struct kg_compile_result *res, enum kg_verdict v, const char *text)
{
    memset(res, 0, sizeof *res);
    res->verdict = v;
    size_t n = strlen(text);
    memcpy(res->message, text, n < sizeof res->message ? n + 1 : sizeof res->message - 1);
}

/* Old faults of a stage that is repeated and now succeeds. */
static void clear_verdict(struct kg_record *r)
{
    static const char *const fields[] = {"status", "error_code", "error_message", "correctness",
                                         "decoy_kernel"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (kg_record_has(r, fields[i]))
            kg_record_set_null(r, fields[i]);
}

static bool is_cuda(struct kg_record *r, struct kg_compile_result *res)
{
    const char *backend = kg_compile_backend(r);
    if (!backend || !strcmp(backend, "cuda"))
        return true;
    struct kg_buf text = KG_BUF_INIT;
    kg_buf_addf(&text, "backend '%s': a native task is written in 'cuda'", backend);
    verdict_of_source(res, KG_UNSUPPORTED, kg_buf_str(&text));
    kg_buf_release(&text);
    return false;
}

static void embed(struct kg_record *r, const struct kg_task *t)
{
    struct kg_buf text = KG_BUF_INIT;
    kg_task_json(t, &text);
    kg_record_set_json(r, "task", text.data, text.len);
    kg_buf_release(&text);
}

static void compile(struct kg_compile_stage *s, struct kg_record *r, const struct kg_task *t,
                    struct kg_compile_result *res)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_compile_opts opts = s->opts;
    size_t len;
    const char *src = kg_compile_source(r, s->extract, &len, &err);
    opts.timeout_s = time_limit(s, r);
    kg_compile_backend(r); /* a fault of it is one of the record, whatever the source */
    if (r->error.code)
        return;
    if (!src)
        verdict_of_source(res, KG_NO_CODE, err.text);
    else if (is_cuda(r, res))
        kg_compile(t, KG_SOURCE_CANDIDATE, src, len, &opts, res);
}

int kg_compile_stage_work(void *ctx, void *thread, struct kg_record *r)
{
    struct kg_compile_stage *s = ctx;
    struct kg_compile_result res = {0};
    struct kg_error err = KG_ERROR_INIT;
    if (kg_record_is_settled(r, "compile", s->redo))
        return KG_LOOP_KEEP;
    const struct kg_task *t = kg_tasks_of(s->tasks, r, &err);
    if (!t) {
        kg_record_fault(r, "%s", err.text);
        return KG_LOOP_KEEP;
    }
    compile(s, r, t, &res);
    if (!r->error.code) {
        if (res.verdict == KG_JUDGE_FAULT && res.code == KG_E_MISSING)
            say_missing(res.message);
        if (res.verdict == KG_PASSED && s->redo)
            clear_verdict(r);
        kg_compile_write(r, &s->opts, &res);
        kg_stamp(r, t);
        if (s->embed_task && !kg_record_has(r, "task"))
            embed(r, t);
    }
    kg_compile_result_release(&res);
    return KG_LOOP_KEEP;
}

/* ---- source files as operands ------------------------------------------------------------- */

static bool is_source(const char *name)
{
    static const char *const ends[] = {".cu", ".cuh", ".cpp", ".cxx", ".cc", ".c", NULL};
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot && ends[i]; i++)
        if (!strcmp(dot, ends[i]))
            return true;
    return false;
}

static int add_record(const struct kg_task *t, const char *file, struct kg_buf *out,
                      struct kg_error *err)
{
    struct kg_buf source, task = KG_BUF_INIT;
    struct kg_jsonout j;
    kg_buf_init(&source, (size_t)64 << 20);
    int r = kg_fs_read(file, &source, err);
    if (!r) {
        kg_task_json(t, &task);
        kg_jsonout_init(&j, out);
        kg_jsonout_object(&j);
        kg_jsonout_kv_str(&j, "id", file);
        kg_jsonout_kv_str(&j, "task_id", t->task_id);
        kg_jsonout_key(&j, "kernel_code");
        kg_jsonout_strn(&j, kg_buf_str(&source), source.len);
        kg_jsonout_key(&j, "task");
        kg_jsonout_raw(&j, task.data, task.len);
        kg_jsonout_end(&j);
        kg_buf_addc(out, '\n');
    }
    kg_buf_release(&source);
    kg_buf_release(&task);
    return r;
}

/* The name of a file that holds the text and lives as long as this process. */
static char *as_file(const struct kg_buf *text, struct kg_error *err)
{
    int fd = memfd_create("kg-compile", MFD_CLOEXEC);
    if (fd < 0 || kg_fs_write_all(fd, text->data, text->len) || lseek(fd, 0, SEEK_SET)) {
        kg_error_errno(err, KG_E_SYSTEM, "cannot keep the records of source files");
        return NULL;
    }
    return kg_mem_printf("/proc/self/fd/%d", fd);
}

int kg_compile_stage_operands(struct kg_tasks *tasks, char **files, int n_files,
                              struct kg_error *err)
{
    const struct kg_task *t = kg_tasks_only(tasks);
    int r = 0;
    for (int i = 0; i < n_files && !r; i++) {
        struct kg_buf text = KG_BUF_INIT;
        struct kg_error bad = KG_ERROR_INIT;
        if (!is_source(files[i]))
            continue;
        if (!t)
            return kg_error_set(err, KG_E_USAGE, "'%s' is a source file: name its one task with -t",
                                files[i]);
        if (add_record(t, files[i], &text, &bad)) { /* told, and the others go on */
            kg_msg_from(&bad);
            kg_loop_status(KG_EXIT_INPUT);
            kg_buf_reset(&text);
        }
        char *name = as_file(&text, err); /* of what cannot be read: without a record */
        if (name)
            files[i] = name; /* lives as long as the process, like argv */
        r = name ? 0 : -1;
        kg_buf_release(&text);
    }
    return r;
}
