/*
 * TAP for unit tests: each test file has one main() that calls OK, EQ_INT, EQ_STR, NEAR ... and
 * ends with 'return tap_done();'. A failing line names file, line and both values.
 */
#ifndef KG_TESTS_TAP_H
#define KG_TESTS_TAP_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int tap_n, tap_failed;

static inline void tap_result(int ok, const char *file, int line, const char *what)
{
    printf("%sok %d - ", ok ? "" : "not ", ++tap_n);
    for (; *what; what++) /* a name is one line */
        putchar(*what == '\n' ? ' ' : *what);
    printf(" (%s:%d)\n", file, line);
    tap_failed += !ok;
    fflush(stdout);
}

static inline void tap_int(long long got, long long want, const char *file, int line,
                           const char *what)
{
    tap_result(got == want, file, line, what);
    if (got != want)
        printf("# got %lld, want %lld\n", got, want);
}

static inline void tap_str(const char *got, const char *want, const char *file, int line,
                           const char *what)
{
    int ok = got && want ? !strcmp(got, want) : got == want;
    tap_result(ok, file, line, what);
    if (!ok)
        printf("# got '%s', want '%s'\n", got ? got : "(null)", want ? want : "(null)");
}

static inline void tap_near(double got, double want, double tol, const char *file, int line,
                            const char *what)
{
    int ok = (isnan(got) && isnan(want)) || got == want || fabs(got - want) <= tol;
    tap_result(ok, file, line, what);
    if (!ok)
        printf("# got %.17g, want %.17g\n", got, want);
}

#define OK(x)                tap_result(!!(x), __FILE__, __LINE__, #x)
#define EQ_INT(got, want)    tap_int((long long)(got), (long long)(want), __FILE__, __LINE__, #got)
#define EQ_STR(got, want)    tap_str(got, want, __FILE__, __LINE__, #got)
#define NEAR(got, want, tol) tap_near(got, want, tol, __FILE__, __LINE__, #got)
#define HAS(text, part)                                                                            \
    tap_result(strstr(text, part) != NULL, __FILE__, __LINE__, #text " has " part)

static inline int tap_done(void)
{
    printf("1..%d\n", tap_n);
    return tap_failed != 0;
}

#endif
