#include "base/mem.h"
#include "base/exit.h"
#include "base/msg.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long fail_at = -1; /* -1: not asked yet; 0: never */
static atomic_long count;

static int must_fail(void)
{
    long at = atomic_load(&fail_at);
    if (at < 0) {
        const char *text = getenv("KG_FAIL_ALLOC");
        at = text ? strtol(text, NULL, 10) : 0;
        atomic_store(&fail_at, at < 0 ? 0 : at);
    }
    return at > 0 && atomic_fetch_add(&count, 1) + 1 == at;
}

static void *checked(void *p, size_t n)
{
    if (p)
        return p;
    kg_msg_error("out of memory (%zu bytes)", n);
    _exit(KG_EXIT_OUTPUT);
}

void *kg_mem_alloc(size_t n)
{
    return checked(must_fail() ? NULL : malloc(n ? n : 1), n);
}

void *kg_mem_zalloc(size_t n)
{
    return checked(must_fail() ? NULL : calloc(1, n ? n : 1), n);
}

void *kg_mem_array(size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        return checked(NULL, SIZE_MAX);
    return kg_mem_zalloc(n * size);
}

void *kg_mem_realloc(void *p, size_t n)
{
    return checked(must_fail() ? NULL : realloc(p, n ? n : 1), n);
}

char *kg_mem_strndup(const char *s, size_t n)
{
    char *p = kg_mem_alloc(n + 1);
    if (n)
        memcpy(p, s, n);
    p[n] = 0;
    return p;
}

char *kg_mem_strdup(const char *s)
{
    return kg_mem_strndup(s, strlen(s));
}

char *kg_mem_printf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = kg_mem_alloc((size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}

void *kg_mem_grow(void *p, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return p;
    size_t more = *cap ? *cap * 2 : 8;
    if (more > SIZE_MAX / size)
        return checked(NULL, SIZE_MAX);
    *cap = more;
    return kg_mem_realloc(p, more * size);
}
