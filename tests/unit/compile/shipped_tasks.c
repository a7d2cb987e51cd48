/*
 * The tasks that kg ships: each loads from YAML and comes back from its JSON; its reference gives
 * a truth that passes its own comparison in every case, and does not when the last element is
 * wrong.
 */
#include "tap.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/mem.h"
#include "compile/compile.h"
#include "record/json.h"
#include "record/yaml.h"
#include "task/compare.h"
#include "task/gen.h"

static struct kg_task *load(const char *dir, const char *name)
{
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_error err = KG_ERROR_INIT;
    char *path = kg_fs_join(dir, name);
    const struct kg_value *doc = kg_yaml_file(path, &a, &err);
    struct kg_task *t = doc ? kg_task_new(doc, dir, path, &err) : NULL;
    OK(t != NULL);
    if (!t)
        printf("# %s:%zu:%zu: %s\n", err.source, err.line, err.col, err.text);
    kg_arena_release(&a);
    free(path);
    return t;
}

static void round_trip(const struct kg_task *t)
{
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_error err = KG_ERROR_INIT;
    struct kg_buf text = KG_BUF_INIT;
    kg_task_json(t, &text);
    const struct kg_value *doc = kg_json_text(text.data, text.len, "json", &a, &err);
    struct kg_task *again = doc ? kg_task_new(doc, NULL, "json", &err) : NULL;
    OK(again && !memcmp(again->sha, t->sha, sizeof t->sha));
    kg_task_free(again);
    kg_arena_release(&a);
    kg_buf_release(&text);
}

struct call {
    void *native[KG_TASK_MAX_ARGS], *wide[KG_TASK_MAX_ARGS]; /* of arrays; the truth's side */
    union {
        double f;
        int32_t i;
        int64_t l;
    } scalar[KG_TASK_MAX_ARGS];
    void *args[KG_TASK_MAX_ARGS];
};

/* What the reference's own functions make; integers, whose types are the truth's too. */
static void publish_made(struct call *c, const struct kg_instance *in, void *so)
{
    const struct kg_task *t = in->task;
    const int64_t *axes = in->which->axes;
    uint64_t seed = 11;
    c->args[t->ref_axes] = &axes;
    c->args[t->ref_seed] = &seed;
    for (size_t i = 0; i < t->n_makers; i++) {
        size_t first = t->makers[i].arg[0];
        char *name = kg_mem_printf("kg_init_%s", t->makers[i].name);
        void (*make)(void **) = NULL;
        *(void **)&make = dlsym(so, name);
        OK(make != NULL);
        if (make && kg_task_maker(t, in->args[first].init) == (int)i)
            make(c->args);
        free(name);
    }
}

/* Fresh inputs, as the task's types hold them, and widened to double for the truth. */
static void publish(struct call *c, const struct kg_instance *in, void *so)
{
    struct kg_content content = {.seed = 11, .call = 1, .patch_element = -1};
    for (size_t i = 0; i < in->task->n_args; i++) {
        const struct kg_arg *a = &in->task->args[i];
        const struct kg_instance_arg *ia = &in->args[i];
        if (a->scalar) {
            enum kg_dtype t = kg_dtype_is_float(a->dtype) ? KG_FLOAT64 : a->dtype;
            kg_dtype_set(t, &c->scalar[i], 0, kg_gen_scalar(in, i, &content));
            c->args[i] = &c->scalar[i];
            continue;
        }
        c->native[i] = calloc(ia->count, 8);
        c->wide[i] = calloc(ia->count, 8);
        c->args[i] = &c->wide[i];
        if (a->role == KG_ROLE_OUT || kg_task_maker(in->task, ia->init) >= 0)
            continue;
        kg_gen_fill(in, i, &content, c->native[i]);
        enum kg_dtype t = kg_dtype_is_float(a->dtype) ? KG_FLOAT64 : a->dtype;
        for (size_t k = 0; k < ia->count; k++)
            kg_dtype_set(t, c->wide[i], k, kg_dtype_get(a->dtype, c->native[i], k));
    }
    publish_made(c, in, so);
}

static bool ok(const struct kg_instance *in, size_t arg, const void *got, const void *wide)
{
    struct kg_cmp_stats s;
    struct kg_tolerance tol = kg_tolerance_of(in, arg);
    bool f = kg_dtype_is_float(in->task->args[arg].dtype);
    kg_compare(in, arg, &tol, got, f ? NULL : wide, f ? wide : NULL, -1, 5, in->args[arg].count,
               &s);
    return kg_cmp_ok(&s);
}

