#include "base/opt.h"
#include "base/buf.h"
#include "base/exit.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/msg.h"
#include "base/num.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_HELP = 1000, OPT_VERSION, OPT_COMPLETE, OPT_FIRST };

static bool takes_arg(const struct kg_opt *o)
{
    return o->type != KG_OPT_FLAG && o->type != KG_OPT_COUNT;
}

static size_t table_len(const struct kg_opt *table)
{
    size_t n = 0;
    while (table[n].type != KG_OPT_END_TYPE)
        n++;
    return n;
}

static int set_word(const struct kg_opt *o, const char *text, struct kg_error *err)
{
    struct kg_buf all = KG_BUF_INIT;
    for (int i = 0; o->words[i]; i++) {
        if (!strcmp(o->words[i], text)) {
            *(int *)o->dest = i;
            kg_buf_release(&all);
            return 0;
        }
        kg_buf_addf(&all, "%s%s", i ? ", " : "", o->words[i]);
    }
    kg_error_set(err, KG_E_USAGE, "'%s' is none of: %s", text, kg_buf_str(&all));
    kg_buf_release(&all);
    return -1;
}

/* Lists live as long as the program: their memory is remembered, so that a leak checker finds it
 * wherever main() returns. (A caller may still free it.) */
static void remember(const struct kg_opt_list *list)
{
    static struct {
        const struct kg_opt_list *list;
        const char **v;
    } kept[32];
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (kept[i].list == list || !kept[i].list) {
            kept[i].list = list;
            kept[i].v = list->v;
            return;
        }
    }
}

static int set_value(const struct kg_opt *o, const char *text, struct kg_error *err)
{
    bool limited = o->min != 0 || o->max != 0;
    int64_t low = limited ? (int64_t)o->min : INT64_MIN;
    int64_t high = limited ? (int64_t)o->max : INT64_MAX;
    struct kg_opt_list *list;
    switch (o->type) {
    case KG_OPT_FLAG:
        *(bool *)o->dest = true;
        return 0;
    case KG_OPT_COUNT:
        ++*(int *)o->dest;
        return 0;
    case KG_OPT_INT:
        return kg_num_int(text, low, high, o->dest, err);
    case KG_OPT_BYTES:
        return kg_num_bytes(text, limited ? low : 0, high, o->dest, err);
    case KG_OPT_NUM:
        return kg_num_double(text, limited ? o->min : -HUGE_VAL, limited ? o->max : HUGE_VAL,
                             o->dest, err);
    case KG_OPT_STR:
        *(const char **)o->dest = text;
        return 0;
    case KG_OPT_LIST:
        list = o->dest;
        list->v = kg_mem_grow(list->v, list->n, &list->cap, sizeof *list->v);
        remember(list);
        list->v[list->n++] = text;
        return 0;
    case KG_OPT_WORD:
        return set_word(o, text, err);
    default:
        return kg_error_set(err, KG_E_INTERNAL, "option table: bad type");
    }
}

static void add_help_line(struct kg_buf *b, const struct kg_opt *o)
{
    char left[80];
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->arg ? " " : "",
             o->arg ? o->arg : "");
    kg_buf_addf(b, strlen(left) < 30 ? "%-30s%s" : "%s\n                              %s", left,
                o->help);
    for (int i = 0; o->words && o->words[i]; i++)
        kg_buf_addf(b, "%s%s", i ? "|" : ": ", o->words[i]);
    kg_buf_addc(b, '\n');
}

int kg_opt_print(struct kg_buf *b)
{
    int rc = kg_fs_write_all(STDOUT_FILENO, b->data, b->len);
    kg_buf_release(b);
    if (!rc)
        return KG_EXIT_OK;
    kg_msg_error("cannot write to standard output");
    return KG_EXIT_OUTPUT;
}

static int print_help(const struct kg_opt *table, const struct kg_opt_usage *usage)
{
    struct kg_buf b = KG_BUF_INIT;
    kg_buf_addf(&b, "usage: %s %s\n%s\n\n", kg_msg_prog(), usage->synopsis, usage->about);
    static const struct kg_opt always[] = {
        {'h', "help", KG_OPT_FLAG, NULL, "print this help"},
        {0, "version", KG_OPT_FLAG, NULL, "print the version"},
    };
    for (size_t i = 0; i < table_len(table); i++) {
        if (table[i].type == KG_OPT_GROUP)
            kg_buf_addf(&b, "\n%s:\n", table[i].help);
        else
            add_help_line(&b, &table[i]);
    }
    for (size_t i = 0; i < 2; i++)
        add_help_line(&b, &always[i]);
    if (usage->footer)
        kg_buf_addf(&b, "\n%s\n", usage->footer);
    return kg_opt_print(&b);
}

