#include "record/yaml.h"
#include "tap.h"

static struct kg_arena a;
static struct kg_error err;

static const struct kg_value *load(const char *text)
{
    kg_error_clear(&err);
    return kg_yaml_text(text, strlen(text), "t.yaml", &a, &err);
}

static void refused(const char *text, size_t line, size_t col, const char *why)
{
    OK(!load(text));
    EQ_INT(err.code, KG_E_INPUT);
    EQ_INT(err.line, line);
    EQ_INT(err.col, col);
    OK(strstr(err.text, why));
    if (!strstr(err.text, why))
        printf("# got '%s'\n", err.text);
}

static void test_scalars(void)
{
    const struct kg_value *v =
        load("i: 4096\nf: -1e-5\nbig: 123456789012345678901\ns: 4*cols\nq: \"7\"\nq2: 'it''s'\n"
             "t: true\nn: null\ne:\ny: yes\ntilde: ~\nhex: 0x10\nlead: 007\nblock: |\n  a\n   b\n"
             "inf: .inf\n");
    OK(v);
    NEAR(kg_value_num(kg_value_get(v, "i"), 0), 4096, 0);
    NEAR(kg_value_num(kg_value_get(v, "f"), 0), -1e-5, 0);
    EQ_STR(kg_value_get(v, "big")->text, "123456789012345678901");
    EQ_STR(kg_value_str(kg_value_get(v, "s"), ""), "4*cols");
    EQ_STR(kg_value_str(kg_value_get(v, "q"), ""), "7");
    EQ_STR(kg_value_str(kg_value_get(v, "q2"), ""), "it's");
    OK(kg_value_bool(kg_value_get(v, "t"), false));
    OK(kg_value_is(kg_value_get(v, "n"), KG_VALUE_NULL));
    OK(kg_value_is(kg_value_get(v, "e"), KG_VALUE_NULL));
    EQ_STR(kg_value_str(kg_value_get(v, "y"), ""), "yes");
    EQ_STR(kg_value_str(kg_value_get(v, "tilde"), ""), "~");
    EQ_STR(kg_value_str(kg_value_get(v, "hex"), ""), "0x10");
    EQ_STR(kg_value_str(kg_value_get(v, "lead"), ""), "007");
    EQ_STR(kg_value_str(kg_value_get(v, "block"), ""), "a\n b\n");
    EQ_STR(kg_value_str(kg_value_get(v, "inf"), ""), ".inf");
    EQ_INT(kg_value_get(v, "f")->line, 2);
    EQ_INT(kg_value_get(v, "f")->col, 4);
}

static void test_nesting(void)
{
    const struct kg_value *v = load("args:\n  - {name: x, shape: [rows, 3]}\n  - name: y\n");
    const struct kg_value *args = kg_value_get(v, "args");
    EQ_INT(args->len, 2);
    EQ_STR(kg_value_str(kg_value_get(args->items[1], "name"), ""), "y");
    EQ_INT(kg_value_get(args->items[0], "shape")->len, 2);
    EQ_INT(args->items[1]->line, 3);
    EQ_INT(load("- 1\n- [2, 3]\n")->len, 2);
}

static void test_errors(void)
{
    refused("a: 1\nb: 2\na: 3\n", 3, 1, "duplicate key 'a'");
    refused("a: &x 1\n", 1, 4, "anchors and tags");
    refused("a: !!int 1\n", 1, 4, "anchors and tags");
    refused("b: *x\n", 1, 4, "aliases are not allowed");
    refused("a: [1, 2\nb: 3\n", 2, 2, "expected ',' or ']'");
    refused("a: 1\n---\nb: 2\n", 2, 1, "second document");
    refused("[a]: 1\n", 1, 1, "a key must be");
    OK(!load(""));
    HAS(err.text, "empty");
    OK(!kg_yaml_file("/nonexistent/x.yaml", &a, &err));
    char deep[600];
    memset(deep, '[', 300);
    memset(deep + 300, ']', 300);
    deep[599] = 0;
    OK(!load(deep));
    HAS(err.text, "nested too deeply");
}

int main(void)
{
    test_scalars();
    test_nesting();
    test_errors();
    kg_arena_release(&a);
    return tap_done();
}
