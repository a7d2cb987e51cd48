#include "task/task.h"
#include "base/jsonout.h"
#include "task/build.h"

#include <string.h>

static void put_axes(struct kg_jsonout *j, const struct kg_task *t, const int64_t *axes)
{
    for (size_t i = 0; i < t->n_axes; i++)
        kg_jsonout_kv_int(j, t->axis[i], axes[i]);
}

static void put_init(struct kg_jsonout *j, const char *key, const struct kg_init *init)
{
    struct kg_buf text = KG_BUF_INIT;
    kg_task_init_text(init, &text);
    kg_jsonout_key(j, key);
    if (init->kind == KG_INIT_VALUE)
        kg_jsonout_num(j, init->a);
    else
        kg_jsonout_strn(j, kg_buf_str(&text), text.len);
    kg_buf_release(&text);
}

static void put_expr(struct kg_jsonout *j, const char *key, const struct kg_expr *e)
{
    if (e)
        kg_jsonout_kv_str(j, key, kg_expr_text(e));
}

static void put_exprs(struct kg_jsonout *j, const char *key, const struct kg_expr *const *e,
                      size_t n)
{
    kg_jsonout_key(j, key);
    kg_jsonout_array(j);
    for (size_t i = 0; i < n && e[i]; i++)
        kg_jsonout_str(j, kg_expr_text(e[i]));
    kg_jsonout_end(j);
}

static void put_cases(struct kg_jsonout *j, const struct kg_task *t)
{
    kg_jsonout_key(j, "cases");
    kg_jsonout_array(j);
    for (size_t i = 0; i < t->n_cases; i++) {
        kg_jsonout_object(j);
        put_axes(j, t, t->cases[i].axes);
        for (size_t k = 0; k < t->n_args; k++)
            if (t->cases[i].inits[k])
                put_init(j, t->args[k].name, t->cases[i].inits[k]);
        kg_jsonout_end(j);
    }
    kg_jsonout_end(j);
}

static void put_arg(struct kg_jsonout *j, const struct kg_arg *a)
{
    static const char *const roles[] = {"in", "out", "inout"};
    kg_jsonout_object(j);
    kg_jsonout_kv_str(j, "name", a->name);
    kg_jsonout_kv_str(j, "dtype", kg_dtype_name(a->dtype));
    if (a->scalar) {
        if (a->has_init)
            put_init(j, "init", &a->init);
        else if (a->expr)
            put_expr(j, "expr", a->expr);
        else
            kg_jsonout_kv_num(j, "value", a->value);
    } else {
        put_exprs(j, "shape", a->shape, a->rank);
        kg_jsonout_kv_str(j, "role", roles[a->role]);
        if (a->role != KG_ROLE_OUT)
            put_init(j, "init", &a->init);
    }
    kg_jsonout_end(j);
}

static void put_entry(struct kg_jsonout *j, const struct kg_task *t)
{
    kg_jsonout_kv_str(j, t->bare ? "kernel" : "entry", t->entry);
    if (!t->bare)
        return;
    kg_jsonout_key(j, "launch");
    kg_jsonout_object(j);
    put_exprs(j, "grid", t->grid, 3);
    put_exprs(j, "block", t->block, 3);
    put_expr(j, "shared", t->shared);
    kg_jsonout_end(j);
}

static void put_rest(struct kg_jsonout *j, const struct kg_task *t)
{
    put_expr(j, "reduction", t->reduction);
    if (!t->tolerance_auto) {
        kg_jsonout_key(j, "tolerance");
        kg_jsonout_object(j);
        kg_jsonout_kv_num(j, "rtol", t->rtol);
        kg_jsonout_kv_num(j, "atol", t->atol);
        kg_jsonout_end(j);
    }
    kg_jsonout_kv_str(j, "precision", kg_precision_name(t->precision));
    put_expr(j, "min_read", t->min_read);
    if (t->count_array) {
        kg_jsonout_key(j, "count");
        kg_jsonout_object(j);
        kg_jsonout_kv_str(j, "array", t->count_array);
        kg_jsonout_kv_str(j, "from", t->count_from);
        kg_jsonout_end(j);
    }
    kg_jsonout_key(j, "link");
    kg_jsonout_array(j);
    for (size_t i = 0; t->link[i]; i++)
        kg_jsonout_str(j, t->link[i]);
    kg_jsonout_end(j);
    if (t->library_floor > 0)
        kg_jsonout_kv_num(j, "custom_floor", t->library_floor);
}

void kg_task_json(const struct kg_task *t, struct kg_buf *out)
{
    struct kg_jsonout j;
    kg_jsonout_init(&j, out);
    kg_jsonout_object(&j);
    kg_jsonout_kv_str(&j, "task_id", t->task_id);
    if (t->about)
        kg_jsonout_kv_str(&j, "about", t->about);
    kg_jsonout_key(&j, "axes");
    kg_jsonout_object(&j);
    put_axes(&j, t, t->timed.axes);
    kg_jsonout_end(&j);
    kg_jsonout_key(&j, "host_axes");
    kg_jsonout_object(&j);
    put_axes(&j, t, t->timed_host.axes);
    kg_jsonout_end(&j);
    put_cases(&j, t);
    kg_jsonout_key(&j, "args");
    kg_jsonout_array(&j);
    for (size_t i = 0; i < t->n_args; i++)
        put_arg(&j, &t->args[i]);
    kg_jsonout_end(&j);
    put_entry(&j, t);
    kg_jsonout_kv_str(&j, "reference", t->reference);
    if (t->baseline)
        kg_jsonout_kv_str(&j, "baseline", t->baseline);
    put_rest(&j, t);
    kg_jsonout_end(&j);
}
