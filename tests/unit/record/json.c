#include "record/json.h"
#include "base/mem.h"
#include "base/philox.h"
#include "record/grammar.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>

static struct kg_json *j;
static const struct kg_json_member *m;
static size_t n;
static struct kg_error err;

static char *padded(const char *text, size_t len)
{
    char *p = kg_mem_alloc(len + KG_JSON_PADDING);
    memcpy(p, text, len);
    memset(p + len, '7', KG_JSON_PADDING);
    return p;
}

static char *line;

static int parse_n(const char *text, size_t len)
{
    free(line);
    line = padded(text, len);
    kg_error_clear(&err);
    return kg_json_parse(j, line, len, &m, &n, &err);
}

static int parse(const char *text)
{
    return parse_n(text, strlen(text));
}

static void refused(const char *text, const char *why)
{
    EQ_INT(parse(text), -1);
    EQ_STR(err.text, why);
}

static void test_members(void)
{
    EQ_INT(parse(" {\"a\" : 1.50 ,\"b\":[1,{\"c\":\"]\"}], \"\\u0063\\u0000x\":\"s\" } "), 0);
    EQ_INT(n, 3);
    EQ_STR(m[0].key, "a");
    EQ_INT(m[0].key_begin, 2);
    EQ_INT(m[0].type, KG_VALUE_NUMBER);
    EQ_INT(m[0].begin, 8);
    EQ_INT(m[0].end, 12);
    EQ_INT(m[1].type, KG_VALUE_ARRAY);
    EQ_INT(m[1].end - m[1].begin, 13);
    EQ_INT(m[2].key_len, 3);
    OK(!memcmp(m[2].key, "c\0x", 4));
    EQ_INT(m[2].type, KG_VALUE_STRING);
    EQ_INT(line[kg_json_close(j)], '}');
    EQ_INT(parse("{}"), 0);
    EQ_INT(n, 0);
    EQ_INT(kg_json_close(j), 1);
    EQ_INT(parse("{\"a\":1,\"a\":2}"), 0);
    EQ_INT(n, 2);
}

