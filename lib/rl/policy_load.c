#include "rl/policy_load.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/near.h"
#include "record/yaml.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && !strcmp(s + n - m, end);
}

/* "no policy 'drkernl'; did you mean 'drkernel'?" */
static int unknown(const char *name, struct kg_error *err)
{
    char best[256] = "";
    size_t least = (size_t)-1;
    char *dir = kg_fs_share("policies", err);
    if (!dir)
        return -1;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        char base[256];
        if (!ends_with(e->d_name, ".yaml"))
            continue;
        snprintf(base, sizeof base, "%.*s", (int)(strlen(e->d_name) - 5), e->d_name);
        size_t dist = kg_near_distance(name, base);
        if (dist < least || (dist == least && strcmp(base, best) < 0)) {
            least = dist;
            memcpy(best, base, sizeof best);
        }
    }
    if (d)
        closedir(d);
    free(dir);
    if (!*best)
        return kg_error_set(err, KG_E_USAGE, "no policy '%s'", name);
    return kg_error_set(err, KG_E_USAGE, "no policy '%s'; did you mean '%s'?", name, best);
}

/* malloc'ed path of a name or file */
static char *locate(const char *arg, struct kg_error *err)
{
    char rel[256];
    struct kg_error none = KG_ERROR_INIT;
    if (strchr(arg, '/') || ends_with(arg, ".yaml") || ends_with(arg, ".yml")) {
        if (kg_fs_exists(arg))
            return kg_mem_strdup(arg);
        kg_error_errno(err, KG_E_USAGE, "cannot open policy '%s'", arg);
        return NULL;
    }
    if (snprintf(rel, sizeof rel, "policies/%s.yaml", arg) >= (int)sizeof rel) {
        kg_error_set(err, KG_E_USAGE, "no policy '%.40s...'", arg);
        return NULL;
    }
    char *path = kg_fs_share(rel, &none);
    if (!path || !kg_fs_exists(path)) {
        free(path);
        unknown(arg, err);
        return NULL;
    }
    return path;
}

int kg_policy_load(struct kg_policy *p, const struct kg_policy_opts *o, struct kg_error *err)
{
    struct kg_arena arena = KG_ARENA_INIT;
    const char *arg = o->policy ? o->policy : "drkernel";
    char *path = locate(arg, err);
    int rc = -1;
    kg_policy_init(p);
    if (!path)
        return -1;
    const struct kg_value *tree = kg_yaml_file(path, &arena, err);
    if (tree) {
        const char *slash = strrchr(arg, '/');
        const char *base = slash ? slash + 1 : arg;
        int len = (int)strcspn(base, ".");
        snprintf(p->name, sizeof p->name, "%.*s", len, base);
        rc = kg_policy_apply(p, tree, path, err);
    } else if (err->code == KG_E_SYSTEM || err->code == KG_E_MISSING) {
        err->code = KG_E_USAGE; /* a folder, no permission: the caller named it */
    }
    for (size_t i = 0; rc == 0 && i < o->defines.n; i++) {
        struct kg_error why = KG_ERROR_INIT;
        if (kg_policy_define(p, o->defines.v[i], &why))
            rc = kg_error_set(err, KG_E_USAGE, "-D %s: %s", o->defines.v[i], why.text);
    }
    kg_arena_release(&arena);
    free(path);
    return rc;
}
