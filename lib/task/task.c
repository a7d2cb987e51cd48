#include "task/task.h"
#include "base/fs.h"
#include "base/mem.h"
#include "task/build.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SOURCE (1 << 20) /* bytes of a reference or baseline */

static const char *const task_keys[] = {
    "task_id",  "about",  "axes",      "host_axes",    "cases",     "args",      "entry",
    "kernel",   "launch", "reference", "baseline",     "reduction", "tolerance", "precision",
    "min_read", "count",  "link",      "custom_floor", NULL};
static const char *const precisions[] = {"float32", "tf32", "float16", "bfloat16", NULL};

const char *kg_precision_name(int p)
{
    return precisions[p];
}

static int build_id(struct kg_task_build *b, const struct kg_value *doc)
{
    const struct kg_value *id = kg_value_get(doc, "task_id"), *about = kg_value_get(doc, "about");
    if (!id)
        return kg_task_fail(b, doc, "a task without 'task_id'");
    const char *s = kg_task_string(b, id, "'task_id'");
    if (!s)
        return -1;
    bool ok = *s && strlen(s) <= 200;
    for (const char *p = s; *p; p++)
        ok = ok && !iscntrl((unsigned char)*p) && *p != '/';
    if (!ok)
        return kg_task_fail(b, id,
                            "'task_id' must have 1 to 200 bytes, without '/' and control "
                            "characters");
    b->t->task_id = kg_arena_strdup(&b->t->arena, s);
    if (about && !(s = kg_task_string(b, about, "'about'")))
        return -1;
    b->t->about = about ? kg_arena_strdup(&b->t->arena, s) : NULL;
    return 0;
}

/* A source stands in the task (it holds a brace, which no sane file name does) or in a file. */
static int build_source(struct kg_task_build *b, const struct kg_value *v, const char *key,
                        const char **text, const char **name)
{
    struct kg_arena *a = &b->t->arena;
    const char *s = kg_task_string(b, v, key);
    if (!s)
        return -1;
    if (strpbrk(s, "{\n")) {
        if (strlen(s) > MAX_SOURCE)
            return kg_task_fail(b, v, "'%s' has over %d bytes", key, MAX_SOURCE);
        *text = kg_arena_strdup(a, s);
        *name = kg_arena_printf(a, "%s:%s", b->source, key);
        return 0;
    }
    if (!b->dir)
        return kg_task_fail(b, v, "'%s' names a file, '%.200s': here it must hold the source", key,
                            s);
    struct kg_buf file;
    struct kg_error why = KG_ERROR_INIT;
    char *path = kg_fs_join(b->dir, s);
    kg_buf_init(&file, MAX_SOURCE);
    int rc = kg_fs_read(path, &file, &why);
    if (rc) {
        kg_task_fail(b, v, "'%s': %s", key, why.text);
    } else if (strlen(kg_buf_str(&file)) != file.len || !file.len) {
        rc = kg_task_fail(b, v, "'%s': '%s' is %s", key, path, file.len ? "no text" : "empty");
    } else {
        *text = kg_arena_strdup(a, kg_buf_str(&file));
        *name = kg_arena_strdup(a, path);
    }
    kg_buf_release(&file);
    free(path);
    return rc;
}

static int build_sources(struct kg_task_build *b, const struct kg_value *doc)
{
    struct kg_task *t = b->t;
    const struct kg_value *reference = kg_value_get(doc, "reference"),
                          *baseline = kg_value_get(doc, "baseline");
    if (!reference)
        return kg_task_fail(b, doc, "a task without 'reference'");
    if (build_source(b, reference, "reference", &t->reference, &t->reference_name))
        return -1;
    return baseline ? build_source(b, baseline, "baseline", &t->baseline, &t->baseline_name) : 0;
}

static int build_dim3(struct kg_task_build *b, const struct kg_value *v, const char *what,
                      const struct kg_expr *out[3])
{
    if (!kg_value_is(v, KG_VALUE_ARRAY))
        return (out[0] = kg_task_expr(b, v, what)) ? 0 : -1;
    if (v->len < 1 || v->len > 3)
        return kg_task_fail(b, v, "%s must have 1 to 3 sizes, not %zu", what, v->len);
    for (size_t i = 0; i < v->len; i++)
        if (!(out[i] = kg_task_expr(b, v->items[i], what)))
            return -1;
    return 0;
}

