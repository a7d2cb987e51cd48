/* What a reference file exports, and which arrays a function of it makes together. */
#include "task/exports.h"

#include "tap.h"
#include "tree.h"

static enum kg_export of(const char *source)
{
    return kg_task_export(source, "check");
}

static void definitions(void)
{
    EQ_INT(of("int check(const double *x, int n) { return 0; }"), KG_EXPORT_INT);
    EQ_INT(of("#include <x.h>\nint f(void) { return 1; }\nint\ncheck (void)\n{\n}\n"),
           KG_EXPORT_INT);
    EQ_INT(of("int g = 1; int check(int (*f)(int), int a[]) __attribute__((cold)) {}"),
           KG_EXPORT_INT);
    EQ_INT(of("inline int check(void) {}"), KG_EXPORT_INT);
    EQ_INT(of("void check(int n) {}"), KG_EXPORT_VOID);
    EQ_INT(of("static int check(int n) {}"), KG_EXPORT_STATIC);
    EQ_INT(of("int static check(int n) {}"), KG_EXPORT_STATIC);
    EQ_INT(of("static int a; int check(int n) {}"), KG_EXPORT_INT);
    EQ_INT(of("static int a(void) {} int check(int n) {}"), KG_EXPORT_INT);
    EQ_INT(of("static int check(int n); int check2(int n) {}"), KG_EXPORT_NONE);
    EQ_INT(of("long check(int n) {}"), KG_EXPORT_OTHER);
    EQ_INT(of("int *check(int n) {}"), KG_EXPORT_OTHER);
    EQ_INT(of("unsigned int check(int n) {}"), KG_EXPORT_OTHER);
}

static void no_definitions(void)
{
    static const char *const none[] = {
        "",
        "check",
        "int check",
        "int check(int n);",
        "int f(void) { return check(1) ? 2 : 3; }",
        "int f(void) { int check(void); { check(); } return 0; }",
        "// int check(int n) {}\n",
        "// a \\\n int check(int n) {}\n",
        "/* int check(int n) {} */",
        "/* never closed: int check(int n) {}",
        "#define int check(int n) {}\n",
        "#define F \\\n int check(int n) {}\n",
        "const char *s = \"int check(int n) {}\";",
        "const char *s = \"\\\"; int check(int n) {}\";",
        "char c = '\"'; const char *s = \"int check(int n) {}\";",
        "int recheck(int n) {} int check_all(int n) {}",
        "struct check { int n; };",
        "enum { check };",
        "int a[] = {1}; int check = 2; int f(int check) { return 0; }",
        "int (*p)(int) = check; int g(void) {}",
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        tap_result(of(none[i]) == KG_EXPORT_NONE, __FILE__, __LINE__, none[i]);
}

/* Three arrays; initialisers of the first two, cases, and the reference's text. */
#define TASK(a, b, cases, reference)                                                               \
    "{'task_id': 't', 'axes': {'n': 4, 'm': 3}, 'args': [\n"                                       \
    " {'name': 'a', 'dtype': 'int32', 'shape': ['n'], 'init': " a "},\n"                           \
    " {'name': 'o', 'dtype': 'float32', 'shape': ['n'], 'role': 'out'},\n"                         \
    " {'name': 'b', 'dtype': 'float32', 'shape': ['n'], 'init': " b ", 'role': 'inout'},\n"        \
    " {'name': 'n', 'dtype': 'int32'}],\n"                                                         \
    " 'cases': [" cases "],\n"                                                                     \
    " 'reference': '" reference "'}"

static void together(void)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_task *t =
        task_of(TASK("'pair'", "'pair'", "{'n': 2}, {'a': 'other', 'b': 'single'}",
                     "void init_pair() {} void init_other() {} void init_single() {}"),
                &err);
    OK(t);
    if (!t) {
        printf("# %s\n", err.text);
        return;
    }
    EQ_INT(t->n_makers, 3);
    int pair = kg_task_maker(t, &t->args[0].init);
    OK(pair >= 0 && pair == kg_task_maker(t, &t->args[2].init));
    EQ_STR(t->makers[pair].name, "pair");
    EQ_INT(t->makers[pair].n, 2);
    EQ_INT(t->makers[pair].arg[0], 0);
    EQ_INT(t->makers[pair].arg[1], 2);
    int other = kg_task_maker(t, t->cases[1].inits[0]);
    OK(other >= 0 && other != pair);
    EQ_INT(t->makers[other].n, 1);
    EQ_INT(kg_task_maker(t, NULL), -1);
    OK(!t->checked);
    EQ_INT(t->ref_axes, 4); /* no outputs again: nobody checks them */
    EQ_INT(t->ref_seed, 5);
    EQ_INT(t->n_ref_args, 6);
    kg_task_free(t);
}

