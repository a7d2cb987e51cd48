#include "tap.h"

#include <stdlib.h>

#include "task/expr.h"

static const char *const axes[] = {"rows", "cols", "k1"};
static const int64_t sizes[] = {7, 33, INT64_MAX};

static int64_t value(const char *text)
{
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_error err = KG_ERROR_INIT;
    int64_t v = -999;
    struct kg_expr *e = kg_expr_parse(text, axes, 3, &a, &err);
    if (!e || kg_expr_eval(e, sizes, &v, &err))
        printf("# %s\n", err.text);
    kg_arena_release(&a);
    return v;
}

/* The error of a text that does not parse, or does not evaluate. */
static const char *error_of(const char *text, size_t *col)
{
    static struct kg_error err;
    struct kg_arena a = KG_ARENA_INIT;
    int64_t v;
    err = (struct kg_error)KG_ERROR_INIT;
    struct kg_expr *e = kg_expr_parse(text, axes, 3, &a, &err);
    if (e)
        kg_expr_eval(e, sizes, &v, &err);
    kg_arena_release(&a);
    if (col)
        *col = err.col;
    return err.text;
}

int main(void)
{
    EQ_INT(value("4*cols"), 132);
    EQ_INT(value(" rows + cols * 2 - 1 "), 72);
    EQ_INT(value("(rows + cols) * 2"), 80);
    EQ_INT(value("10 - 4 - 3"), 3);
    EQ_INT(value("100 / 7 / 2"), 7);
    EQ_INT(value("-7 / 2"), -4);
    EQ_INT(value("-7 % 2"), 1);
    EQ_INT(value("7 / -2"), -4);
    EQ_INT(value("7 % -2"), -1);
    EQ_INT(value("-8 / 2"), -4);
    EQ_INT(value("ceil_div(cols, 8)"), 5);
    EQ_INT(value("ceil_div(32, 8)"), 4);
    EQ_INT(value("ceil_div(-7, 2)"), -3);
    EQ_INT(value("min(rows, max(3, 5))"), 5);
    EQ_INT(value("--rows"), 7);
    EQ_INT(value("k1"), INT64_MAX);
    EQ_INT(value("-k1 - 1"), INT64_MIN);
    EQ_INT(value("9223372036854775807"), INT64_MAX);

    size_t col;
    HAS(error_of("k1 + 1", NULL), "overflow");
    HAS(error_of("k1 * 2", NULL), "overflow");
    HAS(error_of("-(-k1 - 1)", NULL), "overflow");
    HAS(error_of("(-k1 - 1) / -1", NULL), "overflow");
    HAS(error_of("(-k1 - 1) % -1", NULL), "overflow");
    HAS(error_of("rows / (rows - 7)", NULL), "division by zero");
    HAS(error_of("ceil_div(1, 0)", NULL), "division by zero");
    HAS(error_of("4*rosw", &col), "unknown axis 'rosw'");
    EQ_INT(col, 3);
    HAS(error_of("", &col), "unexpected end");
    HAS(error_of("rows +", &col), "unexpected end");
    HAS(error_of("rows cols", &col), "operator expected");
    EQ_INT(col, 6);
    HAS(error_of("(rows", NULL), "')' missing");
    HAS(error_of("min(rows)", NULL), "',' missing");
    HAS(error_of("min rows", NULL), "'(' missing");
    HAS(error_of("12x", NULL), "not a whole number");
    HAS(error_of("1.5", NULL), "not a whole number");
    HAS(error_of("9223372036854775808", NULL), "not a whole number");
    HAS(error_of("rows;", NULL), "operator expected");
    char deep[300] = "";
    memset(deep, '(', 200);
    HAS(error_of(deep, NULL), "too deeply nested");
    char *wide = calloc(1, 5000);
    memset(wide, '1', 4999);
    HAS(error_of(wide, NULL), "over 1024 bytes");
    free(wide);
    return tap_done();
}
