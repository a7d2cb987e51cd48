#include "rl/kg_object.h"

#include "base/jsonout.h"

#include <string.h>
#include <unistd.h>

static const char *host_name(void)
{
    static char name[256];
    if (!*name && (gethostname(name, sizeof name - 1) || !*name))
        memcpy(name, "unknown", sizeof "unknown");
    return name;
}

void kg_object_json(const struct kg_value *old, const struct kg_policy *p, struct kg_buf *out)
{
    static const char *const ours[] = {"version", "policy_sha"};
    const char *values[] = {KG_VERSION, p->sha};
    bool done[2] = {false, false}, host = false;
    struct kg_jsonout j;
    kg_jsonout_init(&j, out);
    kg_jsonout_object(&j);
    size_t n = kg_value_is(old, KG_VALUE_OBJECT) ? old->len : 0;
    for (size_t i = 0; i < n; i++) {
        int mine = !strcmp(old->keys[i], ours[0]) ? 0 : !strcmp(old->keys[i], ours[1]) ? 1 : -1;
        host |= !strcmp(old->keys[i], "host");
        kg_jsonout_key(&j, old->keys[i]);
        if (mine >= 0) {
            kg_jsonout_str(&j, values[mine]);
            done[mine] = true;
        } else {
            struct kg_buf text = KG_BUF_INIT;
            kg_value_json(old->items[i], &text);
            kg_jsonout_raw(&j, kg_buf_str(&text), text.len);
            kg_buf_release(&text);
        }
    }
    for (int i = 0; i < 2; i++)
        if (!done[i])
            kg_jsonout_kv_str(&j, ours[i], values[i]);
    if (!host)
        kg_jsonout_kv_str(&j, "host", host_name());
    kg_jsonout_end(&j);
}

void kg_object_stamp(struct kg_record *r, const struct kg_policy *p)
{
    struct kg_buf text = KG_BUF_INIT;
    kg_object_json(kg_record_get(r, "kg"), p, &text);
    kg_record_set_json(r, "kg", kg_buf_str(&text), text.len);
    kg_buf_release(&text);
}
