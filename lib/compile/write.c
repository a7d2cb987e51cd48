/* The 'compile' object of a record. */
#include <string.h>
#include <unistd.h>

#include "base/jsonout.h"
#include "base/utf8.h"
#include "compile/compile.h"

static void number_or_null(struct kg_jsonout *j, const char *key, int64_t v)
{
    if (v < 0)
        kg_jsonout_kv_null(j, key);
    else
        kg_jsonout_kv_int(j, key, v);
}

static void write_kernels(struct kg_jsonout *j, const struct kg_compile_result *res)
{
    kg_jsonout_key(j, "kernels");
    kg_jsonout_array(j);
    for (size_t i = 0; i < res->n_kernels; i++) {
        const struct kg_compile_kernel *k = &res->kernels[i];
        kg_jsonout_object(j);
        kg_jsonout_kv_str(j, "name", k->name);
        number_or_null(j, "registers", k->registers);
        number_or_null(j, "shared_bytes", k->shared_bytes);
        number_or_null(j, "local_bytes", k->local_bytes);
        number_or_null(j, "const_bytes", k->const_bytes);
        number_or_null(j, "spill_bytes", k->spill_bytes);
        kg_jsonout_end(j);
    }
    kg_jsonout_end(j);
}

static void write_notes(struct kg_jsonout *j, const char *notes)
{
    kg_jsonout_key(j, "notes");
    kg_jsonout_array(j);
    while (*notes) {
        size_t n = strcspn(notes, "\n");
        kg_jsonout_strn(j, notes, n);
        notes += n + (notes[n] == '\n');
    }
    kg_jsonout_end(j);
}

void kg_compile_write(struct kg_record *r, const struct kg_compile_opts *o,
                      const struct kg_compile_result *res)
{
    struct kg_buf text = KG_BUF_INIT;
    struct kg_jsonout j;
    bool ok = res->verdict == KG_PASSED;
    kg_jsonout_init(&j, &text);
    kg_jsonout_object(&j);
    kg_jsonout_kv_bool(&j, "ok", ok);
    kg_jsonout_kv_str(&j, "target", o->target);
    write_kernels(&j, res);
    kg_jsonout_kv_str(&j, "artifact", ok ? res->artifact : NULL);
    kg_jsonout_kv_num(&j, "compile_ms", res->compile_ms);
    kg_jsonout_kv_bool(&j, "cached", res->cached);
    kg_jsonout_key(&j, "log");
    kg_jsonout_strn(&j, kg_buf_str(&res->log), res->log.len);
    write_notes(&j, kg_buf_str(&res->notes));
    kg_jsonout_end(&j);
    kg_record_set_json(r, "compile", text.data, text.len);
    if (ok)
        kg_record_set_bool(r, "compiled", true);
    else
        kg_record_set_verdict(r, res->verdict, res->message);
    kg_buf_release(&text);
}
