/*
 * One table of options feeds parsing, -h, and the words of completions (and a test holds man pages
 * against it).
 *
 *     struct kg_opt table[] = {
 *         {'t', "tasks", KG_OPT_LIST, "PATH", "tasks: a file or a folder", &o.tasks},
 *         {0, "gamma", KG_OPT_NUM, "X", "discount", &o.gamma, 0, 10},
 *         {0, "estimator", KG_OPT_WORD, "NAME", "advantage estimator", &o.est, .words = names},
 *         KG_OPT_COMMON,
 *         KG_OPT_END};
 *
 * Every program also knows -h/--help, --version and the hidden --complete, which prints the table
 * one option a line for the completions:
 * '--name<TAB>letter<TAB>arg<TAB>words,comma,separated<TAB>help'.
 */
#ifndef KG_BASE_OPT_H
#define KG_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#include "base/buf.h"

enum kg_opt_type {
    KG_OPT_END_TYPE = 0,
    KG_OPT_FLAG,  /* bool *: set to true */
    KG_OPT_COUNT, /* int *: plus one each time */
    KG_OPT_INT,   /* int64_t *: in [min, max] */
    KG_OPT_NUM,   /* double *: in [min, max] */
    KG_OPT_BYTES, /* int64_t *: 64k, 2M; in [min, max] */
    KG_OPT_STR,   /* const char ** */
    KG_OPT_LIST,  /* struct kg_opt_list *: one string each time */
    KG_OPT_WORD,  /* int *: index into words */
    KG_OPT_GROUP, /* no option: 'help' is a heading in -h */
};

struct kg_opt_list {
    const char **v; /* strings of argv, not copied */
    size_t n, cap;
};

struct kg_opt {
    char letter;      /* or 0 */
    const char *name; /* without dashes */
    enum kg_opt_type type;
    const char *arg;  /* name of the argument in -h; NULL for flags */
    const char *help; /* lower case, no full stop */
    void *dest;
    double min, max;          /* INT, NUM, BYTES; both 0: no limit beyond the type's */
    const char *const *words; /* WORD: NULL-terminated */
};

/* The manners shared by all programs: -q, -v. Pointers to the fields of a struct kg_opt_common. */
struct kg_opt_common {
    bool quiet;
    int verbose;
};
#define KG_OPT_COMMON(c)                                                                           \
    {'q', "quiet", KG_OPT_FLAG, NULL, "errors only, no progress", &(c).quiet},                     \
    {                                                                                              \
        'v', "verbose", KG_OPT_COUNT, NULL, "say more (again for still more)", &(c).verbose        \
    }
#define KG_OPT_END                                                                                 \
    {                                                                                              \
        0                                                                                          \
    }

struct kg_opt_usage {
    const char *synopsis; /* "[options] [file ...]" */
    const char *about;    /* one sentence */
    const char *footer;   /* printed after the options, or NULL */
};

/*
 * Parses argv; operands are moved to argv[*first]... (POSIXLY: options may follow operands).
 * Returns -1 to go on, else the exit status with which the program is to end at once: 0 after
 * -h/--version/--complete (on stdout), 2 after a usage error (one message on stderr).
 */
int kg_opt_parse(const struct kg_opt *table, const struct kg_opt_usage *usage, int argc,
                 char **argv, int *first);

/* What an option asks for instead of a run (--help, --env), to stdout; releases b. The exit status
 * with which the program is to end; a failure is told. */
int kg_opt_print(struct kg_buf *b);

#endif
