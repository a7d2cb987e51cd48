#include "base/error.h"
#include "base/exit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void set_text(struct kg_error *err, int code, const char *fmt, va_list ap)
{
    err->code = code;
    vsnprintf(err->text, sizeof err->text, fmt, ap);
}

static void set_source(struct kg_error *err, const char *source)
{
    snprintf(err->source, sizeof err->source, "%s", source ? source : "");
}

int kg_error_set(struct kg_error *err, int code, const char *fmt, ...)
{
    if (!err || err->code)
        return -1;
    va_list ap;
    va_start(ap, fmt);
    set_text(err, code, fmt, ap);
    va_end(ap);
    return -1;
}

int kg_error_at(struct kg_error *err, int code, const char *source, size_t line, size_t col,
                const char *fmt, ...)
{
    if (!err || err->code)
        return -1;
    va_list ap;
    va_start(ap, fmt);
    set_text(err, code, fmt, ap);
    va_end(ap);
    set_source(err, source);
    err->line = line;
    err->col = col;
    return -1;
}

int kg_error_errno(struct kg_error *err, int code, const char *fmt, ...)
{
    int saved = errno;
    if (!err || err->code)
        return -1;
    va_list ap;
    va_start(ap, fmt);
    set_text(err, code, fmt, ap);
    va_end(ap);
    size_t n = strlen(err->text);
    snprintf(err->text + n, sizeof err->text - n, ": %s", strerror(saved));
    errno = saved;
    return -1;
}

int kg_error_where(struct kg_error *err, const char *source, size_t line, size_t col)
{
    if (!err)
        return -1;
    if (!err->source[0])
        set_source(err, source);
    if (!err->line) {
        err->line = line;
        err->col = col;
    }
    return -1;
}

void kg_error_clear(struct kg_error *err)
{
    memset(err, 0, sizeof *err);
}

int kg_error_exit(int code)
{
    switch (code) {
    case KG_OK:
        return KG_EXIT_OK;
    case KG_E_USAGE:
    case KG_E_INPUT:
    case KG_E_LIMIT:
        return KG_EXIT_INPUT;
    case KG_E_MISSING:
    case KG_E_UNSUPPORTED:
        return KG_EXIT_MISSING;
    case KG_E_LOST:
        return KG_EXIT_LOST;
    default:
        return KG_EXIT_OUTPUT;
    }
}
