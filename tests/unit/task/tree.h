/*
 * A document tree from a short text, with lines and columns, for tests that link nothing of record:
 * JSON, but ' may stand for ", so that it reads well inside C.
 */
#ifndef KG_TESTS_TASK_TREE_H
#define KG_TESTS_TASK_TREE_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/value.h"
#include "task/task.h"

struct tree {
    const char *at, *line_start;
    unsigned line;
    struct kg_arena *a;
};

static inline void tree_space(struct tree *t)
{
    for (; isspace((unsigned char)*t->at); t->at++)
        if (*t->at == '\n') {
            t->line++;
            t->line_start = t->at + 1;
        }
}

static inline char *tree_string(struct tree *t)
{
    char quote = *t->at++;
    struct kg_buf b = KG_BUF_INIT;
    for (; *t->at && *t->at != quote; t->at++) {
        if (*t->at == '\\' && t->at[1]) {
            t->at++;
            kg_buf_addc(&b, *t->at == 'n' ? '\n' : *t->at);
        } else {
            kg_buf_addc(&b, *t->at);
        }
    }
    t->at += *t->at != 0;
    char *s = kg_arena_strdup(t->a, kg_buf_str(&b));
    kg_buf_release(&b);
    return s;
}

static inline struct kg_value *tree_value(struct tree *t)
{
    tree_space(t);
    unsigned line = t->line, col = (unsigned)(t->at - t->line_start) + 1;
    struct kg_value *v;
    if (*t->at == '{' || *t->at == '[') {
        bool object = *t->at++ == '{';
        v = kg_value_new(t->a, object ? KG_VALUE_OBJECT : KG_VALUE_ARRAY);
        for (tree_space(t); *t->at && *t->at != '}' && *t->at != ']'; tree_space(t)) {
            char *key = NULL;
            if (object) {
                key = tree_string(t);
                tree_space(t);
                t->at++; /* : */
            }
            struct kg_value *item = tree_value(t);
            if (object)
                kg_value_put(t->a, v, key, item);
            else
                kg_value_push(t->a, v, item);
            tree_space(t);
            t->at += *t->at == ',';
        }
        t->at += *t->at != 0;
    } else if (*t->at == '"' || *t->at == '\'') {
        char *s = tree_string(t);
        v = kg_value_new_str(t->a, s, strlen(s));
    } else if (isalpha((unsigned char)*t->at)) {
        v = *t->at == 'n' ? kg_value_new(t->a, KG_VALUE_NULL)
                          : kg_value_new_bool(t->a, *t->at == 't');
        t->at += strcspn(t->at, ",]} \n");
    } else {
        size_t n = strcspn(t->at, ",]} \n");
        v = kg_value_new(t->a, KG_VALUE_NUMBER);
        v->text = kg_arena_strndup(t->a, t->at, n);
        v->len = n;
        v->number = strtod(v->text, NULL);
        t->at += n;
    }
    v->line = line;
    v->col = col;
    return v;
}

static inline struct kg_value *tree_of(const char *text, struct kg_arena *a)
{
    struct tree t = {text, text, 1, a};
    return tree_value(&t);
}

/* The task of a text; err as kg_task_new sets it. */
static inline struct kg_task *task_of(const char *text, struct kg_error *err)
{
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_task *t = kg_task_new(tree_of(text, &a), NULL, "t.yaml", err);
    kg_arena_release(&a);
    return t;
}

#endif
