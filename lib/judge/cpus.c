#include "judge/cpus.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* "3" or "2-5" */
static int add_range(const char *p, size_t len, struct kg_cpus *out)
{
    char text[32];
    int64_t from, to;
    if (len >= sizeof text)
        return -1;
    memcpy(text, p, len);
    text[len] = 0;
    char *dash = strchr(text, '-');
    if (dash)
        *dash++ = 0;
    if (kg_num_int(text, 0, CPU_SETSIZE - 1, &from, NULL) ||
        kg_num_int(dash ? dash : text, from, CPU_SETSIZE - 1, &to, NULL))
        return -1;
    for (; from <= to; from++)
        CPU_SET((size_t)from, &out->set);
    return 0;
}

int kg_cpus_parse(const char *text, struct kg_cpus *out, struct kg_error *err)
{
    cpu_set_t usable;
    memset(out, 0, sizeof *out);
    if (!text || !*text)
        return 0;
    CPU_ZERO(&out->set);
    for (const char *p = text;; p++) {
        size_t len = strcspn(p, ",");
        if (add_range(p, len, out))
            return kg_error_set(err, KG_E_USAGE,
                                "KG_CPUS: '%.100s' is no list of processors like 2-5,8", text);
        p += len;
        if (!*p)
            break;
    }
    if (!sched_getaffinity(0, sizeof usable, &usable))
        CPU_AND(&out->set, &out->set, &usable);
    if (!CPU_COUNT(&out->set))
        return kg_error_set(err, KG_E_USAGE, "KG_CPUS: none of the processors '%.100s' can be used",
                            text);
    out->given = true;
    return 0;
}

/* Affinity is a wish: where it is refused, workers run anywhere, as without KG_CPUS. */
void kg_cpus_enter(const struct kg_cpus *c, cpu_set_t *before)
{
    CPU_ZERO(before);
    if (c->given && !sched_getaffinity(0, sizeof *before, before))
        (void)sched_setaffinity(0, sizeof c->set, &c->set);
}

void kg_cpus_leave(const cpu_set_t *before)
{
    if (CPU_COUNT(before))
        (void)sched_setaffinity(0, sizeof *before, before);
}
