#include "tap.h"
#include "tree.h"

/* SIMPLE with one member replaced or added: the last of duplicates wins in a tree. */
#define SIMPLE(more)                                                                               \
    "{'task_id': 'soft', 'axes': {'rows': 4096, 'cols': 8192},\n"                                  \
    " 'host_axes': {'rows': 16},\n"                                                                \
    " 'cases': [{'rows': 7, 'cols': 33}, {'x': 'heavy_tail', 'cols': 5}],\n"                       \
    " 'args': [{'name': 'x', 'dtype': 'float32', 'shape': ['rows', 'cols']},\n"                    \
    "  {'name': 'y', 'dtype': 'float16', 'shape': ['rows', 'cols - 1'], 'role': 'out'},\n"         \
    "  {'name': 'rows', 'dtype': 'int32'},\n"                                                      \
    "  {'name': 'eps', 'dtype': 'float32', 'value': 1e-5},\n"                                      \
    "  {'name': 's', 'dtype': 'float32', 'init': 'uniform(1, 2)'}],\n"                             \
    " 'reference': 'void reference() {}', 'baseline': '{}',\n 'reduction': 'cols'" more "}"

static void good(void)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_task *t = task_of(SIMPLE(""), &err);
    OK(t);
    if (!t) {
        printf("# %s\n", err.text);
        return;
    }
    EQ_STR(t->entry, "solve");
    EQ_INT(t->n_cases, 2);
    EQ_INT(t->n_arrays, 2);
    EQ_STR(t->cases[0].label, "rows=7 cols=33");
    EQ_STR(t->cases[1].label, "rows=16 cols=5 x=heavy_tail");
    EQ_INT(t->timed_host.axes[0], 16);
    EQ_INT(t->timed_host.axes[1], 8192);
    EQ_STR(t->reference_name, "t.yaml:reference");
    struct kg_instance in;
    EQ_INT(kg_instance_init(&in, t, &t->cases[0], &err), 0);
    EQ_INT(in.args[0].count, 7 * 33);
    EQ_INT(in.args[1].count, 7 * 32);
    EQ_INT(in.args[1].bytes, 7 * 32 * 2);
    EQ_INT(in.args[1].row, 32);
    OK(in.args[1].init == NULL);
    OK(in.args[2].scalar == 7);
    OK(in.args[3].scalar == (double)1e-5f);
    EQ_INT(in.args[4].init->kind, KG_INIT_UNIFORM);
    EQ_INT(in.reduction, 33);
    EQ_INT(in.min_read, 7 * 33 * 4);
    EQ_INT(kg_instance_init(&in, t, &t->cases[1], &err), 0);
    EQ_INT(in.args[0].init->kind, KG_INIT_HEAVY_TAIL);

    struct kg_buf a = KG_BUF_INIT, b = KG_BUF_INIT;
    kg_task_json(t, &a);
    struct kg_task *u = task_of(kg_buf_str(&a), &err);
    OK(u);
    if (u) {
        kg_task_json(u, &b);
        EQ_STR(kg_buf_str(&a), kg_buf_str(&b));
        OK(!memcmp(t->sha, u->sha, sizeof t->sha));
    }
    kg_task_free(u);
    u = task_of(SIMPLE(", 'reference': 'void reference() {;}'"), &err);
    OK(u && memcmp(t->sha, u->sha, sizeof t->sha));
    kg_task_free(u);
    kg_task_free(t);
    kg_buf_release(&a);
    kg_buf_release(&b);
}

#define BARE                                                                                        \
    "{'task_id': 'bare', 'axes': {'n': 1000}, 'kernel': 'k', 'launch': {'grid': "                   \
    "['ceil_div(n,256)', 2],"                                                                       \
    "'block': 256, 'shared': '4*n'}, 'args': [{'name': 'm', 'dtype': 'int64', 'expr': 'n/2'},"      \
    "{'name': 'p', 'dtype': 'int32', 'shape': [3, 'n'], 'init': 'randint(-5,5)', 'role': 'inout'}," \
    "{'name': 'k', 'dtype': 'int32', 'shape': [1], 'role': 'out'}],"                                \
    "'count': {'array': 'p', 'from': 'k'}, 'link': ['cublas'], 'precision': 'bfloat16',"            \
    "'custom_floor': 0.25, 'min_read': '8*n', 'tolerance': {'rtol': 0.125, 'atol': 0},"             \
    "'cases': [{'p': 'fancy'}, {'p': 3}], 'reference': 'void init_fancy() {}'"

