#include "record/record.h"
#include "base/mem.h"
#include "tap.h"

#include <stdlib.h>

static struct kg_record r;
static char line[4096];
static struct kg_buf out;

static void load(const char *text)
{
    struct kg_error err = KG_ERROR_INIT;
    memset(line, 0, sizeof line);
    memcpy(line, text, strlen(text));
    EQ_INT(kg_record_parse(&r, "in.jsonl", 17, line, strlen(text), &err), 0);
}

static const char *written(void)
{
    kg_buf_reset(&out);
    kg_record_write(&r, &out);
    return out.data;
}

static void test_editing(void)
{
    load("{\"b\": 1.50 ,\"\\u0061\":[1, 2],\"big\":123456789012345678901234567890 }");
    EQ_STR(written(),
           "{\"b\": 1.50 ,\"\\u0061\":[1, 2],\"big\":123456789012345678901234567890 }\n");
    kg_record_set_num(&r, "z", 0.1);
    kg_record_set_str(&r, "a", "q\"\n");
    kg_record_set_int(&r, "i", -9007199254740993);
    kg_record_set_bool(&r, "t", -1);
    kg_record_set_num(&r, "z", NAN);
    EQ_STR(written(),
           "{\"b\": 1.50 ,\"\\u0061\":\"q\\\"\\n\",\"big\":123456789012345678901234567890 "
           ",\"z\":null,\"i\":-9007199254740993,\"t\":null}\n");
    EQ_STR(kg_record_str(&r, "a", NULL), "q\"\n");
    OK(kg_record_has(&r, "z"));
    OK(!kg_record_has(&r, "y"));
    OK(!r.error.code);
    load("{}");
    kg_record_set_bool(&r, "k\"", 1);
    EQ_STR(written(), "{\"k\\\"\":true}\n");
    load("{ }");
    kg_record_set_str(&r, "k", NULL);
    kg_record_set_json(&r, "l", "[1]", 3);
    EQ_STR(written(), "{ \"k\":null,\"l\":[1]}\n");
}

static void test_reading(void)
{
    const double *v;
    size_t n;
    load(
        "{\"p\":{\"c\":{\"time\":0.5}},\"s\":\"a\\u0000b\",\"n\":[1,null],\"u\\u0000\":1,\"x\":null}");
    NEAR(kg_value_num(kg_record_path(&r, "p.c.time"), -1), 0.5, 0);
    OK(!kg_record_path(&r, "p.c.mem"));
    OK(!kg_record_path(&r, "q.c"));
    OK(!kg_record_get(&r, "u")); /* the key "u" with a NUL behind it is another */
    OK(kg_record_str(&r, "s", &n) != NULL);
    EQ_INT(n, 3);
    OK(!kg_record_str(&r, "n", NULL));
    EQ_INT(kg_record_numbers(&r, "n", 0, &v, &n), 1);
    EQ_INT(kg_record_numbers(&r, "x", 0, &v, &n), 0);
    EQ_INT(kg_record_numbers(&r, "none", 0, &v, &n), 0);
    OK(!r.error.code);
    EQ_INT(kg_record_numbers(&r, "s", 0, &v, &n), -1);
    EQ_STR(r.error.text, "field 's' must be an array of numbers, not a string");
    EQ_INT(r.error.line, 17);
    EQ_STR(r.error.source, "in.jsonl");
    kg_record_fault(&r, "another");
    HAS(r.error.text, "field 's'");
}

static void test_duplicates(void)
{
    load("{\"a\":1,\"b\":2,\"\\u0061\":3}");
    kg_record_get(&r, "b");
    OK(!r.error.code);
    kg_record_get(&r, "a");
    EQ_STR(r.error.text, "duplicate key 'a'");
    load("{\"a\":1,\"b\":2,\"b\":3}");
    kg_record_set_null(&r, "b");
    EQ_STR(r.error.text, "duplicate key 'b'");
    EQ_STR(written(), "{\"a\":1,\"b\":null,\"b\":null}\n");
}

static void test_verdicts(void)
{
    enum kg_verdict v;
    load("{\"status\":\"x\",\"speedup\":3}");
    OK(!kg_record_verdict(&r, &v));
    kg_record_set_verdict(&r, KG_PASSED, NULL);
    OK(kg_record_verdict(&r, &v) && v == KG_PASSED);
    EQ_STR(written(),
           "{\"status\":\"PASSED\",\"speedup\":3,\"error_code\":null,\"error_message\":null,"
           "\"compiled\":true,\"correctness\":true,\"decoy_kernel\":false}\n");
    kg_record_set_verdict(&r, KG_INERT_KERNEL, "does not matter");
    EQ_STR(written(),
           "{\"status\":\"INERT_KERNEL\",\"speedup\":null,\"error_code\":\"CORRECTNESS_ERROR\","
           "\"error_message\":\"does not matter\",\"compiled\":true,\"correctness\":false,"
           "\"decoy_kernel\":true}\n");
    load("{\"reward\":0.5,\"id\":7}");
    kg_record_set_num(&r, "other", 1);
    kg_record_answer(&r, KG_BAD_RECORD, "why", (const char *const[]){"advantage", "kg", NULL});
    EQ_STR(
        written(),
        "{\"reward\":null,\"id\":7,\"status\":\"BAD_RECORD\",\"error_code\":\"VALIDATION_ERROR\","
        "\"error_message\":\"why\",\"compiled\":null,\"correctness\":null,\"decoy_kernel\":null,"
        "\"speedup\":null,\"advantage\":null}\n");
}

static bool settled(const char *text, const char *own, bool redo)
{
    load(text);
    return kg_record_is_settled(&r, own, redo);
}

static void test_stages(void)
{
    OK(!settled("{}", "compile", false));
    OK(settled("{\"compile\":{\"ok\":true}}", "compile", false));
    OK(!settled("{\"compile\":{\"ok\":true}}", "compile", true));
    OK(!settled("{\"compile\":{\"ok\":true}}", "verify", false));
    OK(settled("{\"compile\":{\"ok\":false}}", "verify", false));
    OK(settled("{\"compile\":{\"ok\":false}}", "profile", true));
    OK(settled("{\"verify\":{\"ok\":false}}", "profile", false));
    OK(settled("{\"verify\":{\"ok\":false}}", "verify", false));
    OK(!settled("{\"verify\":{\"ok\":false}}", "verify", true));
    OK(!settled("{\"verify\":null}", "verify", false));
}

int main(void)
{
    kg_record_init(&r);
    test_editing();
    test_reading();
    test_duplicates();
    test_verdicts();
    test_stages();
    kg_record_release(&r);
    kg_buf_release(&out);
    return tap_done();
}