static void test_numbers_of_any_size(void)
{
    static const char *const good[] = {"{\"a\":123456789012345678901234567890}",
                                       "{\"a\":-1e400}",
                                       "{\"a\":1E+400,\"b\":[1]}",
                                       "{\"a\":-0}",
                                       "{\"a\":18446744073709551616}",
                                       "{\"a\":0.1e-9999}"};
    static const char *const bad[] = {"{\"a\":01}",  "{\"a\":1.}",  "{\"a\":.5}",   "{\"a\":-}",
                                      "{\"a\":1e}",  "{\"a\":+1}",  "{\"a\":0x10}", "{\"a\":1.5.5}",
                                      "{\"a\":--1}", "{\"a\":-01}", "{\"a\":1e+}",  "{\"a\":1 2}",
                                      "{\"a\":1,}",  "{\"a\":[1,]}"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        EQ_INT(parse(good[i]), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EQ_INT(parse(bad[i]), -1);
}

static void test_errors(void)
{
    refused("not json", "not a JSON object: byte 1: no value starts here");
    refused("{\"a\":NaN}", "not a JSON object: byte 6: NaN and Infinity are no JSON (Python's json "
                           "writes them: use allow_nan=False)");
    refused("{\"a\":[1,-Infinity]}",
            "not a JSON object: byte 10: Infinity is no JSON (Python's json "
            "writes it: use allow_nan=False)");
    refused("{\"a\":01}", "not a JSON object: byte 7: a number with a leading zero");
    refused("[1]", "not a JSON object: byte 1: a value of another type stands here");
    refused("{\"a\":1}x", "not a JSON object: byte 8: something follows the object");
    refused("{\"a\":\"x\xff\"}", "not a JSON object: byte 8: invalid UTF-8");
    refused("{\"a\":\"\xed\xa0\x80\"}", "not a JSON object: byte 7: invalid UTF-8");
    refused("{\"a\":\"x\ty\"}", "not a JSON object: byte 8: a control character in a string");
    refused("{\"a\":\"\\x\"}", "not a JSON object: byte 8: unknown escape in a string");
    refused("{\"a\" 1}", "not a JSON object: byte 6: ':' is missing");
    refused("{\"a\":1", "not a JSON object: byte 7: the text ends here, in the middle of a value");
    refused("{a:1}", "not a JSON object: byte 2: a key in double quotes is missing");
    refused("\xEF\xBB\xBF{}", "not a JSON object: byte 1: a byte order mark");
    EQ_INT(parse_n("{\"a\":\"\0\"}", 9), -1);
    EQ_INT(parse_n("", 0), -1);
}

static void test_depth(void)
{
    static char text[4096];
    for (int depth = 1023; depth <= 1024; depth++) { /* and one for the object */
        int k = snprintf(text, sizeof text, "{\"a\":");
        memset(text + k, '[', (size_t)depth);
        memset(text + k + depth, ']', (size_t)depth);
        snprintf(text + k + 2 * depth, 2, "}");
        EQ_INT(parse(text), depth == 1023 ? 0 : -1);
    }
    HAS(err.text, "nested too deeply");
}

static void test_values(void)
{
    struct kg_arena a = KG_ARENA_INIT;
    parse("{\"s\":\"\\u00e9\\ud83d\\ude00\\ud800\\n\\u0000!\",\"o\":{\"k\":[true,null,1e400]},"
          "\"n\":123456789012345678901}");
    const struct kg_value *v = kg_json_value(j, &m[0], &a);
    EQ_INT(v->len, 12);
    OK(!memcmp(v->text, "\xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBD\n\0!", 13));
    v = kg_value_get(kg_json_value(j, &m[1], &a), "k");
    EQ_INT(v->len, 3);
    OK(v->items[0]->boolean);
    OK(kg_value_is(v->items[1], KG_VALUE_NULL));
    OK(isinf(v->items[2]->number));
    EQ_STR(kg_json_value(j, &m[2], &a)->text, "123456789012345678901");
    kg_arena_release(&a);
}

static void test_arrays(void)
{
    const double *v, *w;
    size_t k, l;
    parse("{\"a\":[1,-2.5,18446744073709551615],\"b\":[],\"c\":[1,null],\"d\":[1,\"x\"],\"e\":3,"
          "\"f\":[[1],[2]]}");
    EQ_INT(kg_json_numbers(j, &m[0], 0, &v, &k, &err), 0);
    EQ_INT(kg_json_numbers(j, &m[2], 1, &w, &l, &err), 0);
    EQ_INT(k, 3);
    NEAR(v[1], -2.5, 0);
    NEAR(v[2], 18446744073709551615.0, 0);
    EQ_INT(l, 2);
    OK(isnan(w[1]));
    EQ_INT(kg_json_numbers(j, &m[1], 0, &v, &k, &err), 0);
    EQ_INT(k, 0);
    EQ_INT(kg_json_numbers(j, &m[3], 0, &v, &k, &err), -1);
    EQ_STR(err.text, "field 'd' must be an array of numbers: item 2 is a string");
    kg_error_clear(&err);
    EQ_INT(kg_json_numbers(j, &m[4], 0, &v, &k, &err), -1);
    EQ_STR(err.text, "field 'e' must be an array of numbers, not a number");
    EQ_INT(kg_json_numbers(j, &m[5], 0, &v, &k, NULL), -1);
    /* the way without a tape gives the same */
    parse("{\"a\":[ 1 , -2.5, 0.30000000000000004,null,1e400,-1e-400],\"z\":1e999,\"d\":[{}]}");
    EQ_INT(kg_json_numbers(j, &m[0], 0, &v, &k, &err), 0);
    EQ_INT(k, 6);
    NEAR(v[2], 0.1 + 0.2, 0);
    OK(isnan(v[3]));
    OK(isinf(v[4]));
    NEAR(v[5], 0, 0);
    EQ_INT(kg_json_numbers(j, &m[2], 0, &v, &k, NULL), -1);
}

/* The texts as items of an array, which must be the C library's doubles to the last bit. */
static int differs(const char *const *text, size_t count, const char *between)
{
    static char array[1 << 16];
    size_t k = (size_t)snprintf(array, sizeof array, "{\"a\":[");
    for (size_t i = 0; i < count; i++)
        k += (size_t)snprintf(array + k, sizeof array - k, "%s%s", i ? between : "", text[i]);
    snprintf(array + k, sizeof array - k, "]}");
    const double *v;
    size_t items = 0;
    if (parse(array) || kg_json_numbers(j, &m[0], 0, &v, &items, &err) || items != count)
        return -1;
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        double want = strtod(text[i], NULL);
        if (memcmp(&want, &v[i], sizeof want)) {
            printf("# %s: got %.17g, want %.17g\n", text[i], v[i], want);
            wrong++;
        }
    }
    return wrong;
}

static void test_numbers_hard_to_round(void)
{
    static const char *const texts[] = {
        "0", "-0", "0.0", "-0.0", "0e5", "-0.0e-400", "0.00000000000000000000000000", "1e0", "7",
        /* between 1 and the next double: the middle, and next to it */
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126", "1.000000000000000111",
        "-1.0000000000000001110", "1.00000000000000033306690738754696", "9007199254740993",
        "9007199254740995", "9007199254740993.0000000000000000000000000001", "900719925474099.35",
        "9007199254740992.500000000000000001",
        /* 19 digits and more, before and behind the point */
        "9223372036854775807", "9999999999999999999", "10000000000000000000",
        "18446744073709551616", "123456789012345678901234567890", "0.123456789012345678",
        "0.1234567890123456789", "0.12345678901234567890", "9.123456789012345678",
        "9.1234567890123456789", "0.123456789012345678901234", "0.1234567890123456789012345",
        "0.0000000000000000000001234567", "0.000000000000000000000012345678901234567890",
        "12.345678901234567", "-12345678.25",
        /* the ends of the range */
        "2.2250738585072014e-308", "2.2250738585072011e-308", "4.9406564584124654e-324",
        "2.4703282292062328e-324", "2.4703282292062327e-324", "-1e-400", "1e400", "-1e400",
        "1.7976931348623157e308", "1.7976931348623159e308", "17976931348623157e292", "0.00001e400",
        "1e-0000000000000000000000000000000000005", "1.5E+00000000000000000003",
        "1e99999999999999999999", "1e-99999999999999999999", "1e22", "1e23", "8.5e-7"};
    size_t count = sizeof texts / sizeof *texts;
    EQ_INT(differs(texts, count, ","), 0);
    EQ_INT(differs(texts, count, " , "), 0);
    EQ_INT(differs(texts, count, ",\t"), 0);
    for (size_t i = 0; i < count; i++)
        EQ_INT(differs(texts + i, 1, ""), 0);
}

static void test_random_numbers(void)
{
    enum { ITEMS = 1000, KINDS = 8 };
    static char text[ITEMS][48];
    static const char *texts[ITEMS];
    static const char *const behind[] = {"5", "49", "501", "50000000000000000000000000"};
    int wrong = 0;
    for (uint32_t i = 0; i < 300 * ITEMS; i++) {
        struct kg_philox r = kg_philox(7, 8, i, 0, 0, 0);
        uint64_t bits = (uint64_t)r.v[0] << 32 | r.v[1];
        double u = kg_philox_u53(r.v[0], r.v[1]), any;
        memcpy(&any, &bits, sizeof any);
        char *t = text[i % ITEMS];
        texts[i % ITEMS] = t;
        size_t size = sizeof *text;
        switch (r.v[2] % KINDS) {
        case 0:
            snprintf(t, size, "%.17g", isfinite(any) ? any : 0);
            break;
        case 1:
            snprintf(t, size, "%.17g", -10 * u * u);
            break;
        case 2:
            snprintf(t, size, "%.*f", (int)(r.v[3] % 27), -u);
            break;
        case 3: /* 17 digits with the point anywhere */
            snprintf(t, size, "%u.%0*" PRIu64, r.v[3] % 10, (int)(r.v[3] / 16 % 8) + 16,
                     bits % 10000000000000000u);
            break;
        case 4:
            snprintf(t, size, "%" PRIu64 "e%d", bits >> 11, (int)(r.v[3] % 660) - 340);
            break;
        case 5:
            snprintf(t, size, "%.16e", u * u * u * 1e-3);
            break;
        case 6: /* the middle of two doubles, and next to it */
            snprintf(t, size, "%" PRIu64 ".%s", ((uint64_t)1 << 52) + (bits >> 12),
                     behind[r.v[3] % 4]);
            break;
        default:
            snprintf(t, size, "%u", r.v[3] >> (r.v[1] % 32));
        }
        if (i % ITEMS == ITEMS - 1)
            wrong += differs(texts, ITEMS, ",") != 0;
    }
    EQ_INT(wrong, 0);
}

/* The grammar of each item is checked, wherever it stands and whether anybody reads it. */
static void test_items_refused(void)
{
    static const char *const bad[] = {"01.5",
                                      "-01.5",
                                      "1.",
                                      "-1.",
                                      ".5",
                                      "-.5",
                                      "-",
                                      "+1.5",
                                      "1.5.5",
                                      "1.5e",
                                      "1.5e+",
                                      "1.5-",
                                      "1.5 5",
                                      "00",
                                      "0x1",
                                      "1_0",
                                      "1.2345678x",
                                      "1.23456789012345678901234x",
                                      "1.123456781234567:",
                                      "1.1234567890123456789012345x",
                                      "1.5\v",
                                      "-a.5",
                                      "a",
                                      "1.5:",
                                      "0.1\"",
                                      "1.\xc3\xa9",
                                      "--1.5"};
    static const char *const good[] = {"1.5",   "-0.25", "0",    "1",
                                       "1e400", "12",    "null", "0.123456789012345678901234567"};
    static const char *const frame[] = {"{\"a\":[%s,1.5],\"b\":1}", "{\"a\":[1.5,%s,1.5],\"b\":1}",
                                        "{\"a\":[1.5,%s],\"b\":1}", "{\"a\":[%s],\"b\":1}",
                                        "{\"a\":[0.5 , %s , 0.5 ],\"b\":1}"};
    char text[256];
    for (size_t f = 0; f < sizeof frame / sizeof *frame; f++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            snprintf(text, sizeof text, frame[f], bad[i]);
            EQ_INT(parse(text), -1);
        }
        for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
            snprintf(text, sizeof text, frame[f], good[i]);
            EQ_INT(parse(text), 0);
        }
    }
    refused("{\"a\":[0.5,01.5,2]}", "not a JSON object: byte 12: a number with a leading zero");
}

