/*
 * Integer expressions over axes: + - * / % ( ) ceil_div(a,b) min(a,b) max(a,b), 64-bit, checked for
 * overflow and division by zero; / rounds towards minus infinity.
 */
#ifndef KG_TASK_EXPR_H
#define KG_TASK_EXPR_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

struct kg_expr;

/* Names in the text must be among axis[0..n). NULL with err (col counts from 1 in the text). */
struct kg_expr *kg_expr_parse(const char *text, const char *const *axis, size_t n,
                              struct kg_arena *a, struct kg_error *err);
int kg_expr_eval(const struct kg_expr *e, const int64_t *axes, int64_t *out, struct kg_error *err);
/* The text that it was made from. */
const char *kg_expr_text(const struct kg_expr *e);

#endif
