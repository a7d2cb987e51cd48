/* The fast reader of numbers against the C library's, on numbers that are hard to round as well. */
#include "record/digits.h"
#include "base/philox.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>

static int known, wrong, all;

static void check(const char *text)
{
    char padded[64];
    memset(padded, '7', sizeof padded);
    memcpy(padded, text, strlen(text));
    char *end = padded + strlen(text);
    *end = ',';
    double x = 0, want = strtod(text, NULL);
    all++;
    if (!kg_digits_read(padded, end, &x))
        return;
    known++;
    if (memcmp(&x, &want, sizeof x) == 0)
        return;
    wrong++;
    printf("# %s: got %.17g, want %.17g\n", text, x, want);
}

static void test_digits(void)
{
    EQ_INT(kg_digits_of_eight("12345678"), 8);
    EQ_INT(kg_digits_of_eight("1234567,"), 7);
    EQ_INT(kg_digits_of_eight(":2345678"), 0);
    EQ_INT(kg_digits_of_eight("1/345678"), 1);
    EQ_INT(kg_digits_of_eight("12\xff"
                              "45678"),
           2);
    EQ_INT(kg_digits_of_eight("123\xfa\xfa"
                              "678"),
           3);
    EQ_INT(kg_eight_digits("00000000"), 0);
    EQ_INT(kg_eight_digits("12345678"), 12345678);
    EQ_INT(kg_eight_digits("99999999"), 99999999);
}

static void test_texts(void)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "-1",
                                        "0.0",
                                        "-0.0",
                                        "0.1",
                                        "12345678",
                                        "123456789",
                                        "1.5",
                                        "-0.30000000000000004",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "9007199254740993.0",
                                        "1.00000000000000011",
                                        "18014398509481985",
                                        "0.5000000000000000278",
                                        "9999999999999999999",
                                        "0.000000000000000001",
                                        "99999999999999999.99",
                                        "4503599627370496.5",
                                        "4503599627370497.5",
                                        "1e5",
                                        "52345678901234567890",
                                        "18446744073709551616",
                                        "5.2345678901234567890",
                                        "1.5E3",
                                        "2251799813685248.25"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(texts[i]);
    EQ_INT(wrong, 0);
}

static void test_random(void)
{
    char text[64];
    for (uint32_t i = 0; i < 300000; i++) {
        struct kg_philox r = kg_philox(5, 6, i, 0, 0, 0);
        double u = kg_philox_u53(r.v[0], r.v[1]);
        snprintf(text, sizeof text, "%.17g", -20 * u * u);
        check(text);
        snprintf(text, sizeof text, "%.*f", (int)(r.v[2] % 18), u);
        check(text);
        /* the middle of two doubles, and its neighbours in the last digit */
        uint64_t odd = ((uint64_t)1 << 53) + 2 * (r.v[3] % 100000) + 1;
        snprintf(text, sizeof text, "%" PRIu64 ".%u", odd, r.v[2] % 3);
        check(text);
        double half = ldexp((double)((1 << 20) + (r.v[2] & 0xFFFFF)), -20);
        snprintf(text, sizeof text, "%.17f", half + ldexp(1, -40));
        check(text);
    }
    EQ_INT(wrong, 0);
    printf("# %d of %d by the fast reader\n", known, all);
    OK(known > all / 2);
}

int main(void)
{
    test_digits();
    test_texts();
    test_random();
    return tap_done();
}
