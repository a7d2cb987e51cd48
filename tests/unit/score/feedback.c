/* Feedback: templates, compilers' errors, the limit, and what must never be said. */
#include "base/buf.h"
#include "score/feedback.h"
#include "tap.h"

#include <stdlib.h>

static const struct kg_feedback_opts opts = {8, 5, 4000};
static struct kg_buf out;

static const char *errors(const char *log, int64_t max)
{
    kg_buf_reset(&out);
    kg_feedback_errors(log, strlen(log), max, &out);
    return kg_buf_str(&out);
}

static struct kg_feedback_in nothing(enum kg_verdict v)
{
    struct kg_feedback_in in = {.verdict = v, .speedup = NAN, .speedup_lo = NAN, .speedup_hi = NAN};
    in.coverage = KG_COVERAGE_UNKNOWN;
    return in;
}

static const char *render(const char *text, struct kg_feedback_in *in)
{
    kg_buf_reset(&out);
    kg_feedback_render(text, &opts, in, &out);
    return kg_buf_str(&out);
}

static void test_errors(void)
{
    EQ_STR(errors("/tmp/k/a.cu(12): error: identifier \"x\" is undefined\n1 error detected\n", 5),
           "1. line 12: identifier \"x\" is undefined");
    EQ_STR(errors("a.cu:3:14: error: expected ';'\na.cu:9:1: fatal error: no more\n", 5),
           "1. line 3: expected ';'\n2. line 9: no more");
    EQ_STR(errors("a.cu:3: error: one\na.cu:4: error: two\n", 1), "1. line 3: one");
    EQ_STR(errors("ld: error: undefined symbol: solve\n", 5), "1. undefined symbol: solve");
    EQ_STR(errors("a.cu(2): error: in /home/me/secret/z.h here\r\n", 5), "1. line 2: in z.h here");
    // no error line: the end of it
    EQ_STR(errors("Traceback\n  a\n\nValueError: bad\n", 2), "1. a\n2. ValueError: bad");
    EQ_STR(errors("", 5), "");
    EQ_STR(errors("a(1): error: x", 0), "");
    EQ_STR(errors("a(1): error: b\033[31mc", 5), "1. line 1: b?[31mc");
}

static void test_long_lines(void)
{
    char log[2000] = "a(1): error: ";
    for (size_t i = strlen(log); i + 2 < sizeof log; i += 2)
        memcpy(log + i, "\xc3\xa9", 3);
    const char *s = errors(log, 5);
    OK(strlen(s) < 400);
    HAS(s, " ...");
    // cut between characters
    size_t n = strlen(s) - strlen(" ...");
    OK(((unsigned char)s[n - 1] & 0xc0) == 0x80);
}

static void test_lines(void)
{
    struct kg_feedback_in in = nothing(KG_INCORRECT_NUMERICAL);
    EQ_STR(render("{status}: {about}\nat {index}\nend\n", &in),
           "INCORRECT_NUMERICAL: values beyond the tolerance\nend\n");
    in.index = "[3, 4]";
    EQ_STR(render("at {index}\n", &in), "at [3, 4]\n");
    EQ_STR(render("{{index} {index}", &in), "{index} [3, 4]\n");
    EQ_STR(render("got {got}\n", &in), "");
    in.got = "{want}"; // a value is never read as a template
    in.want = "secret";
    EQ_STR(render("got {got}\n", &in), "got {want}\n");
}

static void test_numbers(void)
{
    struct kg_feedback_in in = nothing(KG_PASSED);
    in.speedup = 1.234;
    EQ_STR(render("{speedup}", &in), "1.23\n");
    in.speedup_lo = 1.2;
    in.speedup_hi = 1.3;
    EQ_STR(render("{speedup}", &in), "1.23 (95 % interval 1.20 to 1.30)\n");
    in.coverage.time = 0.345;
    EQ_STR(render("{coverage}", &in), "34.5 %\n");
    EQ_STR(render("{coverage_replaced}", &in), "");
}

static void test_kernels(void)
{
    struct kg_feedback_kernel k[10];
    char names[10][16];
    struct kg_feedback_in in = nothing(KG_PASSED);
    for (int i = 0; i < 10; i++) {
        snprintf(names[i], sizeof names[i], "k%d", i);
        k[i] = (struct kg_feedback_kernel){names[i], "custom", i, NAN};
    }
    EQ_STR(render("a:{kernels}", &in), "");
    in.kernels = k;
    in.n_kernels = 10;
    const char *s = render("a:{kernels}", &in);
    HAS(s, "a:\n  k9 (custom): 9.00 us\n  k8");
    HAS(s, "k2 (custom)");
    OK(!strstr(s, "k1 ")); // the 8 longest
}

static void test_limit(void)
{
    char *text = malloc(20001);
    struct kg_feedback_in in = nothing(KG_PASSED);
    memset(text, 0, 20001);
    for (int i = 0; i < 20000; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    const char *s = render(text, &in);
    size_t chars = 0;
    for (const char *p = s; *p; p++)
        chars += ((unsigned char)*p & 0xc0) != 0x80;
    EQ_INT(chars, 4000);
    HAS(s, "[cut]");
    text[7998] = '\0'; // 3999 characters and a newline: fits
    s = render(text, &in);
    OK(!strstr(s, "[cut]"));
    free(text);
}

static void test_check(void)
{
    struct kg_error err = KG_ERROR_INIT;
    EQ_INT(kg_feedback_check("{status} {{x}\n{kernels}\n", "t", &err), 0);
    EQ_INT(kg_feedback_check("a\nb {seed}\n", "t.txt", &err), -1);
    HAS(err.text, "no such word 'seed'");
    EQ_INT(err.line, 2);
    EQ_INT(err.col, 3);
    kg_error_clear(&err);
    EQ_INT(kg_feedback_check("open {status\n", "t", &err), -1);
}

int main(void)
{
    test_errors();
    test_long_lines();
    test_lines();
    test_numbers();
    test_kernels();
    test_limit();
    test_check();
    kg_buf_release(&out);
    return tap_done();
}
