#include "judge/devices.h"

#include <stdio.h>
#include <string.h>

#include "base/msg.h"
#include "compile/compile.h"
#include "device/cuda.h"

static void add(struct kg_devices *d, const char *name)
{
    snprintf(d->name[d->n++], sizeof d->name[0], "%s", name);
}

/* All visible GPUs that run what the first one runs. */
static int find_all(struct kg_devices *d, const char *target, struct kg_error *err)
{
    int n = kg_cuda_count(err);
    if (n < 0)
        return -1;
    for (int i = 0; i < n && d->n < KG_DEVICES; i++) {
        char name[32], own[16];
        snprintf(name, sizeof name, "cuda:%d", i);
        if (kg_compile_target(name, own, err))
            return -1;
        if (!strcmp(own, target))
            add(d, name);
        else
            kg_msg_warn("device '%s' is left out: it is %s, the first one %s", name, own, target);
    }
    return 0;
}

int kg_devices_find(struct kg_devices *d, const char *text, char target[16], struct kg_error *err)
{
    memset(d, 0, sizeof *d);
    if (!text || !*text)
        text = "auto";
    if (strlen(text) >= sizeof d->name[0])
        return kg_error_set(err, KG_E_USAGE, "device '%.40s...' is no device", text);
    if (kg_compile_target(text, target, err))
        return -1;
    if (!strcmp(target, "host"))
        add(d, "host");
    else if (!strcmp(text, "cuda"))
        return find_all(d, target, err);
    else
        add(d, !strcmp(text, "auto") ? "cuda:0" : text);
    return 0;
}

const char *kg_devices_pick(const struct kg_devices *d, size_t thread)
{
    for (size_t i = 0; i < d->n; i++) {
        size_t k = (thread + i) % d->n;
        if (!atomic_load(&d->lost[k]))
            return d->name[k];
    }
    return NULL;
}

bool kg_devices_drop(struct kg_devices *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (!strcmp(d->name[i], name))
            return !atomic_exchange(&d->lost[i], true);
    return false;
}