static int build_launch(struct kg_task_build *b, const struct kg_value *v)
{
    static const char *const keys[] = {"grid", "block", "shared", NULL};
    struct kg_task *t = b->t;
    if (kg_task_keys(b, v, keys, "launch"))
        return -1;
    const struct kg_value *grid = kg_value_get(v, "grid"), *block = kg_value_get(v, "block"),
                          *shared = kg_value_get(v, "shared");
    if (!grid || !block)
        return kg_task_fail(b, v, "'launch' needs 'grid' and 'block'");
    if (build_dim3(b, grid, "'grid'", t->grid) || build_dim3(b, block, "'block'", t->block))
        return -1;
    return shared && !(t->shared = kg_task_expr(b, shared, "'shared'")) ? -1 : 0;
}

static int build_entry(struct kg_task_build *b, const struct kg_value *doc)
{
    const struct kg_value *entry = kg_value_get(doc, "entry"),
                          *kernel = kg_value_get(doc, "kernel"),
                          *launch = kg_value_get(doc, "launch");
    struct kg_task *t = b->t;
    if (entry && kernel)
        return kg_task_fail(b, kernel, "a task has 'entry' or 'kernel', not both");
    if (!!kernel != !!launch)
        return kg_task_fail(b, kernel ? kernel : launch, "'kernel' and 'launch' go together");
    t->bare = kernel;
    const char *name = "solve";
    if ((entry || kernel) &&
        !(name = kg_task_name(b, entry ? entry : kernel, entry ? "'entry'" : "'kernel'")))
        return -1;
    t->entry = kg_arena_strdup(&t->arena, name);
    return launch ? build_launch(b, launch) : 0;
}

static int build_tolerance(struct kg_task_build *b, const struct kg_value *doc)
{
    static const char *const keys[] = {"rtol", "atol", NULL};
    const struct kg_value *tol = kg_value_get(doc, "tolerance"),
                          *prec = kg_value_get(doc, "precision"),
                          *sum = kg_value_get(doc, "reduction"), *v;
    struct kg_task *t = b->t;
    if (prec && (t->precision = kg_task_word(b, prec, precisions, "precision")) < 0)
        return -1;
    if (sum && !(t->reduction = kg_task_expr(b, sum, "'reduction'")))
        return -1;
    t->tolerance_auto = !tol || !strcmp(kg_value_str(tol, ""), "auto");
    if (t->tolerance_auto)
        return 0;
    if (kg_value_is(tol, KG_VALUE_STRING))
        return kg_task_fail(b, tol, "'tolerance' must be auto or {rtol: ..., atol: ...}");
    if (kg_task_keys(b, tol, keys, "tolerance"))
        return -1;
    if (!tol->len)
        return kg_task_fail(b, tol, "'tolerance' gives neither 'rtol' nor 'atol'");
    if ((v = kg_value_get(tol, "rtol")) && kg_task_number(b, v, "'rtol'", 0, 1, &t->rtol))
        return -1;
    if ((v = kg_value_get(tol, "atol")) && kg_task_number(b, v, "'atol'", 0, 1e300, &t->atol))
        return -1;
    return 0;
}

static const struct kg_arg *arg_named(const struct kg_task *t, const char *name)
{
    for (size_t i = 0; i < t->n_args; i++)
        if (!strcmp(t->args[i].name, name))
            return &t->args[i];
    return NULL;
}

static int build_count(struct kg_task_build *b, const struct kg_value *v)
{
    static const char *const keys[] = {"array", "from", NULL};
    struct kg_task *t = b->t;
    if (!v)
        return 0;
    if (kg_task_keys(b, v, keys, "count"))
        return -1;
    const char *array = kg_task_string(b, kg_value_get(v, "array"), "'count.array'");
    const char *from = array ? kg_task_string(b, kg_value_get(v, "from"), "'count.from'") : NULL;
    if (!from)
        return -1;
    const struct kg_arg *a = arg_named(t, array), *n = arg_named(t, from);
    if (!a || !kg_arg_comes_out(a))
        return kg_task_fail(b, v, "'count.array': '%s' is no output", array);
    if (!n || (n->dtype != KG_INT32 && n->dtype != KG_INT64) || n == a)
        return kg_task_fail(b, v, "'count.from': '%s' is no int32 or int64 argument", from);
    t->count_array = a->name;
    t->count_from = n->name;
    return 0;
}