static void checked(void)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_task *t = task_of(TASK("1", "'randn'", "", "int check() { return 0; }"), &err);
    OK(t && t->checked);
    if (t) {
        EQ_INT(t->n_makers, 0);
        EQ_INT(t->ref_got, 4);
        EQ_INT(t->n_ref_args, 6); /* o and b */
        struct kg_init randn = {.kind = KG_INIT_RANDN};
        EQ_INT(kg_task_maker(t, &randn), -1);
    }
    kg_task_free(t);
    t = task_of(TASK("'all'", "'all'", "", "int check() {} void init_all() {}"), &err);
    OK(t);
    if (t) {
        EQ_INT(t->ref_axes, 6);
        EQ_INT(t->ref_seed, 7);
        EQ_INT(t->n_ref_args, 8);
    }
    kg_task_free(t);
    t = task_of(TASK("1", "2", "", "static int check() { return 0; }"), &err);
    OK(t && !t->checked);
    kg_task_free(t);
}

static void bad(const char *text, const char *want, size_t line)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_task *t = task_of(text, &err);
    OK(t == NULL);
    tap_result(strstr(err.text, want) != NULL, __FILE__, __LINE__, want);
    if (!strstr(err.text, want))
        printf("# %s\n", err.text);
    EQ_INT(err.line, line);
    kg_task_free(t);
}

static void errors(void)
{
    bad(TASK("1", "2", "", "void check() {}"), "'check' of the reference must return int", 7);
    bad(TASK("1", "2", "", "long check() {}"), "must return int", 7);
    bad(TASK("'pair'", "'pair'", "{'n': 2},\n {'b': 'randn'}", "void init_pair() {}"),
        "init_pair makes 'a' and 'b' together: here only 'a' is initialised so", 7);
    bad(TASK("1", "2", "{'a': 'pair', 'b': 'pair'}, {'b': 'pair'}", "void init_pair() {}"),
        "here only 'b'", 6);
    bad(TASK("'pair'", "2", "{'b': 'pair', 'a': 1}", "void init_pair() {}"), "here only 'a'", 1);
    bad(TASK("'mine'", "2", "", "int init_mine() {}"), "'init_mine', but it does not return void",
        2);
    bad(TASK("'mine'", "2", "", "static void init_mine() {}"), "'init_mine', but it is static", 2);
    bad(TASK("'zigzag'", "2", "", "void init_zigzag(); /* void init_zigzag() {} */"),
        "the reference has no 'init_zigzag'", 2);
    bad(TASK("'mine(3)'", "2", "", "void init_mine() {}"), "initialiser 'mine' takes no numbers",
        2);
    bad(TASK("1", "2", "{'n': 2, 'm': 3}, {'n': 'mine'}", "void init_mine() {}"), "axis 'n'", 6);
    bad("{'task_id': 't', 'axes': {'n': 4}, 'args': [\n"
        " {'name': 'a', 'dtype': 'int32', 'shape': ['n'], 'role': 'out'},\n"
        " {'name': 's', 'dtype': 'int32', 'init': 'mine'}],\n"
        " 'reference': 'void init_mine() {}'}",
        "'s' is a scalar, and init_mine makes arrays", 3);
}

/* A name of 51 bytes still fits an entry's, and so do 14 functions. */
static void limits(void)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_buf text = KG_BUF_INIT;
    char name[53];
    memset(name, 'x', sizeof name);
    for (int n = 51; n <= 52; n++) {
        name[n] = 0;
        kg_buf_reset(&text);
        kg_buf_addf(&text, TASK("'%s'", "2", "", "void init_%s() {}"), name, name);
        struct kg_task *t = task_of(kg_buf_str(&text), &err);
        OK(!t == (n == 52));
        kg_task_free(t);
        name[n] = 'x';
    }
    HAS(err.text, "has over 51 bytes");
    for (int n = 14; n <= 15; n++) {
        kg_error_clear(&err);
        kg_buf_reset(&text);
        kg_buf_adds(&text, "{'task_id': 't', 'axes': {'n': 4}, 'args': [");
        for (int i = 0; i < n; i++)
            kg_buf_addf(&text, "{'name': 'a%d', 'dtype': 'int8', 'shape': [1], 'init': 'f%d'}, ", i,
                        i);
        kg_buf_adds(&text,
                    "{'name': 'o', 'dtype': 'int8', 'shape': [1], 'role': 'out'}], 'reference': '");
        for (int i = 0; i < n; i++)
            kg_buf_addf(&text, "void init_f%d() {} ", i);
        kg_buf_adds(&text, "'}");
        struct kg_task *t = task_of(kg_buf_str(&text), &err);
        OK(!t == (n == 15));
        kg_task_free(t);
    }
    HAS(err.text, "over 14 functions init_NAME");
    kg_error_clear(&err);
    kg_buf_reset(&text);
    kg_buf_adds(&text, "{'task_id': 't', 'axes': {'n': 4}, 'args': [");
    for (int i = 0; i < 40; i++)
        kg_buf_addf(&text, "{'name': 'o%d', 'dtype': 'int8', 'shape': [1], 'role': 'out'}, ", i);
    kg_buf_adds(&text, "], 'reference': 'int check() {}'}");
    OK(!task_of(kg_buf_str(&text), &err));
    HAS(err.text,
        "80 arguments, with those that init_NAME and check get beside them; the limit is 64");
    kg_buf_release(&text);
}

int main(void)
{
    definitions();
    no_definitions();
    together();
    checked();
    errors();
    limits();
    return tap_done();
}
