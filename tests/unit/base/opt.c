#include "base/opt.h"
#include "base/exit.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    struct kg_opt_common common;
    struct kg_opt_list tasks;
    double gamma;
    int64_t jobs, bytes;
    int est;
    const char *policy;
} o;

static char words_out[8192]; /* what the last call wrote to stdout and stderr */

static int parse(int argc, const char **args, int *first)
{
    static const char *const names[] = {"grpo", "trloo", NULL};
    const struct kg_opt table[] = {
        {0, NULL, KG_OPT_GROUP, NULL, "what it works on"},
        {'t', "tasks", KG_OPT_LIST, "PATH", "a file or a folder", &o.tasks},
        {0, "gamma", KG_OPT_NUM, "X", "discount", &o.gamma, 0, 10},
        {'j', "jobs", KG_OPT_INT, "N", "at once", &o.jobs, 0, 1024},
        {0, "limit", KG_OPT_BYTES, "SIZE", "most bytes", &o.bytes},
        {0, "estimator", KG_OPT_WORD, "NAME", "estimator", &o.est, .words = names},
        {'p', "policy", KG_OPT_STR, "FILE", "policy", &o.policy},
        KG_OPT_COMMON(o.common),
        KG_OPT_END};
    const struct kg_opt_usage usage = {"[options] [file ...]", "Tests options.", NULL};
    char *argv[32] = {0};
    for (int i = 0; i < argc; i++)
        argv[i] = (char *)(size_t)args[i];
    int pipes[2], saved[2] = {dup(1), dup(2)};
    fflush(stdout);
    if (pipe(pipes))
        abort();
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    dup2(pipes[1], 1);
    dup2(pipes[1], 2);
    int rc = kg_opt_parse(table, &usage, argc, argv, first);
    dup2(saved[0], 1);
    dup2(saved[1], 2);
    close(pipes[1]);
    ssize_t n = read(pipes[0], words_out, sizeof words_out - 1);
    words_out[n > 0 ? n : 0] = 0;
    close(pipes[0]);
    close(saved[0]);
    close(saved[1]);
    return rc;
}

#define PARSE(...)                                                                                 \
    parse((int)(sizeof(const char *[]){__VA_ARGS__} / sizeof(char *)),                             \
          (const char *[]){__VA_ARGS__}, &first)

int main(void)
{
    int first = 0;
    EQ_INT(PARSE("x", "-t", "a", "file", "--tasks=b", "-j8", "--gamma", "0.9", "--estimator",
                 "trloo", "-vv", "-q", "--limit", "2M", "-p", "p.yaml", "--"),
           -1);
    EQ_INT(o.tasks.n, 2);
    EQ_STR(o.tasks.v[1], "b");
    EQ_INT(o.jobs, 8);
    NEAR(o.gamma, 0.9, 0);
    EQ_INT(o.est, 1);
    EQ_INT(o.common.verbose, 2);
    OK(o.common.quiet);
    EQ_INT(o.bytes, 2 << 20);
    EQ_STR(o.policy, "p.yaml");
    EQ_INT(first, 16); /* the operand was moved to the end */
    EQ_INT(PARSE("x", "-"), -1);
    EQ_INT(first, 1);
    EQ_INT(PARSE("x", "-j", "x"), KG_EXIT_INPUT);
    HAS(words_out, "--jobs: 'x' is not a whole number from 0 to 1024");
    EQ_INT(PARSE("x", "-j", "1025"), KG_EXIT_INPUT);
    EQ_INT(PARSE("x", "--estimator", "none"), KG_EXIT_INPUT);
    HAS(words_out, "'none' is none of: grpo, trloo");
    EQ_INT(PARSE("x", "--gamma"), KG_EXIT_INPUT);
    HAS(words_out, "needs an argument");
    EQ_INT(PARSE("x", "--nothing"), KG_EXIT_INPUT);
    HAS(words_out, "'--nothing'");
    EQ_INT(PARSE("x", "-Z"), KG_EXIT_INPUT);
    HAS(words_out, "'-Z'");
    EQ_INT(PARSE("x", "-h"), KG_EXIT_OK);
    HAS(words_out, "[options] [file ...]");
    HAS(words_out, "-t, --tasks PATH");
    HAS(words_out, "grpo|trloo");
    HAS(words_out, "what it works on:");
    EQ_INT(PARSE("x", "--version"), KG_EXIT_OK);
    EQ_INT(PARSE("x", "--complete"), KG_EXIT_OK);
    HAS(words_out, "--estimator\t\tNAME\tgrpo,trloo\testimator\n");
    free(o.tasks.v);
    return tap_done();
}
