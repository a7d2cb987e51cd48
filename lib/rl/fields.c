#include "rl/fields.h"

#include <math.h>
#include <string.h>

double kg_field_num(struct kg_record *r, const char *key, bool *missing)
{
    const struct kg_value *v = kg_record_get(r, key);
    if (missing)
        *missing = !v;
    if (!v || v->type == KG_VALUE_NULL)
        return NAN;
    if (v->type != KG_VALUE_NUMBER) {
        kg_record_fault(r, "'%s' is %s, not a number", key, kg_value_type_name(v));
        return NAN;
    }
    return isfinite(v->number) ? v->number : NAN;
}

bool kg_field_mask(struct kg_record *r)
{
    const struct kg_value *v = kg_record_get(r, "mask");
    if (!v || v->type == KG_VALUE_NULL)
        return true;
    if (v->type == KG_VALUE_BOOL)
        return v->boolean;
    if (v->type != KG_VALUE_NUMBER || (v->number != 0 && v->number != 1))
        kg_record_fault(r, "'mask' must be 0 or 1, not %s",
                        v->type == KG_VALUE_NUMBER ? v->text : kg_value_type_name(v));
    return v->number != 0;
}

bool kg_field_failed(struct kg_record *r)
{
    const char *why = kg_record_str(r, "finish_reason", NULL);
    return why && (!strcmp(why, "error") || !strcmp(why, "async_timeout"));
}
