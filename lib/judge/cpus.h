/*
 * KG_CPUS: the processors that workers run on, so that neither the judge nor other programs of the
 * machine disturb a measurement. "2-5,8": a list of numbers and ranges.
 */
#ifndef KG_JUDGE_CPUS_H
#define KG_JUDGE_CPUS_H

#include <sched.h>
#include <stdbool.h>

#include "base/error.h"

struct kg_cpus {
    bool given;
    cpu_set_t set;
};

/* text NULL or empty: not given. -1 with err (KG_E_USAGE): no such list, or none of its processors
 * can be used. */
int kg_cpus_parse(const char *text, struct kg_cpus *out, struct kg_error *err);

/*
 * A process inherits the processors of the thread that starts it: enter, start, leave. Nothing
 * happens when none are given.
 */
void kg_cpus_enter(const struct kg_cpus *c, cpu_set_t *before);
void kg_cpus_leave(const cpu_set_t *before);

#endif
