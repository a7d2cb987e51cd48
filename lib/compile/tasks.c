#include "compile/tasks.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/sha256.h"
#include "record/yaml.h"

struct loaded {
    struct loaded *next;
    struct kg_task *task;
    char *source;            /* owned: messages point to it */
    char key[KG_SHA256_HEX]; /* of a record's task object; empty for files */
};

struct place {
    char *path;
    bool is_dir;
    bool scanned; /* all its files were tried */
};

struct kg_tasks {
    struct place *places; /* in the order of the search */
    size_t n_places, cap_places;
    struct loaded *files, *objects;
    const struct kg_task *only;
    pthread_mutex_t lock;
};

static void add_place(struct kg_tasks *t, const char *path, size_t n)
{
    t->places = kg_mem_grow(t->places, t->n_places, &t->cap_places, sizeof *t->places);
    struct place *p = &t->places[t->n_places++];
    *p = (struct place){.path = kg_mem_strndup(path, n)};
    p->is_dir = kg_fs_is_dir(p->path);
}

static struct loaded *push(struct loaded **list, struct kg_task *task, char *source)
{
    struct loaded *l = kg_mem_zalloc(sizeof *l);
    l->task = task;
    l->source = source;
    l->next = *list;
    *list = l;
    return l;
}

/* A YAML file as a task in t->files. A file is loaded once; NULL with err. */
static const struct kg_task *load_file(struct kg_tasks *t, const char *path, struct kg_error *err)
{
    struct kg_arena arena = KG_ARENA_INIT;
    struct kg_task *task = NULL;
    for (struct loaded *l = t->files; l; l = l->next)
        if (!strcmp(l->source, path))
            return l->task;
    char *source = kg_mem_strdup(path), *dir = kg_fs_dirname(path);
    const struct kg_value *doc = kg_yaml_file(path, &arena, err);
    if (doc)
        task = kg_task_new(doc, dir, source, err);
    if (task)
        push(&t->files, task, source);
    else
        free(source);
    free(dir);
    kg_arena_release(&arena);
    return task;
}

