#include "base/num.h"
#include "base/philox.h"
#include "tap.h"

#include <stdlib.h>

static void test_int(void)
{
    int64_t v = -7;
    struct kg_error e = KG_ERROR_INIT;
    EQ_INT(kg_num_int("42", 0, 100, &v, NULL), 0);
    EQ_INT(v, 42);
    EQ_INT(kg_num_int("-9223372036854775808", INT64_MIN, INT64_MAX, &v, NULL), 0);
    OK(v == INT64_MIN);
    static const char *const bad[] = {"",     "x",   "10x", " 1",  "1 ", "1e3",
                                      "0x10", "1.0", "--1", "101", "-1", "9223372036854775808",
                                      "+",    "-"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EQ_INT(kg_num_int(bad[i], 0, 100, &v, NULL), -1);
    OK(v == INT64_MIN); /* untouched */
    EQ_INT(kg_num_int("10x", 1, 100, &v, &e), -1);
    EQ_STR(e.text, "'10x' is not a whole number from 1 to 100");
    EQ_INT(e.code, KG_E_USAGE);
}

static void test_double(void)
{
    double x;
    EQ_INT(kg_num_double("1e-5", 0, 1, &x, NULL), 0);
    NEAR(x, 1e-5, 0);
    EQ_INT(kg_num_double(".5", 0, 1, &x, NULL), 0);
    static const char *const bad[] = {"",      "nan", "inf", "0x1p3", "1e400",
                                      "1.5.5", "2",   "-1",  " 1",    "1f"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EQ_INT(kg_num_double(bad[i], 0, 1, &x, NULL), -1);
}

static void test_bytes(void)
{
    int64_t v;
    EQ_INT(kg_num_bytes("512", 0, INT64_MAX, &v, NULL), 0);
    EQ_INT(v, 512);
    EQ_INT(kg_num_bytes("64k", 0, INT64_MAX, &v, NULL), 0);
    EQ_INT(v, 65536);
    EQ_INT(kg_num_bytes("3T", 0, INT64_MAX, &v, NULL), 0);
    OK(v == (int64_t)3 << 40);
    static const char *const bad[] = {
        "",    "k",           "-1k",  "1K",
        "1kk", "9999999999T", "1.5M", "00000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EQ_INT(kg_num_bytes(bad[i], 0, INT64_MAX, &v, NULL), -1);
}

static void test_format(void)
{
    static const struct {
        double x;
        const char *text;
    } t[] = {{0, "0"},
             {-0.0, "-0.0"},
             {1, "1"},
             {-17, "-17"},
             {0.1, "0.1"},
             {1.5, "1.5"},
             {NAN, "null"},
             {-INFINITY, "null"},
             {0.1 + 0.2, "0.30000000000000004"},
             {1e22, "1e+22"},
             {5e-324, NULL},
             {1.7976931348623157e308, NULL},
             {123456789012345680.0, NULL}};
    char text[KG_NUM_TEXT];
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        size_t n = kg_num_format(t[i].x, text);
        EQ_INT(n, strlen(text));
        if (t[i].text)
            EQ_STR(text, t[i].text);
        else
            OK(strtod(text, NULL) == t[i].x);
    }
    int wrong = 0;
    for (uint32_t i = 0; i < 20000; i++) { /* any bits come back */
        struct kg_philox r = kg_philox(1, 2, i, 0, 0, 0);
        uint64_t bits = (uint64_t)r.v[0] << 32 | r.v[1];
        double x;
        memcpy(&x, &bits, sizeof x);
        size_t n = kg_num_format(x, text);
        wrong += n >= KG_NUM_TEXT || (isfinite(x) && strtod(text, NULL) != x);
    }
    EQ_INT(wrong, 0);
}

int main(void)
{
    test_int();
    test_double();
    test_bytes();
    test_format();
    return tap_done();
}
