#include "rl/feedback_record.h"

#include "base/fs.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEMPLATE_MAX = 64 << 10 };

static void lower(char *out, size_t n, const char *s, const char *end)
{
    snprintf(out, n, "%s%s.txt", s, end);
    for (; *out; out++)
        *out = (char)tolower((unsigned char)*out);
}

/* 1: read, 0: no such file, -1: err */
static int read_template(const char *dir, const char *name, char **text, struct kg_error *err)
{
    struct kg_buf b;
    char *path = kg_fs_join(dir, name);
    int rc = 0;
    kg_buf_init(&b, TEMPLATE_MAX);
    if (kg_fs_exists(path)) {
        rc = kg_fs_read(path, &b, err);
        if (!rc) {
            kg_buf_addc(&b, '\0');
            rc = kg_feedback_check(b.data, path, err);
        }
        if (!rc) {
            *text = kg_buf_take(&b);
            rc = 1;
        }
    }
    kg_buf_release(&b);
    free(path);
    return rc;
}

static int load_verdict(struct kg_feedback_set *s, enum kg_verdict v, const char *dir, bool given,
                        bool named, struct kg_error *err)
{
    const char *stems[] = {kg_verdict_name(v), kg_verdict_class_name(kg_verdict_class(v))};
    for (int with = named; with >= 0; with--) {
        for (int i = 0; i < 2; i++) {
            char name[80];
            lower(name, sizeof name, stems[i], with ? "_named" : "");
            int rc = read_template(dir, name, &s->text[v], err);
            if (rc)
                return rc < 0 ? -1 : 0;
        }
    }
    return kg_error_set(err, given ? KG_E_INPUT : KG_E_MISSING,
                        "no feedback template for %s in '%s'", kg_verdict_name(v), dir);
}

int kg_feedback_set_load(struct kg_feedback_set *s, const char *dir, const struct kg_policy *p,
                         struct kg_error *err)
{
    char *share = dir ? NULL : kg_fs_share("feedback", err);
    int rc = 0;
    memset(s, 0, sizeof *s);
    if (!dir && !share)
        return -1;
    s->opts =
        (struct kg_feedback_opts){p->feedback.kernels, p->feedback.errors, p->feedback.max_chars};
    for (int v = 0; v < KG_VERDICT_COUNT && !rc; v++)
        rc = load_verdict(s, (enum kg_verdict)v, dir ? dir : share, dir != NULL,
                          p->feedback.hack == KG_HACK_NAMED, err);
    free(share);
    if (rc)
        kg_feedback_set_release(s);
    return rc;
}

void kg_feedback_set_release(struct kg_feedback_set *s)
{
    for (int v = 0; v < KG_VERDICT_COUNT; v++)
        free(s->text[v]);
    memset(s, 0, sizeof *s);
}

/* A value as plain text in the record's arena: strings as they are, the rest as JSON. */
static const char *plain(struct kg_record *r, const struct kg_value *v)
{
    struct kg_buf b = KG_BUF_INIT;
    if (!v || v->type == KG_VALUE_NULL)
        return NULL;
    if (v->type == KG_VALUE_STRING)
        return v->text;
    kg_value_json(v, &b);
    char *s = kg_arena_strndup(&r->arena, kg_buf_str(&b), b.len);
    kg_buf_release(&b);
    return s;
}

static void read_log(struct kg_record *r, struct kg_feedback_in *in)
{
    const struct kg_value *log = kg_value_get(kg_record_get(r, "compile"), "log");
    if (!log || log->type != KG_VALUE_STRING || !log->len)
        log = kg_record_get(r, "error_message");
    if (kg_value_is(log, KG_VALUE_STRING)) {
        in->log = log->text;
        in->log_len = log->len;
    }
}

/* JSON has no NaN: the judge writes null where an element is not finite. */
static const char *element(struct kg_record *r, const struct kg_value *v)
{
    return kg_value_is(v, KG_VALUE_NULL) ? "NaN or infinity" : plain(r, v);
}

static void read_worst(struct kg_record *r, struct kg_feedback_in *in)
{
    const struct kg_value *worst = kg_value_get(kg_record_get(r, "verify"), "worst");
    in->output = plain(r, kg_value_get(worst, "output"));
    in->index = plain(r, kg_value_get(worst, "index"));
    in->got = element(r, kg_value_get(worst, "got"));
    in->want = element(r, kg_value_get(worst, "want"));
}

static void read_kernels(struct kg_record *r, const struct kg_value *profile,
                         struct kg_feedback_in *in)
{
    const struct kg_value *list = kg_value_get(profile, "kernels");
    if (!kg_value_is(list, KG_VALUE_ARRAY) || !list->len)
        return;
    in->kernels = kg_arena_array(&r->arena, list->len, sizeof *in->kernels);
    for (size_t i = 0; i < list->len; i++) {
        const struct kg_value *k = list->items[i];
        in->kernels[in->n_kernels++] = (struct kg_feedback_kernel){
            kg_value_str(kg_value_get(k, "name"), NULL),
            kg_value_str(kg_value_get(k, "class"), NULL),
            kg_value_num(kg_value_get(k, "device_us"), NAN),
            kg_value_num(kg_value_get(k, "share"), NAN),
        };
    }
}

void kg_feedback_record(const struct kg_feedback_set *s, struct kg_record *r,
                        const struct kg_result *res, struct kg_buf *out)
{
    struct kg_feedback_in in = {.speedup = NAN, .speedup_lo = NAN, .speedup_hi = NAN};
    in.verdict = kg_result_verdict(r, res);
    in.coverage = KG_COVERAGE_UNKNOWN;
    enum kg_verdict_class c = kg_verdict_class(in.verdict);
    // the log is the compiler's only where the compiler had the last word; elsewhere a message may
    // hold what must not be said
    if (in.verdict == KG_COMPILE_ERROR || in.verdict == KG_LOAD_ERROR)
        read_log(r, &in);
    if (c == KG_CLASS_WRONG)
        read_worst(r, &in);
    if (c == KG_CLASS_PASS) {
        in.speedup = res->in.speedup;
        in.speedup_lo = res->in.speedup_lo;
        in.speedup_hi = res->speedup_hi;
        in.coverage = res->in.coverage;
    }
    if (c == KG_CLASS_PASS || c == KG_CLASS_WRONG)
        read_kernels(r, res->profile, &in);
    kg_feedback_render(s->text[in.verdict], &s->opts, &in, out);
}