static bool is_yaml(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

static void warn(const struct kg_error *err)
{
    struct kg_buf b = KG_BUF_INIT;
    if (err->source[0])
        kg_buf_addf(&b, "%s:", err->source);
    if (err->line)
        kg_buf_addf(&b, "%zu:", err->line);
    kg_buf_addf(&b, "%s%s", b.len ? " " : "", err->text);
    kg_msg_warn("%s (left out)", kg_buf_str(&b));
    kg_buf_release(&b);
}

/* All files of a folder, once; those that are no tasks are left out with a warning. */
static void scan(struct kg_tasks *t, struct place *p)
{
    struct dirent **list = NULL;
    if (p->scanned)
        return;
    p->scanned = true;
    int n = scandir(p->path, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        struct kg_error err = KG_ERROR_INIT;
        char *path = kg_fs_join(p->path, list[i]->d_name);
        if (is_yaml(list[i]->d_name) && !load_file(t, path, &err))
            warn(&err);
        free(path);
        free(list[i]);
    }
    free(list);
}

static bool is_in(const struct place *p, const struct loaded *l)
{
    size_t n = strlen(p->path);
    return !strncmp(l->source, p->path, n) &&
           (p->is_dir ? (n && p->path[n - 1] == '/') || l->source[n] == '/' : !l->source[n]);
}

/* Is the file called like its task? */
static bool is_namesake(const struct loaded *l)
{
    const char *slash = strrchr(l->source, '/'), *name = slash ? slash + 1 : l->source;
    size_t n = strlen(l->task->task_id);
    return !strncmp(name, l->task->task_id, n) && name[n] == '.' && !strchr(name + n + 1, '.');
}

/* Of loaded files with that task: the namesake, else the first by name. */
static const struct kg_task *choose_in(struct kg_tasks *t, const struct place *p,
                                       const char *task_id)
{
    struct loaded *best = NULL, *other = NULL;
    for (struct loaded *l = t->files; l; l = l->next) {
        if (!is_in(p, l) || strcmp(l->task->task_id, task_id))
            continue;
        bool better = !best || is_namesake(l) > is_namesake(best) ||
                      (is_namesake(l) == is_namesake(best) && strcmp(l->source, best->source) < 0);
        other = better ? best : l;
        best = better ? l : best;
    }
    if (other)
        kg_msg_warn_once(best->source, "task '%s' is in '%s' and in '%s': the former is taken",
                         task_id, best->source, other->source);
    return best ? best->task : NULL;
}

/* The task of that name in a place: its file when it is called like the task, else any file. */
static const struct kg_task *find_in(struct kg_tasks *t, struct place *p, const char *task_id)
{
    const struct kg_task *task;
    if (p->is_dir && !strchr(task_id, '/') && task_id[0] != '.') {
        char *name = kg_mem_printf("%s.yaml", task_id), *path = kg_fs_join(p->path, name);
        struct kg_error err = KG_ERROR_INIT;
        task = !p->scanned && kg_fs_exists(path) ? load_file(t, path, &err) : NULL;
        if (err.code)
            warn(&err);
        free(path);
        free(name);
        if (task && !strcmp(task->task_id, task_id))
            return task;
    }
    if (p->is_dir)
        scan(t, p);
    return choose_in(t, p, task_id);
}

static const struct kg_task *find(struct kg_tasks *t, const char *task_id)
{
    for (size_t i = 0; i < t->n_places; i++) {
        const struct kg_task *task = find_in(t, &t->places[i], task_id);
        if (task)
            return task;
    }
    return NULL;
}

static int no_such_task(struct kg_tasks *t, const char *task_id, struct kg_error *err)
{
    struct kg_buf places = KG_BUF_INIT;
    for (size_t i = 0; i < t->n_places; i++)
        kg_buf_addf(&places, "%s'%s'%s", i ? ", " : "", t->places[i].path,
                    kg_fs_exists(t->places[i].path) ? "" : " (which does not exist)");
    kg_error_set(err, KG_E_INPUT, "no task '%s' in %s", task_id,
                 places.len ? places.data : "any place (give one with -t)");
    kg_buf_release(&places);
    return -1;
}

/* ---- the module's calls -------------------------------------------------------------------- */

/* A path; what is none may be the name of a task in the other places (looked up later). */
static int add_named(struct kg_tasks *t, const char *path, struct kg_error *err)
{
    if (!kg_fs_exists(path)) {
        if (strchr(path, '/') || is_yaml(path))
            return kg_error_set(err, KG_E_USAGE, "-t: no file or folder '%s'", path);
        return 0;
    }
    add_place(t, path, strlen(path));
    if (kg_fs_is_dir(path))
        return 0;
    t->only = load_file(t, path, err);
    return t->only ? 0 : -1;
}

static void add_other_places(struct kg_tasks *t)
{
    for (const char *p = getenv("KG_TASKS"); p && *p;) {
        size_t n = strcspn(p, ":");
        if (n)
            add_place(t, p, n);
        p += n + (p[n] == ':');
    }
    char *share = kg_fs_share("tasks", NULL);
    if (share)
        add_place(t, share, strlen(share));
    free(share);
}

struct kg_tasks *kg_tasks_new(const struct kg_opt_list *paths, struct kg_error *err)
{
    struct kg_tasks *t = kg_mem_zalloc(sizeof *t);
    int bad = 0;
    pthread_mutex_init(&t->lock, NULL);
    for (size_t i = 0; paths && i < paths->n && !bad; i++)
        bad = add_named(t, paths->v[i], err);
    add_other_places(t);
    for (size_t i = 0; paths && i < paths->n && !bad; i++)
        if (!kg_fs_exists(paths->v[i])) {
            t->only = find(t, paths->v[i]);
            bad = t->only ? 0 : no_such_task(t, paths->v[i], err);
        }
    if (bad) {
        kg_tasks_free(t);
        return NULL;
    }
    if (!paths || paths->n != 1)
        t->only = NULL;
    return t;
}

static void free_list(struct loaded *l)
{
    for (struct loaded *next; l; l = next) {
        next = l->next;
        kg_task_free(l->task);
        free(l->source);
        free(l);
    }
}

void kg_tasks_free(struct kg_tasks *t)
{
    if (!t)
        return;
    free_list(t->files);
    free_list(t->objects);
    for (size_t i = 0; i < t->n_places; i++)
        free(t->places[i].path);
    free(t->places);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

const struct kg_task *kg_tasks_find(struct kg_tasks *t, const char *task_id, struct kg_error *err)
{
    pthread_mutex_lock(&t->lock);
    const struct kg_task *task = find(t, task_id);
    pthread_mutex_unlock(&t->lock);
    if (!task)
        no_such_task(t, task_id, err);
    return task;
}

static const struct kg_task *object(struct kg_tasks *t, struct kg_record *r, struct kg_error *err)
{
    const struct kg_value *v = kg_record_get(r, "task");
    struct kg_buf text = KG_BUF_INIT;
    struct kg_sha256 s;
    unsigned char digest[KG_SHA256_BYTES];
    char key[KG_SHA256_HEX];
    struct loaded *l;
    kg_value_json(v, &text);
    kg_sha256_init(&s);
    kg_sha256_add(&s, text.data, text.len);
    kg_sha256_end(&s, digest);
    kg_sha256_hex(digest, key);
    kg_buf_release(&text);
    pthread_mutex_lock(&t->lock);
    for (l = t->objects; l && strcmp(l->key, key); l = l->next)
        continue;
    if (!l) {
        struct kg_task *task = kg_task_new(v, NULL, "task", err);
        if (task) {
            l = push(&t->objects, task, NULL);
            memcpy(l->key, key, sizeof l->key);
        }
    }
    pthread_mutex_unlock(&t->lock);
    return l ? l->task : NULL;
}

const struct kg_task *kg_tasks_of(struct kg_tasks *t, struct kg_record *r, struct kg_error *err)
{
    const struct kg_value *own = kg_record_get(r, "task"), *id = kg_record_get(r, "task_id");
    if (own && own->type == KG_VALUE_OBJECT)
        return object(t, r, err);
    if (own && own->type != KG_VALUE_NULL) {
        kg_error_set(err, KG_E_INPUT, "field 'task' is %s, not an object", kg_value_type_name(own));
        return NULL;
    }
    if (id && id->type == KG_VALUE_STRING)
        return kg_tasks_find(t, id->text, err);
    if (id && id->type != KG_VALUE_NULL) {
        kg_error_set(err, KG_E_INPUT, "field 'task_id' is %s, not a string",
                     kg_value_type_name(id));
        return NULL;
    }
    if (!t->only)
        kg_error_set(err, KG_E_INPUT, "missing field 'task_id'");
    return t->only;
}

const struct kg_task *kg_tasks_only(struct kg_tasks *t)
{
    return t->only;
}

void kg_tasks_env(struct kg_buf *out)
{
    const char *env = getenv("KG_TASKS");
    struct kg_tasks *t = kg_tasks_new(NULL, NULL);
    char *share = kg_fs_share("tasks", NULL);
    for (size_t i = 0; i < t->n_places; i++) {
        const char *path = t->places[i].path;
        bool installed = share && i + 1 == t->n_places;
        kg_buf_addf(out, "tasks: %s%s%s\n", path, env && !installed ? " (from KG_TASKS)" : "",
                    kg_fs_exists(path) ? "" : ": does not exist");
    }
    if (!t->n_places)
        kg_buf_adds(out, "tasks: not found\n");
    free(share);
    kg_tasks_free(t);
}
