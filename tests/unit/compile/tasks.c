/* Where tasks are found, and in which order. */
#include "tap.h"

#include <stdlib.h>

#include "base/fs.h"
#include "base/msg.h"
#include "compile/tasks.h"

static char *dir;

static char *put(const char *name, const char *task_id, const char *about)
{
    char *path = kg_fs_join(dir, name), *parent = kg_fs_dirname(path);
    struct kg_buf b = KG_BUF_INIT;
    kg_fs_mkdirs(parent, 0700, NULL);
    kg_buf_addf(&b,
                "task_id: %s\nabout: %s\naxes: {n: 4}\nargs:\n"
                "  - {name: x, dtype: float32, shape: [n], init: randn}\n"
                "  - {name: y, dtype: float32, shape: [n], role: out}\n"
                "entry: solve\nreference: |\n  void reference(const double *x, double *y) {}\n"
                "baseline: |\n  void solve(const float *x, float *y) {}\n",
                task_id, about);
    kg_fs_write(path, b.data, b.len, 0600, NULL);
    kg_buf_release(&b);
    free(parent);
    return path;
}

static const char *about(struct kg_tasks *t, const char *name)
{
    const struct kg_task *task = kg_tasks_find(t, name, NULL);
    return task ? task->about : NULL;
}

static void places(char *file, char *folder)
{
    struct kg_error err = KG_ERROR_INIT;
    const char *v[] = {file, folder};
    struct kg_opt_list both = {v, 2, 2}, one = {v, 1, 1};
    struct kg_tasks *t = kg_tasks_new(&both, &err);
    OK(t != NULL);
    EQ_STR(about(t, "one"), "named");       /* -t before KG_TASKS */
    EQ_STR(about(t, "two"), "in a folder"); /* the file has another name than the task */
    EQ_STR(about(t, "three"), "from KG_TASKS");
    OK(about(t, "vector_add") != NULL); /* the installed ones */
    OK(!kg_tasks_find(t, "none", &err));
    EQ_INT(err.code, KG_E_INPUT);
    HAS(err.text, "no task 'none' in '");
    OK(strstr(err.text, folder) != NULL);
    OK(!kg_tasks_only(t));
    kg_tasks_free(t);
    t = kg_tasks_new(&one, NULL);
    OK(kg_tasks_only(t) != NULL);
    kg_tasks_free(t);
    v[0] = "three"; /* a name */
    t = kg_tasks_new(&one, NULL);
    EQ_STR(t && kg_tasks_only(t) ? kg_tasks_only(t)->about : NULL, "from KG_TASKS");
    kg_tasks_free(t);
}

/* The file that is called like the task, whatever was loaded first; else the first by name. */
static void twins(void)
{
    char *a = put("twins/a.yaml", "same", "a"), *b = put("twins/same.yaml", "same", "namesake"),
         *c = put("twins/c.yaml", "other", "c"), *d = put("twins/d.yaml", "other", "d"),
         *folder = kg_fs_dirname(a);
    const char *v[] = {folder};
    struct kg_opt_list one = {v, 1, 1};
    struct kg_tasks *t = kg_tasks_new(&one, NULL);
    EQ_STR(about(t, "same"), "namesake");
    EQ_STR(about(t, "other"), "c"); /* looks through the folder */
    EQ_STR(about(t, "same"), "namesake");
    kg_tasks_free(t);
    free(a);
    free(b);
    free(c);
    free(d);
    free(folder);
}

static const struct kg_task *of(struct kg_tasks *t, struct kg_record *r, const char *line)
{
    static char padded[8192];
    struct kg_error err = KG_ERROR_INIT;
    memset(padded, 0, sizeof padded);
    memcpy(padded, line, strlen(line));
    kg_record_parse(r, "test", 1, padded, strlen(line), NULL);
    return kg_tasks_of(t, r, &err);
}

static void records(char *file)
{
    const char *v[] = {file};
    struct kg_opt_list one = {v, 1, 1};
    struct kg_tasks *t = kg_tasks_new(&one, NULL);
    struct kg_record r;
    struct kg_buf line = KG_BUF_INIT;
    kg_record_init(&r);
    OK(of(t, &r, "{}") == kg_tasks_only(t));
    OK(of(t, &r, "{\"task_id\":\"three\"}") == kg_tasks_find(t, "three", NULL));
    OK(!of(t, &r, "{\"task_id\":3}"));
    OK(!of(t, &r, "{\"task\":[]}"));
    kg_buf_adds(&line, "{\"task_id\":\"three\",\"task\":");
    kg_task_json(kg_tasks_only(t), &line);
    kg_buf_adds(&line, "}");
    const struct kg_task *a = of(t, &r, line.data), *b = of(t, &r, line.data);
    OK(a && a == b); /* the record's own wins, and the same text is the same task */
    EQ_STR(a ? a->task_id : NULL, "one");
    kg_buf_release(&line);
    kg_record_release(&r);
    kg_tasks_free(t);
}

static void faults(void)
{
    struct kg_error err = KG_ERROR_INIT;
    char *bad = kg_fs_join(dir, "bad.yaml"), *none = kg_fs_join(dir, "none.yaml");
    const char *v[] = {bad};
    struct kg_opt_list one = {v, 1, 1};
    kg_fs_write(bad, "task_id: [\n", 11, 0600, NULL);
    OK(!kg_tasks_new(&one, &err));
    HAS(err.source, "bad.yaml");
    v[0] = none;
    kg_error_clear(&err);
    OK(!kg_tasks_new(&one, &err));
    HAS(err.text, "none.yaml");
    v[0] = dir; /* in a folder it is only left out */
    struct kg_tasks *t = kg_tasks_new(&one, NULL);
    EQ_STR(about(t, "one"), "named");
    kg_tasks_free(t);
    free(bad);
    free(none);
}

int main(void)
{
    kg_msg_set_level(-1);
    dir = kg_fs_tempdir("kg-tasks-test", NULL);
    char *named = put("one.yaml", "one", "named"),
         *folder = put("d/file.yaml", "two", "in a folder");
    char *own = put("env/three.yaml", "three", "from KG_TASKS");
    char *hidden = put("env/one.yaml", "one", "of a later place");
    char *d = kg_fs_dirname(folder), *env = kg_fs_dirname(own);
    setenv("KG_TASKS", env, 1);
    places(named, d);
    records(named);
    faults();
    twins();
    kg_fs_remove_tree(dir);
    char *all[] = {named, folder, own, hidden, d, env, dir};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return tap_done();
}