static void bare(void)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_task *t = task_of(BARE "}", &err);
    OK(t);
    if (!t) {
        printf("# %s\n", err.text);
        return;
    }
    struct kg_instance in;
    kg_instance_init(&in, t, &t->timed, &err);
    EQ_INT(in.grid[0], 4);
    EQ_INT(in.grid[1], 2);
    EQ_INT(in.grid[2], 1);
    EQ_INT(in.block[0], 256);
    EQ_INT(in.shared, 4000);
    OK(in.args[0].scalar == 500);
    EQ_INT(in.in_bytes, 12000);
    EQ_INT(in.out_bytes, 12004);
    EQ_INT(in.min_read, 8000);
    EQ_INT(t->cases[0].inits[1]->kind, KG_INIT_CUSTOM);
    EQ_STR(t->cases[0].inits[1]->name, "fancy");
    EQ_INT(t->cases[1].inits[1]->kind, KG_INIT_VALUE);
    EQ_STR(t->link[0], "cublas");
    struct kg_buf a = KG_BUF_INIT, b = KG_BUF_INIT;
    kg_task_json(t, &a);
    struct kg_task *u = task_of(kg_buf_str(&a), &err);
    OK(u);
    if (u)
        kg_task_json(u, &b);
    EQ_STR(kg_buf_str(&b), kg_buf_str(&a));
    kg_task_free(u);
    kg_task_free(t);
    kg_buf_release(&a);
    kg_buf_release(&b);
}

static void bad(const char *text, const char *want, size_t line)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_task *t = task_of(text, &err);
    OK(t == NULL);
    tap_result(strstr(err.text, want) != NULL, __FILE__, __LINE__, want);
    EQ_STR(err.source, "t.yaml");
    EQ_INT(err.line, line);
    OK(err.col > 0);
    if (!strstr(err.text, want))
        printf("# %s\n", err.text);
    kg_task_free(t);
}

#define ARGS(list) SIMPLE(",\n 'cases': [], 'args': [" list "]")
#define OUT        ", {'name': 'o', 'dtype': 'float32', 'shape': [1], 'role': 'out'}"

