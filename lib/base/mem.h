/*
 * Memory that cannot fail: when there is none, one message and exit status 5. This is the only
 * place where the library ends a program. Growth is bounded by the caps of the callers.
 *
 * KG_FAIL_ALLOC=n (for tests) makes the n-th allocation of the process fail.
 */
#ifndef KG_BASE_MEM_H
#define KG_BASE_MEM_H

#include <stddef.h>

void *kg_mem_alloc(size_t n);              /* not cleared; n = 0 gives a pointer to free */
void *kg_mem_zalloc(size_t n);             /* cleared */
void *kg_mem_array(size_t n, size_t size); /* n * size, cleared; an overflow is out of memory */
void *kg_mem_realloc(void *p, size_t n);
char *kg_mem_strdup(const char *s);
char *kg_mem_strndup(const char *s, size_t n); /* n bytes and a NUL; they may hold NULs */
char *kg_mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Room for one more element: doubles *cap as needed. p = kg_mem_grow(p, n, &cap, sizeof *p) */
void *kg_mem_grow(void *p, size_t n, size_t *cap, size_t size);

#endif
