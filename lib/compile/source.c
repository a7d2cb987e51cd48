/* The candidate's source in a record. */
#include <string.h>

#include "compile/compile.h"
#include "compile/extract.h"

static bool is_absent(const struct kg_value *v)
{
    return !v || v->type == KG_VALUE_NULL;
}

const char *kg_compile_backend(struct kg_record *r)
{
    const struct kg_value *v = kg_record_get(r, "backend");
    if (!is_absent(v) && v->type != KG_VALUE_STRING)
        kg_record_fault(r, "field 'backend' is %s, not a string", kg_value_type_name(v));
    return v && v->type == KG_VALUE_STRING ? v->text : NULL;
}

static const char *extract(struct kg_record *r, const struct kg_value *response,
                           enum kg_extract how, size_t *len, struct kg_error *err)
{
    const char *backend = kg_compile_backend(r);
    struct kg_buf code = KG_BUF_INIT;
    const char *out = NULL;
    int bad = how == KG_EXTRACT_KERNELGYM
                  ? kg_extract_kernelgym(response->text, response->len, &code, err)
                  : kg_extract_fenced(response->text, response->len, backend ? backend : "cuda",
                                      &code, err);
    if (!bad && !code.len)
        bad = kg_error_set(err, KG_E_INPUT, "the response's code block is empty");
    if (!bad) {
        out = kg_arena_strndup(&r->arena, code.data, code.len);
        *len = code.len;
    }
    kg_buf_release(&code);
    return out;
}

const char *kg_compile_source(struct kg_record *r, enum kg_extract how, size_t *len,
                              struct kg_error *err)
{
    const struct kg_value *code = kg_record_get(r, "kernel_code");
    const struct kg_value *response = kg_record_get(r, "response");
    *len = 0;
    if (!code && !response) {
        kg_record_fault(r, "missing field 'kernel_code' (or 'response')");
        return NULL;
    }
    const struct kg_value *v = is_absent(code) && response ? response : code;
    const char *key = v == code ? "kernel_code" : "response";
    if (is_absent(v)) {
        kg_error_set(err, KG_E_INPUT, "'%s' is null", key);
        return NULL;
    }
    if (v->type != KG_VALUE_STRING) {
        kg_record_fault(r, "field '%s' is %s, not a string", key, kg_value_type_name(v));
        return NULL;
    }
    if (!v->len) {
        kg_error_set(err, KG_E_INPUT, "'%s' is empty", key);
        return NULL;
    }
    if (v == response)
        return extract(r, v, how, len, err);
    *len = v->len;
    return v->text;
}