static void test_long_lines(void)
{
    size_t len = 3 << 20, k = 0;
    char *text = kg_mem_alloc(len + 64);
    const double *v;
    k = (size_t)snprintf(text, 16, "{\"a\":[0");
    size_t count = 1;
    for (; k < len; count++)
        k += (size_t)snprintf(text + k, 32, ",%zu.25", count % 1000);
    k += (size_t)snprintf(text + k, 32, "],\"b\":1}");
    EQ_INT(parse_n(text, k), 0);
    EQ_INT(n, 2);
    EQ_INT(kg_json_numbers(j, &m[0], 7, &v, &n, &err), 0);
    EQ_INT(n, count);
    NEAR(v[1999], 999.25, 0);
    free(text);
}

static void test_text(void)
{
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_error e = KG_ERROR_INIT;
    static const char good[] = " [1, {\"a\": \"b\"}]\n", bad[] = "{\n \"a\": tru }";
    const struct kg_value *v = kg_json_text(good, strlen(good), "f", &a, &e);
    EQ_STR(kg_value_str(kg_value_get(v->items[1], "a"), ""), "b");
    OK(!kg_json_text(bad, strlen(bad), "f.json", &a, &e));
    EQ_INT(e.line, 2);
    EQ_INT(e.col, 7);
    EQ_STR(e.text, "not JSON: column 7: no value starts here");
    OK(!kg_json_text("1 2", 3, "f", &a, NULL));
    kg_arena_release(&a);
}

int main(void)
{
    j = kg_json_new();
    test_members();
    test_numbers_of_any_size();
    test_errors();
    test_depth();
    test_values();
    test_arrays();
    test_numbers_hard_to_round();
    test_random_numbers();
    test_items_refused();
    test_long_lines();
    test_text();
    kg_json_free(j);
    free(line);
    return tap_done();
}