static void errors(void)
{
    bad(SIMPLE(",\n 'tolerence': 'auto'"),
        "unknown key in a task 'tolerence' (did you mean 'tolerance'", 11);
    bad(SIMPLE(",\n 'zzzzzzzzzz': 1"), "there is task_id, about", 11);
    bad("[1]", "a task must be an object, not an array", 1);
    bad("{'axes': {'n': 1}}", "a task without 'task_id'", 1);
    bad("{'task_id': 'x'}", "a task without 'reference'", 1);
    bad("{'task_id': 'x', 'reference': 'r.c'}", "here it must hold the source", 1);
    bad("{'task_id': 'x', 'reference': '{}'}", "'axes' must be an object", 1);
    bad("{'task_id': 'x', 'reference': '{}', 'axes': {'n': 1}}", "without 'args'", 1);
    bad(SIMPLE(",\n 'task_id': 'a/b'"), "'task_id' must have", 11);
    bad(SIMPLE(",\n 'axes': {'rows': 0}"), "axis 'rows' must be a whole number of at least 1", 11);
    bad(SIMPLE(",\n 'axes': {'2x': 1}"), "an axis must be a name of C", 11);
    bad(SIMPLE(",\n 'host_axes': {'row': 1}"), "did you mean 'rows'", 11);
    bad(SIMPLE(",\n 'cases': [{'row': 1}]"), "unknown key in a case 'row' (did you mean 'rows'",
        11);
    bad(SIMPLE(",\n 'cases': [{'y': 'randn'}]"), "is an output", 11);
    bad(SIMPLE(",\n 'cases': [{'x': 'rand'}]"), "unknown initialiser 'rand' (did you mean 'randn'",
        11);
    bad(SIMPLE(",\n 'cases': [{'x': 'uniform(1)'}]"), "needs two numbers", 11);
    bad(SIMPLE(",\n 'cases': [{'x': 'uniform(2,1)'}]"), "first number below its second", 11);
    bad(SIMPLE(",\n 'cases': [{'x': 'randn(1)'}]"), "takes no numbers", 11);
    bad(SIMPLE(",\n 'cases': [{'x': 'uniform(1,2'}]"), "is no initialiser", 11);
    bad(SIMPLE(",\n 'cases': [{'x': 'uniform(1,2,3)'}]"), "is no initialiser", 11);
    bad(SIMPLE(",\n 'cases': [{'x': 1e39}]"), "does not fit float32", 11);
    bad(SIMPLE(",\n 'cases': [{'cols': 1}]"), "shape of 'y' (case rows=16 cols=1): 'cols - 1' is 0",
        11);
    bad(SIMPLE(",\n 'precision': 'fp16'"), "there is float32, tf32, float16", 11);
    bad(SIMPLE(",\n 'tolerance': 'loose'"), "'tolerance' must be auto or", 11);
    bad(SIMPLE(",\n 'tolerance': {'rtol': -1}"), "must lie between", 11);
    bad(SIMPLE(",\n 'reduction': 'depth'"), "'reduction': unknown axis 'depth'", 11);
    bad(SIMPLE(",\n 'entry': 'so lve'"), "'entry' must be a name of C", 11);
    bad(SIMPLE(",\n 'kernel': 'k'"), "go together", 11);
    bad(SIMPLE(",\n 'entry': 'a', 'kernel': 'k', 'launch': {}"), "not both", 11);
    bad(SIMPLE(",\n 'kernel': 'k', 'launch': {'grid': 1}"), "needs 'grid' and 'block'", 11);
    bad(SIMPLE(",\n 'kernel': 'k', 'launch': {'grid': 1, 'block': [1,1,1,1]}"), "1 to 3 sizes", 11);
    bad(BARE ",\n 'launch': {'grid': 1, 'block': 'n+25'}}", "'block' (case", 1);
    bad(SIMPLE(",\n 'link': ['-Wl,x']"), "must be a name of C", 11);
    bad(SIMPLE(",\n 'count': {'array': 'x', 'from': 'rows'}"), "'x' is no output", 11);
    bad(SIMPLE(",\n 'count': {'array': 'y', 'from': 'x'}"), "'x' is no int32", 11);
    bad(ARGS("{'name': 'x', 'dtype': 'float32', 'shape': ['rows']}"), "no argument has 'role: out'",
        11);
    bad(ARGS("{'name': 'x', 'dtype': 'float23', 'shape': ['rows']}"), "did you mean 'float", 11);
    bad(ARGS("{'name': 'x', 'dtype': 'int8', 'shape': ['rows']}" OUT), "needs an 'init'", 11);
    bad(ARGS("{'name': 'x', 'dtype': 'int8', 'shape': ['rows'], 'init': 'randint(0,129)'}" OUT),
        "do not fit int8", 11);
    bad(ARGS("{'name': 'x', 'dtype': 'float16', 'shape': [2], 'init': 'randint(0,2050)'}" OUT),
        "do not fit float16", 11);
    bad(ARGS("{'name': 'x', 'dtype': 'int64', 'value': 9007199254740994}" OUT), "beyond 2^53", 11);
    bad(ARGS("{'name': 'x', 'dtype': 'int8', 'shape': [200], 'init': 'permutation'}" OUT),
        "does not fit int8", 1);
    bad(ARGS("{'name': 'x', 'dtype': 'int32', 'shape': [2], 'init': 'denormal'}" OUT),
        "needs a floating type", 11);
    bad(ARGS("{'name': 'x', 'dtype': 'int8', 'value': 300}" OUT), "300 does not fit int8", 11);
    bad(ARGS("{'name': 'x', 'dtype': 'int32', 'value': 1.5}" OUT), "no whole number", 11);
    bad(ARGS("{'name': 'q', 'dtype': 'int32'}" OUT), "'q' is no axis", 11);
    bad(ARGS("{'name': 'q', 'dtype': 'int32', 'value': 1, 'expr': 2}" OUT), "more than one of", 11);
    bad(ARGS("{'name': 'q', 'dtype': 'int8', 'expr': 'cols'}" OUT), "'cols' is 8192", 1);
    bad(ARGS("{'name': 'o', 'dtype': 'float32', 'shape': [1]}" OUT), "two arguments are called 'o'",
        11);
    bad(ARGS("{'name': 'q', 'dtype': 'float32', 'role': 'out'}" OUT),
        "a scalar cannot be an output", 11);
    bad(ARGS("{'name': 'q', 'dtype': 'float32', 'shape': []}" OUT), "'shape' must be a list", 11);
    bad(ARGS("{'name': 'q', 'dtype': 'float32', 'shape': [1000000, 1000000]}" OUT),
        "over 2^40 bytes", 1);
    bad(ARGS("{'name': 'q', 'dtype': 'float32', 'shape': ['rows', 1.5]}" OUT), "not 1.5", 11);
}

int main(void)
{
    good();
    bare();
    errors();
    return tap_done();
}
