/*
 * One error: what went wrong, and where. Functions that can fail take a 'struct kg_error *' as last
 * parameter (NULL is allowed) and return -1 or NULL. The first error wins: setting an error that is
 * set already changes nothing, so clean-up code cannot hide the cause.
 *
 * Text: lower case, no full stop, subjects in 'single quotes', one line. Control characters and
 * invalid UTF-8 are cleaned when it is printed (msg.h), not here.
 */
#ifndef KG_BASE_ERROR_H
#define KG_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#define KG_ERROR_SOURCE 256
#define KG_ERROR_TEXT   1024

enum kg_code {
    KG_OK = 0,
    KG_E_USAGE,       /* the call's options are wrong */
    KG_E_INPUT,       /* a record, task or policy is wrong */
    KG_E_SYSTEM,      /* a system call failed */
    KG_E_LIMIT,       /* a stated limit was reached */
    KG_E_MISSING,     /* a device, program, library or file is not there */
    KG_E_UNSUPPORTED, /* legal, but beyond this device or judge */
    KG_E_LOST,        /* a device was lost */
    KG_E_OUTPUT,      /* output could not be written */
    KG_E_INTERNAL,    /* a fault of ours */
};

struct kg_error {
    int code;                     /* enum kg_code; KG_OK: not set */
    size_t line, col;             /* from 1; 0: not known */
    char source[KG_ERROR_SOURCE]; /* file name, or empty */
    char text[KG_ERROR_TEXT];     /* truncated when longer */
};

#define KG_ERROR_INIT                                                                              \
    {                                                                                              \
        0                                                                                          \
    }

/* All return -1, so that 'return kg_error_set(...)' works. */
int kg_error_set(struct kg_error *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int kg_error_at(struct kg_error *err, int code, const char *source, size_t line, size_t col,
                const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Appends ": " and the text of the current errno. */
int kg_error_errno(struct kg_error *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills source, line and col where they are still unknown; returns -1. */
int kg_error_where(struct kg_error *err, const char *source, size_t line, size_t col);

void kg_error_clear(struct kg_error *err);

/* The exit status that belongs to a code (exit.h). */
int kg_error_exit(int code);

#endif
