/* What the compilers say about the shim, turned into one line. The words are theirs. */
#include "tap.h"

#include "compile/shim.h"
#include "record/yaml.h"

static struct kg_task *t;
static char line[512];

static int explain(const char *log)
{
    struct kg_buf b = KG_BUF_INIT;
    enum kg_verdict v = KG_PASSED;
    bool found = kg_shim_explain(t, log, &v, &b);
    snprintf(line, sizeof line, "%s", kg_buf_str(&b));
    kg_buf_release(&b);
    return found ? (int)v : -1;
}

static void make_task(void)
{
    static const char yaml[] =
        "task_id: t\n"
        "axes: {n: 8}\n"
        "args:\n"
        "  - {name: x, dtype: float16, shape: [n], init: randn}\n"
        "  - {name: y, dtype: int64, shape: [n], role: out}\n"
        "  - {name: n, dtype: int32}\n"
        "entry: solve\n"
        "reference: |\n  void reference(const double *x, long *y, int n) {}\n"
        "baseline: |\n  void solve() {}\n";
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_error err = KG_ERROR_INIT;
    const struct kg_value *doc = kg_yaml_text(yaml, sizeof yaml - 1, "t.yaml", &a, &err);
    t = kg_task_new(doc, NULL, "t.yaml", &err);
    OK(t != NULL);
    kg_arena_release(&a);
}

int main(void)
{
    struct kg_buf text = KG_BUF_INIT;
    make_task();
    kg_shim_signature(t, &text);
    EQ_STR(kg_buf_str(&text), "void solve(const __half *x, long long *y, int n)");

    EQ_INT(explain("kg_call: In instantiation of 'struct kg_shim::kg_parameter_2<const int*>':\n"
                   "kg_call:34:17:   required from here\n"
                   "kg_call:33:100: error: static assertion failed: kg: parameter 2\n"),
           KG_COMPILE_ERROR);
    EQ_STR(line, "parameter 2 of 'solve' ('y'): the task has 'long long *', the candidate 'const "
                 "int*'");
    explain("kg_call(32): error: static assertion failed with \"kg: parameter 3\"\n"
            "  template <class kg_theirs> struct kg_parameter_3 { static_assert(...\n"
            "          detected during instantiation of class \"kg_shim::kg_parameter_3<kg_theirs> "
            "[with kg_theirs=unsigned long]\" at line 33\n");
    EQ_STR(line, "parameter 3 of 'solve' ('n'): the task has 'int', the candidate 'unsigned long'");
    /* a template among the candidate's types: the brackets are counted */
    explain("kg_call: In instantiation of 'struct kg_parameter_1<A<B<int> >*>':\n"
            "kg_call:32:100: error: static assertion failed: kg: parameter 1\n");
    EQ_STR(line, "parameter 1 of 'solve' ('x'): the task has 'const __half *', the candidate "
                 "'A<B<int> >*'");
    explain("kg_call(28): error: static assertion failed with \"kg: count\"\n detected during "
            "instantiation of class \"kg_shim::kg_count<kg_theirs> [with kg_theirs=7]\"\n");
    EQ_STR(line, "'solve' has 7 parameters, the task 3: void solve(const __half *x, long long *y, "
                 "int n)");
    EQ_INT(explain("kg_call(26): error: identifier \"solve\" is undefined\n"), KG_LOAD_ERROR);
    HAS(line, "no entry point");
    EQ_INT(explain("x.o: in function `kg_call':\nkg_call:(.text+0x1): undefined reference to "
                   "`solve'\n"),
           KG_LOAD_ERROR);
    EQ_INT(explain("kg_call:1:1: error: a template declaration cannot appear at block scope\n"
                   "kg_call:26:2: error: 'solve' was not declared in this scope\n"),
           KG_COMPILE_ERROR);
    HAS(line, "unbalanced braces");
    /* other errors are none of its own */
    EQ_INT(explain("candidate.cu(3): error: identifier \"solve_it\" is undefined\n"), -1);
    EQ_INT(explain(""), -1);
    kg_buf_release(&text);
    kg_task_free(t);
    return tap_done();
}