static int build_link(struct kg_task_build *b, const struct kg_value *v)
{
    struct kg_task *t = b->t;
    if (v && !kg_value_is(v, KG_VALUE_ARRAY))
        return kg_task_fail(b, v, "'link' must be a list of libraries, not %s",
                            kg_value_type_name(v));
    size_t n = v ? v->len : 0;
    const char **link = kg_arena_array(&t->arena, n + 1, sizeof *link);
    for (size_t i = 0; i < n; i++) { /* a name of C cannot smuggle options into a command line */
        if (!(link[i] = kg_task_name(b, v->items[i], "a library in 'link'")))
            return -1;
        link[i] = kg_arena_strdup(&t->arena, link[i]);
    }
    t->link = link;
    return 0;
}

static int build_rest(struct kg_task_build *b, const struct kg_value *doc)
{
    const struct kg_value *v = kg_value_get(doc, "min_read");
    if (v && !(b->t->min_read = kg_task_expr(b, v, "'min_read'")))
        return -1;
    if ((v = kg_value_get(doc, "custom_floor")) &&
        kg_task_number(b, v, "'custom_floor'", 0, 1, &b->t->library_floor))
        return -1;
    return build_count(b, kg_value_get(doc, "count")) || build_link(b, kg_value_get(doc, "link"));
}

/* Every size of the task must make an instance, so that no stage meets the error later. */
static int check_instances(struct kg_task_build *b, const struct kg_value *doc)
{
    struct kg_task *t = b->t;
    struct kg_instance *in = kg_mem_alloc(sizeof *in);
    int rc = 0;
    for (size_t i = 0; i < t->n_cases + 2 && !rc; i++) {
        const struct kg_case *c = i < t->n_cases    ? &t->cases[i]
                                  : i == t->n_cases ? &t->timed
                                                    : &t->timed_host;
        const struct kg_value *at = kg_value_get(doc, i < t->n_cases ? "cases" : "axes");
        if (i == t->n_cases + 1 && kg_value_get(doc, "host_axes"))
            at = kg_value_get(doc, "host_axes");
        struct kg_error why = KG_ERROR_INIT;
        if (kg_instance_init(in, t, c, &why))
            rc = kg_task_fail(b, i < t->n_cases ? at->items[i] : at, "%s", why.text);
    }
    free(in);
    return rc;
}

static int build(struct kg_task_build *b, const struct kg_value *doc)
{
    if (kg_task_keys(b, doc, task_keys, "a task") || build_id(b, doc) || build_sources(b, doc) ||
        kg_task_build_axes(b, doc))
        return -1;
    const struct kg_value *args = kg_value_get(doc, "args");
    if (!args)
        return kg_task_fail(b, doc, "a task without 'args'");
    if (kg_task_build_args(b, args) || kg_task_build_cases(b, kg_value_get(doc, "cases")) ||
        kg_task_build_makers(b, doc) || build_entry(b, doc) || build_tolerance(b, doc) ||
        build_rest(b, doc))
        return -1;
    return check_instances(b, doc);
}

static void hash(struct kg_task *t)
{
    struct kg_buf text = KG_BUF_INIT;
    struct kg_sha256 s;
    kg_task_json(t, &text);
    kg_sha256_init(&s);
    kg_sha256_add(&s, text.data, text.len);
    kg_sha256_end(&s, t->sha);
    kg_buf_release(&text);
}

struct kg_task *kg_task_new(const struct kg_value *doc, const char *dir, const char *source,
                            struct kg_error *err)
{
    struct kg_task *t = kg_mem_zalloc(sizeof *t);
    t->source = kg_arena_strdup(&t->arena, source ? source : "task");
    struct kg_task_build b = {t, dir, t->source, err};
    if (build(&b, doc)) {
        kg_task_free(t);
        return NULL;
    }
    hash(t);
    return t;
}

void kg_task_free(struct kg_task *t)
{
    if (!t)
        return;
    struct kg_arena arena = t->arena;
    kg_arena_release(&arena);
    free(t);
}
