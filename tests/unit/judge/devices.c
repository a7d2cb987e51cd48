/* Which device a thread uses when some are lost; the list of processors in KG_CPUS. */
#include <stdio.h>
#include <string.h>

#include "judge/cpus.h"
#include "judge/devices.h"
#include "tap.h"

static struct kg_devices four(void)
{
    struct kg_devices d;
    memset(&d, 0, sizeof d);
    for (d.n = 0; d.n < 4; d.n++)
        snprintf(d.name[d.n], sizeof d.name[0], "cuda:%zu", d.n);
    return d;
}

static bool picks(const struct kg_devices *d, size_t thread, const char *want)
{
    const char *got = kg_devices_pick(d, thread);
    return want ? got && !strcmp(got, want) : !got;
}

static void test_pick(void)
{
    struct kg_devices d = four();
    OK(picks(&d, 0, "cuda:0") && picks(&d, 3, "cuda:3") && picks(&d, 6, "cuda:2"));
    OK(kg_devices_drop(&d, "cuda:2"));
    OK(!kg_devices_drop(&d, "cuda:2"));
    OK(!kg_devices_drop(&d, "cuda:9"));
    OK(picks(&d, 2, "cuda:3") && picks(&d, 6, "cuda:3") && picks(&d, 1, "cuda:1"));
    kg_devices_drop(&d, "cuda:3");
    OK(picks(&d, 2, "cuda:0") && picks(&d, 3, "cuda:0"));
    kg_devices_drop(&d, "cuda:0");
    kg_devices_drop(&d, "cuda:1");
    OK(picks(&d, 0, NULL) && picks(&d, 5, NULL));
}

static void test_find(void)
{
    struct kg_devices d;
    struct kg_error err = KG_ERROR_INIT;
    char target[16], text[100];
    OK(!kg_devices_find(&d, "host", target, &err));
    OK(d.n == 1 && !strcmp(d.name[0], "host") && !strcmp(target, "host"));
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    OK(kg_devices_find(&d, text, target, &err) && err.code == KG_E_USAGE);
    kg_error_clear(&err);
    OK(kg_devices_find(&d, "gpu", target, &err) && err.code == KG_E_USAGE);
    kg_error_clear(&err);
    OK(kg_devices_find(&d, "cuda:77", target, &err) && err.code == KG_E_MISSING);
}

/* A usable processor, by its number. */
static int some_cpu(void)
{
    cpu_set_t s;
    if (!sched_getaffinity(0, sizeof s, &s))
        for (int i = 0; i < CPU_SETSIZE; i++)
            if (CPU_ISSET((size_t)i, &s))
                return i;
    return 0;
}

static void refused(const char *text)
{
    struct kg_cpus c;
    struct kg_error err = KG_ERROR_INIT;
    OK(kg_cpus_parse(text, &c, &err) == -1);
    OK(err.code == KG_E_USAGE && strstr(err.text, "KG_CPUS") && strstr(err.text, text));
    OK(!c.given);
}

static void test_cpus(void)
{
    struct kg_cpus c;
    struct kg_error err = KG_ERROR_INIT;
    int one = some_cpu();
    char text[64];
    OK(!kg_cpus_parse(NULL, &c, &err) && !c.given);
    OK(!kg_cpus_parse("", &c, &err) && !c.given);
    snprintf(text, sizeof text, "%d", one);
    OK(!kg_cpus_parse(text, &c, &err) && c.given);
    OK(CPU_COUNT(&c.set) == 1 && CPU_ISSET((size_t)one, &c.set));
    snprintf(text, sizeof text, "%d-%d,1000-1023", one, one);
    OK(!kg_cpus_parse(text, &c, &err) && c.given && CPU_ISSET((size_t)one, &c.set));
    refused("a");
    refused("1,");
    refused("3-1");
    refused("-1");
    refused("0-99999");
    refused("1 2");
    refused("1020-1023");
}

static void test_enter(void)
{
    struct kg_cpus c;
    struct kg_error err = KG_ERROR_INIT;
    cpu_set_t was, inside, after, before;
    char text[16];
    snprintf(text, sizeof text, "%d", some_cpu());
    sched_getaffinity(0, sizeof was, &was);
    OK(!kg_cpus_parse(text, &c, &err));
    kg_cpus_enter(&c, &before);
    sched_getaffinity(0, sizeof inside, &inside);
    kg_cpus_leave(&before);
    sched_getaffinity(0, sizeof after, &after);
    OK(CPU_EQUAL(&inside, &c.set));
    OK(CPU_EQUAL(&after, &was));
    c.given = false;
    kg_cpus_enter(&c, &before);
    sched_getaffinity(0, sizeof inside, &inside);
    kg_cpus_leave(&before);
    OK(CPU_EQUAL(&inside, &was));
}

int main(void)
{
    test_pick();
    test_find();
    test_cpus();
    test_enter();
    return tap_done();
}
