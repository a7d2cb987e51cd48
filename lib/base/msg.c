#include "base/msg.h"
#include "base/utf8.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES 4096
#define ONCE_MAX       64

static const char *prog = "kg";
static int level;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char progress[256];
static char once_keys[ONCE_MAX][64];
static size_t n_once;

void kg_msg_init(const char *argv0)
{
    const char *slash = argv0 ? strrchr(argv0, '/') : NULL;
    if (argv0)
        prog = slash ? slash + 1 : argv0;
}

const char *kg_msg_prog(void)
{
    return prog;
}

void kg_msg_set_level(int new_level)
{
    level = new_level;
}

int kg_msg_level(void)
{
    return level;
}

/* stderr is the last resort: when it fails there is nobody left to tell, so no result is read */
static void put(const char *s, size_t n)
{
    while (n) {
        ssize_t w = write(STDERR_FILENO, s, n);
        if (w <= 0)
            return;
        s += w;
        n -= (size_t)w;
    }
}

static void say(const char *source, size_t line, const char *kind, const char *fmt, va_list ap)
{
    char text[LINE_MAX_BYTES], out[LINE_MAX_BYTES + 512];
    vsnprintf(text, sizeof text, fmt, ap);
    int n;
    if (source && *source && line)
        n = snprintf(out, sizeof out, "%s: %s:%zu: %s%s", prog, source, line, kind, text);
    else if (source && *source)
        n = snprintf(out, sizeof out, "%s: %s: %s%s", prog, source, kind, text);
    else
        n = snprintf(out, sizeof out, "%s: %s%s", prog, kind, text);
    size_t len = n < 0 ? 0 : (size_t)n;
    if (len > sizeof out - 2)
        len = sizeof out - 2;
    kg_utf8_clean_line(out, len);
    out[len++] = '\n';
    pthread_mutex_lock(&lock);
    if (progress[0])
        put("\r\033[K", 4);
    put(out, len);
    if (progress[0])
        put(progress, strlen(progress));
    pthread_mutex_unlock(&lock);
}

#define SAY(min, source, line, kind)                                                               \
    do {                                                                                           \
        if (level < (min))                                                                         \
            return;                                                                                \
        va_list ap;                                                                                \
        va_start(ap, fmt);                                                                         \
        say(source, line, kind, fmt, ap);                                                          \
        va_end(ap);                                                                                \
    } while (0)

void kg_msg_error(const char *fmt, ...)
{
    SAY(-1, NULL, 0, "");
}

void kg_msg_warn(const char *fmt, ...)
{
    SAY(0, NULL, 0, "warning: ");
}

void kg_msg_note(const char *fmt, ...)
{
    SAY(0, NULL, 0, "");
}

void kg_msg_verbose(const char *fmt, ...)
{
    SAY(1, NULL, 0, "");
}

void kg_msg_at(const char *source, size_t line, const char *fmt, ...)
{
    SAY(-1, source, line, "");
}

void kg_msg_from(const struct kg_error *err)
{
    kg_msg_at(err->source, err->line, "%s", err->text);
}

static bool first_time(const char *key)
{
    bool first = true;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_once; i++)
        if (!strncmp(once_keys[i], key, sizeof once_keys[i] - 1))
            first = false;
    if (first && n_once < ONCE_MAX)
        snprintf(once_keys[n_once++], sizeof once_keys[0], "%s", key);
    pthread_mutex_unlock(&lock);
    return first;
}

void kg_msg_warn_once(const char *key, const char *fmt, ...)
{
    if (!first_time(key))
        return;
    SAY(0, NULL, 0, "warning: ");
}

void kg_msg_note_once(const char *key, const char *fmt, ...)
{
    if (!first_time(key))
        return;
    SAY(0, NULL, 0, "");
}

void kg_msg_progress(const char *text)
{
    pthread_mutex_lock(&lock);
    if (progress[0] || text)
        put("\r\033[K", 4);
    snprintf(progress, sizeof progress, "%s", text ? text : "");
    put(progress, strlen(progress));
    pthread_mutex_unlock(&lock);
}
