#include "base/jsonout.h"
#include "tap.h"

static const char *quoted(const char *s, size_t n)
{
    static struct kg_buf b;
    kg_buf_release(&b);
    kg_jsonout_quote(&b, s, n);
    return b.data;
}

int main(void)
{
    struct kg_buf b = KG_BUF_INIT;
    struct kg_jsonout j;
    kg_buf_adds(&b, "x="); /* appends */
    kg_jsonout_init(&j, &b);
    kg_jsonout_object(&j);
    kg_jsonout_kv_null(&j, "n");
    kg_jsonout_kv_bool(&j, "b", false);
    kg_jsonout_kv_int(&j, "i", INT64_MIN);
    kg_jsonout_kv_num(&j, "f", 0.1);
    kg_jsonout_kv_num(&j, "nan", NAN);
    kg_jsonout_kv_str(&j, "s", NULL);
    kg_jsonout_key(&j, "a\n");
    kg_jsonout_array(&j);
    kg_jsonout_array(&j);
    kg_jsonout_end(&j);
    kg_jsonout_int(&j, 1);
    kg_jsonout_raw(&j, "{}", 2);
    kg_jsonout_object(&j);
    kg_jsonout_end(&j);
    kg_jsonout_end(&j);
    kg_jsonout_kv_str(&j, "z", "end");
    kg_jsonout_end(&j);
    EQ_STR(b.data,
           "x={\"n\":null,\"b\":false,\"i\":-9223372036854775808,\"f\":0.1,\"nan\":null,\"s\":null,"
           "\"a\\n\":[[],1,{},{}],\"z\":\"end\"}");
    kg_buf_release(&b);
    EQ_STR(quoted("a\"\\/\b\x1f\x7f\t", 8), "\"a\\\"\\\\/\\u0008\\u001f\x7f\\t\"");
    EQ_STR(quoted("a\0b", 3), "\"a\\u0000b\"");
    EQ_STR(quoted("\xc3\xa9\xf0\x9f\x98\x80", 6), "\"\xc3\xa9\xf0\x9f\x98\x80\"");
    EQ_STR(quoted("\xff\xc3", 2), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    EQ_STR(quoted("\xed\xa0\x80", 3), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""); /* a surrogate */
    return tap_done();
}