static void judge(struct call *c, const struct kg_instance *in)
{
    for (size_t i = 0; i < in->task->n_args; i++) {
        const struct kg_arg *a = &in->task->args[i];
        if (a->role == KG_ROLE_IN)
            continue;
        enum kg_dtype t = kg_dtype_is_float(a->dtype) ? KG_FLOAT64 : a->dtype;
        size_t n = in->args[i].count;
        double last = 0;
        for (size_t k = 0; k < n; k++) {
            last = kg_dtype_get(t, c->wide[i], k);
            kg_dtype_set(a->dtype, c->native[i], k, last);
        }
        OK(ok(in, i, c->native[i], c->wide[i]));
        double off = t != KG_FLOAT64 ? (last > 0 ? last - 1 : last + 1)
                     : last != 0     ? last * 1.01 + (last > 0 ? 1e-3 : -1e-3)
                                     : 1;
        kg_dtype_set(a->dtype, c->native[i], n - 1, off);
        OK(!ok(in, i, c->native[i], c->wide[i]));
    }
}

static void run_case(const struct kg_task *t, const struct kg_case *which, void *so,
                     void (*kg_call)(void **))
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_instance in;
    struct call c = {0};
    OK(!kg_instance_init(&in, t, which, &err));
    printf("# %s: %s\n", t->task_id, which->label);
    publish(&c, &in, so);
    kg_call(c.args);
    judge(&c, &in);
    for (size_t i = 0; i < t->n_args; i++) {
        free(c.native[i]);
        free(c.wide[i]);
    }
}

static void task(const char *dir, const char *name)
{
    struct kg_task *t = load(dir, name);
    if (!t)
        return;
    round_trip(t);
    OK(t->baseline != NULL);
    struct kg_compile_opts o = {.target = "host", .timeout_s = 60, .no_cache = true};
    struct kg_compile_result res;
    kg_compile(t, KG_SOURCE_REFERENCE, t->reference, strlen(t->reference), &o, &res);
    EQ_INT(res.verdict, KG_PASSED);
    void *so = res.path ? dlopen(res.path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*kg_call)(void **) = NULL;
    if (so)
        *(void **)&kg_call = dlsym(so, "kg_call");
    OK(kg_call != NULL);
    if (!kg_call)
        printf("# %s %s\n", res.message, kg_buf_str(&res.log));
    for (size_t i = 0; kg_call && i < t->n_cases; i++)
        run_case(t, &t->cases[i], so, kg_call);
    if (kg_call)
        run_case(t, &t->timed_host, so, kg_call);
    if (so)
        dlclose(so);
    kg_compile_result_release(&res);
    kg_task_free(t);
}

static const char inline_text[] = "task_id: t\n"
                                  "axes: {n: 4}\n"
                                  "args:\n"
                                  "  - {name: y, dtype: float32, shape: [n], role: out}\n"
                                  "reference: |\n"
                                  "  void reference(double *y)\n"
                                  "  {\n"
                                  "      y[0] = 1;\n"
                                  "  }\n";

/* Sources that stand in the YAML, and files that are not there. */
static void sources(void)
{
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_error err = KG_ERROR_INIT;
    const struct kg_value *doc = kg_yaml_text(inline_text, strlen(inline_text), "t.yaml", &a, &err);
    struct kg_task *t = kg_task_new(doc, NULL, "t.yaml", &err);
    OK(t != NULL);
    if (t)
        EQ_STR(t->reference, "void reference(double *y)\n{\n    y[0] = 1;\n}\n");
    OK(t && !t->baseline);
    kg_task_free(t);
    struct kg_buf file = KG_BUF_INIT;
    kg_buf_add(&file, inline_text, (size_t)(strstr(inline_text, "|\n") - inline_text));
    kg_buf_adds(&file, "absent.c\n");
    doc = kg_yaml_text(file.data, file.len, "t.yaml", &a, &err);
    t = kg_task_new(doc, "/nonexistent", "t.yaml", &err);
    OK(t == NULL);
    HAS(err.text, "'reference': cannot open '/nonexistent/absent.c'");
    EQ_INT(err.line, 5);
    EQ_INT(err.col, 12);
    kg_task_free(t);
    kg_buf_release(&file);
    kg_arena_release(&a);
}

int main(void)
{
    sources();
    struct kg_error err = KG_ERROR_INIT;
    char *dir = kg_fs_share("tasks", &err);
    DIR *d = dir ? opendir(dir) : NULL;
    int n = 0;
    OK(d != NULL);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        if (len > 5 && !strcmp(e->d_name + len - 5, ".yaml")) {
            task(dir, e->d_name);
            n++;
        }
    }
    OK(n >= 5);
    if (d)
        closedir(d);
    free(dir);
    return tap_done();
}
