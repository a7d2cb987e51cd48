#include "base/value.h"
#include "tap.h"

int main(void)
{
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_value *o = kg_value_new(&a, KG_VALUE_OBJECT), *in = kg_value_new(&a, KG_VALUE_OBJECT);
    struct kg_value *list = kg_value_new(&a, KG_VALUE_ARRAY);
    struct kg_buf b = KG_BUF_INIT;
    int64_t i = 0;
    for (int k = 0; k < 100; k++)
        kg_value_push(&a, list, kg_value_new_num(&a, k));
    EQ_INT(list->len, 100);
    NEAR(list->items[99]->number, 99, 0);
    kg_value_put(&a, in, "time", kg_value_new_num(&a, 0.5));
    kg_value_put(&a, o, "coverage", in);
    kg_value_put(&a, o, "s", kg_value_new_str(&a, "a\0\"", 3));
    kg_value_put(&a, o, "t", kg_value_new_bool(&a, true));
    kg_value_put(&a, o, "s", kg_value_new(&a, KG_VALUE_NULL)); /* replaced where it stands */
    EQ_INT(o->len, 3);
    kg_value_json(o, &b);
    EQ_STR(b.data, "{\"coverage\":{\"time\":0.5},\"s\":null,\"t\":true}");
    NEAR(kg_value_num(kg_value_path(o, "coverage.time"), -1), 0.5, 0);
    OK(!kg_value_path(o, "coverage.time.x"));
    OK(!kg_value_path(o, "none"));
    OK(!kg_value_get(list, "x"));
    OK(!kg_value_get(NULL, "x"));
    NEAR(kg_value_num(NULL, 7), 7, 0);
    NEAR(kg_value_num(o, 7), 7, 0);
    EQ_STR(kg_value_str(NULL, "f"), "f");
    OK(kg_value_bool(kg_value_get(o, "t"), false));
    OK(!kg_value_bool(list, false));
    EQ_STR(kg_value_type_name(NULL), "nothing");
    EQ_STR(kg_value_type_name(list), "an array");

    OK(kg_value_int(kg_value_new_num(&a, 1e3), &i));
    EQ_INT(i, 1000);
    OK(!kg_value_int(kg_value_new_num(&a, 1.5), &i));
    OK(!kg_value_int(kg_value_new_num(&a, 1e300), &i));
    OK(!kg_value_int(kg_value_new_str(&a, "1", 1), &i));
    struct kg_value *big = kg_value_new(&a, KG_VALUE_NUMBER);
    big->text = "9223372036854775808";
    big->len = 19;
    big->number = 9223372036854775808.0;
    OK(!kg_value_int(big, &i));
    big->text = "9007199254740993"; /* not a double, but an int64 */
    big->number = 9007199254740992.0;
    OK(kg_value_int(big, &i));
    EQ_INT(i, 9007199254740993);
    kg_buf_release(&b);
    kg_arena_release(&a);
    return tap_done();
}