static int print_complete(const struct kg_opt *table)
{
    struct kg_buf b = KG_BUF_INIT;
    for (size_t i = 0; i < table_len(table); i++) {
        const struct kg_opt *o = &table[i];
        if (o->type == KG_OPT_GROUP)
            continue;
        kg_buf_addf(&b, "--%s\t", o->name);
        if (o->letter)
            kg_buf_addf(&b, "-%c", o->letter);
        kg_buf_addf(&b, "\t%s\t", o->arg ? o->arg : "");
        for (int k = 0; o->words && o->words[k]; k++)
            kg_buf_addf(&b, "%s%s", k ? "," : "", o->words[k]);
        kg_buf_addf(&b, "\t%s\n", o->help);
    }
    kg_buf_adds(&b, "--help\t-h\t\t\tprint this help\n--version\t\t\t\tprint the version\n");
    return kg_opt_print(&b);
}

static int print_version(void)
{
    struct kg_buf b = KG_BUF_INIT;
    kg_buf_addf(&b, "%s %s\n", kg_msg_prog(), KG_VERSION);
    return kg_opt_print(&b);
}

/* The table in getopt_long's shape. Both arrays are the caller's. */
static void to_getopt(const struct kg_opt *table, size_t n, struct option *longs, char *shorts)
{
    size_t k = 0;
    *shorts++ = ':';
    *shorts++ = 'h';
    for (size_t i = 0; i < n; i++) {
        const struct kg_opt *o = &table[i];
        if (o->type == KG_OPT_GROUP)
            continue;
        longs[k++] = (struct option){o->name, takes_arg(o) ? required_argument : no_argument, NULL,
                                     OPT_FIRST + (int)i};
        if (o->letter)
            *shorts++ = o->letter;
        if (o->letter && takes_arg(o))
            *shorts++ = ':';
    }
    *shorts = '\0';
    longs[k++] = (struct option){"help", no_argument, NULL, OPT_HELP};
    longs[k++] = (struct option){"version", no_argument, NULL, OPT_VERSION};
    longs[k++] = (struct option){"complete", no_argument, NULL, OPT_COMPLETE};
    longs[k] = (struct option){0};
}

static const struct kg_opt *find(const struct kg_opt *table, size_t n, int c)
{
    if (c >= OPT_FIRST)
        return &table[c - OPT_FIRST];
    for (size_t i = 0; i < n; i++)
        if (table[i].letter == c && c)
            return &table[i];
    return NULL;
}

static int usage_error(int c, char **argv, int opt)
{
    const char *word = optind > 0 ? argv[optind - 1] : "";
    if (c == ':')
        kg_msg_error("option '%s' needs an argument (see -h)", word);
    else if (opt > 0 && opt < 256)
        kg_msg_error("unknown option '-%c' (see -h)", opt);
    else
        kg_msg_error("unknown or ambiguous option '%s' (see -h)", word);
    return KG_EXIT_INPUT;
}

int kg_opt_parse(const struct kg_opt *table, const struct kg_opt_usage *usage, int argc,
                 char **argv, int *first)
{
    size_t n = table_len(table);
    struct option *longs = kg_mem_array(n + 4, sizeof *longs);
    char *shorts = kg_mem_alloc(2 * n + 8);
    int status = -1;
    to_getopt(table, n, longs, shorts);
    opterr = 0;
    optind = 1;
    for (int c; status < 0 && (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        const struct kg_opt *o;
        struct kg_error err = KG_ERROR_INIT;
        if (c == OPT_HELP || c == 'h')
            status = print_help(table, usage);
        else if (c == OPT_VERSION)
            status = print_version();
        else if (c == OPT_COMPLETE)
            status = print_complete(table);
        else if (c == '?' || c == ':' || !(o = find(table, n, c)))
            status = usage_error(c, argv, optopt);
        else if (set_value(o, optarg, &err)) {
            kg_msg_error("--%s: %s", o->name, err.text);
            status = KG_EXIT_INPUT;
        }
    }
    *first = optind;
    free(longs);
    free(shorts);
    return status;
}
