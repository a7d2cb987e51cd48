#include "compile/stamp.h"

#include <string.h>
#include <unistd.h>

#include "base/sha256.h"

void kg_stamp(struct kg_record *r, const struct kg_task *t)
{
    const struct kg_value *old = kg_record_get(r, "kg");
    struct kg_value *v = kg_value_new(&r->arena, KG_VALUE_OBJECT);
    struct kg_buf text = KG_BUF_INIT;
    char host[256] = "", sha[KG_SHA256_HEX];
    if (kg_value_is(old, KG_VALUE_OBJECT))
        for (size_t i = 0; i < old->len; i++)
            kg_value_put(&r->arena, v, old->keys[i], old->items[i]);
    if (gethostname(host, sizeof host - 1) || !*host)
        memcpy(host, "unknown", sizeof "unknown");
    kg_sha256_hex(t->sha, sha);
    kg_value_put(&r->arena, v, "version",
                 kg_value_new_str(&r->arena, KG_VERSION, strlen(KG_VERSION)));
    kg_value_put(&r->arena, v, "task_sha", kg_value_new_str(&r->arena, sha, strlen(sha)));
    kg_value_put(&r->arena, v, "host", kg_value_new_str(&r->arena, host, strlen(host)));
    kg_value_json(v, &text);
    kg_record_set_json(r, "kg", text.data, text.len);
    kg_buf_release(&text);
}
