#include "task/expr.h"
#include "base/num.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define MAX_DEPTH 64
#define MAX_TEXT  1024

enum op {
    OP_CONST,
    OP_AXIS,
    OP_NEG,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_CEIL,
    OP_MIN,
    OP_MAX
};

struct node {
    enum op op;
    int64_t value; /* CONST: the number; AXIS: its index */
    const struct node *a, *b;
};

struct kg_expr {
    const char *text;
    const struct node *root;
};

struct parser {
    const char *text, *at;
    const char *const *axis;
    size_t n_axes;
    struct kg_arena *arena;
    struct kg_error *err;
    int depth;
};

static const struct node *parse_sum(struct parser *p);

static void *fail(struct parser *p, const char *at, const char *what)
{
    kg_error_at(p->err, KG_E_INPUT, NULL, 0, (size_t)(at - p->text) + 1, "%s in expression '%s'",
                what, p->text);
    return NULL;
}

static void skip_space(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool take(struct parser *p, char c)
{
    skip_space(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static const struct node *make(struct parser *p, enum op op, const struct node *a,
                               const struct node *b, int64_t value)
{
    if (op != OP_CONST && op != OP_AXIS && (!a || (op != OP_NEG && !b)))
        return NULL;
    struct node *n = kg_arena_alloc(p->arena, sizeof *n);
    *n = (struct node){op, value, a, b};
    return n;
}

static const struct node *parse_number(struct parser *p)
{
    const char *from = p->at;
    char digits[24];
    size_t n = 0;
    while (isalnum((unsigned char)*p->at) || *p->at == '.') {
        if (n + 1 < sizeof digits)
            digits[n++] = *p->at;
        p->at++;
    }
    digits[n] = 0;
    int64_t v;
    if (kg_num_int(digits, 0, INT64_MAX, &v, NULL))
        return fail(p, from, "not a whole number");
    return make(p, OP_CONST, NULL, NULL, v);
}

static const struct node *parse_call(struct parser *p, enum op op)
{
    const struct node *a = parse_sum(p);
    if (!a)
        return NULL;
    if (!take(p, ','))
        return fail(p, p->at, "',' missing");
    const struct node *b = parse_sum(p);
    if (b && !take(p, ')'))
        return fail(p, p->at, "')' missing");
    return make(p, op, a, b, 0);
}

static const struct node *parse_name(struct parser *p)
{
    static const char *const functions[] = {"ceil_div", "min", "max"};
    const char *from = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    size_t n = (size_t)(p->at - from);
    for (size_t i = 0; i < p->n_axes; i++)
        if (strlen(p->axis[i]) == n && !memcmp(p->axis[i], from, n))
            return make(p, OP_AXIS, NULL, NULL, (int64_t)i);
    for (size_t i = 0; i < 3; i++)
        if (strlen(functions[i]) == n && !memcmp(functions[i], from, n)) {
            if (!take(p, '('))
                return fail(p, p->at, "'(' missing");
            return parse_call(p, (enum op)(OP_CEIL + i));
        }
    kg_error_at(p->err, KG_E_INPUT, NULL, 0, (size_t)(from - p->text) + 1,
                "unknown axis '%.*s' in expression '%s'", (int)(n < 64 ? n : 64), from, p->text);
    return NULL;
}

static const struct node *parse_factor(struct parser *p)
{
    if (p->depth >= MAX_DEPTH)
        return fail(p, p->at, "too deeply nested");
    p->depth++;
    const struct node *n;
    skip_space(p);
    if (take(p, '-')) {
        n = make(p, OP_NEG, parse_factor(p), NULL, 0);
    } else if (take(p, '(')) {
        n = parse_sum(p);
        if (n && !take(p, ')'))
            n = fail(p, p->at, "')' missing");
    } else if (isdigit((unsigned char)*p->at)) {
        n = parse_number(p);
    } else if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        n = parse_name(p);
    } else {
        n = fail(p, p->at, *p->at ? "number, axis or '(' expected" : "unexpected end");
    }
    p->depth--;
    return n;
}

static const struct node *parse_product(struct parser *p)
{
    const struct node *n = parse_factor(p);
    while (n) {
        if (take(p, '*'))
            n = make(p, OP_MUL, n, parse_factor(p), 0);
        else if (take(p, '/'))
            n = make(p, OP_DIV, n, parse_factor(p), 0);
        else if (take(p, '%'))
            n = make(p, OP_MOD, n, parse_factor(p), 0);
        else
            break;
    }
    return n;
}

static const struct node *parse_sum(struct parser *p)
{
    const struct node *n = parse_product(p);
    while (n) {
        if (take(p, '+'))
            n = make(p, OP_ADD, n, parse_product(p), 0);
        else if (take(p, '-'))
            n = make(p, OP_SUB, n, parse_product(p), 0);
        else
            break;
    }
    return n;
}

struct kg_expr *kg_expr_parse(const char *text, const char *const *axis, size_t n,
                              struct kg_arena *a, struct kg_error *err)
{
    if (strlen(text) > MAX_TEXT) {
        kg_error_at(err, KG_E_LIMIT, NULL, 0, 0, "an expression of over %d bytes", MAX_TEXT);
        return NULL;
    }
    struct parser p = {.axis = axis, .n_axes = n, .arena = a, .err = err};
    p.text = p.at = kg_arena_strdup(a, text);
    const struct node *root = parse_sum(&p);
    skip_space(&p);
    if (root && *p.at)
        root = fail(&p, p.at, "operator expected");
    if (!root)
        return NULL;
    struct kg_expr *e = kg_arena_alloc(a, sizeof *e);
    e->text = p.text;
    e->root = root;
    return e;
}

/* / and % that round towards minus infinity; the caller has excluded b = 0 and overflow. */
static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool apply(enum op op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case OP_NEG:
        return !__builtin_sub_overflow((int64_t)0, a, out);
    case OP_ADD:
        return !__builtin_add_overflow(a, b, out);
    case OP_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case OP_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case OP_MIN:
        *out = a < b ? a : b;
        return true;
    case OP_MAX:
        *out = a > b ? a : b;
        return true;
    default:
        break;
    }
    if (a == INT64_MIN && b == -1)
        return false;
    if (op == OP_DIV)
        *out = floor_div(a, b);
    else if (op == OP_MOD)
        *out = a - floor_div(a, b) * b;
    else /* ceil_div */
        *out = floor_div(a, b) + (a % b != 0);
    return true;
}

static int eval(const struct node *n, const int64_t *axes, const char *text, int64_t *out,
                struct kg_error *err)
{
    if (n->op == OP_CONST || n->op == OP_AXIS) {
        *out = n->op == OP_CONST ? n->value : axes[n->value];
        return 0;
    }
    int64_t a = 0, b = 0;
    if (eval(n->a, axes, text, &a, err) || (n->b && eval(n->b, axes, text, &b, err)))
        return -1;
    if (b == 0 && (n->op == OP_DIV || n->op == OP_MOD || n->op == OP_CEIL))
        return kg_error_set(err, KG_E_INPUT, "division by zero in expression '%s'", text);
    if (!apply(n->op, a, b, out))
        return kg_error_set(err, KG_E_INPUT, "overflow in expression '%s'", text);
    return 0;
}

int kg_expr_eval(const struct kg_expr *e, const int64_t *axes, int64_t *out, struct kg_error *err)
{
    return eval(e->root, axes, e->text, out, err);
}

const char *kg_expr_text(const struct kg_expr *e)
{
    return e->text;
}
