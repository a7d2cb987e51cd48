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
    EQ_INT(kg_eight_digits(kg_eight_bytes("00000000") & 0x0F0F0F0F0F0F0F0Fu), 0);
    EQ_INT(kg_eight_digits(kg_eight_bytes("12345678") & 0x0F0F0F0F0F0F0F0Fu), 12345678);
    EQ_INT(kg_eight_digits(kg_eight_bytes("99999999") & 0x0F0F0F0F0F0F0F0Fu), 99999999);
}

/* limb: (high 2^64 + low + more) 10^f, 32 bits each; is it above 2^scale? */
static bool above(const struct kg_tenth *t, size_t f, unsigned more)
{
    enum { LIMBS = 10 };
    uint64_t limb[LIMBS] = {t->low & 0xFFFFFFFF, t->low >> 32, t->high & 0xFFFFFFFF, t->high >> 32};
    limb[0] += more;
    for (size_t k = 0; k <= f; k++) {
        uint64_t carry = 0;
        for (size_t i = 0; i < LIMBS; i++) {
            carry += limb[i] * (k ? 10 : 1);
            limb[i] = carry & 0xFFFFFFFF;
            carry >>= 32;
        }
    }
    size_t top = (size_t)t->scale / 32;
    bool rest = false, higher = false;
    for (size_t i = 0; i < LIMBS; i++) {
        rest = rest || (i < top && limb[i]);
        higher = higher || (i > top && limb[i]);
    }
    uint64_t bit = (uint64_t)1 << t->scale % 32;
    return higher || limb[top] > bit || (limb[top] == bit && rest);
}

/* Each is the largest number of 128 bits that is not above 10^-f. */
static void test_tenths(void)
{
    for (size_t f = 0; f <= KG_DIGITS_TENTHS; f++) {
        OK(kg_tenths[f].high >> 63);
        OK(!above(&kg_tenths[f], f, 0));
        OK(above(&kg_tenths[f], f, 1));
    }
}

/* In front of, among and behind any number of digits, any byte that does not belong there. */
static void test_decimal(void)
{
    char text[96];
    uint64_t w[KG_DIGITS_WORDS];
    int missed = 0, taken = 0;
    for (size_t n = 0; n <= 26; n++) {
        for (size_t minus = 0; minus < 2; minus++) {
            memset(text, '7', sizeof text); /* behind the end: digits that do not count */
            size_t len = (size_t)snprintf(text, sizeof text, "%s0.%.*s", minus ? "-" : "", (int)n,
                                          "12345678901234567890123456");
            text[len] = '7';
            bool good = kg_digits_decimal(text, text + len, w);
            EQ_INT(good, n >= 1 && n <= 24);
            for (size_t i = 0; good && i < 24; i++)
                missed += (w[i / 8] >> (8 * (i % 8)) & 0xFF) != (i < n ? (i + 1) % 10 : 0);
            for (size_t i = minus; good && i < len; i++) {
                char was = text[i];
                for (int c = 0; c < 256; c++) {
                    bool fits = i == minus + 1 ? c == '.' : c >= '0' && c <= '9';
                    /* a minus as the first byte makes the text another one */
                    if (!fits && !(i == 0 && c == '-')) {
                        text[i] = (char)c;
                        taken += kg_digits_decimal(text, text + len, w);
                    }
                }
                text[i] = was;
            }
        }
    }
    EQ_INT(missed, 0);
    EQ_INT(taken, 0);
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
                                        "2251799813685248.25",
                                        "0.000012345678901234567",
                                        "-0.000000000000000000001234",
                                        "0.00000000000000000000000000000000000000000123",
                                        "0.123456789012345678",
                                        "9.123456789012345678",
                                        "0.1234567890123456789",
                                        "9.999999999999999999",
                                        "0.000000000000000000",
                                        "-1.2345678901234567e-05",
                                        "1E-7",
                                        "1.5e-0005",
                                        "15e-1",
                                        "1.5e+1",
                                        "0.000015e0003",
                                        "0.00000015e-99999",
                                        "1.5e-40",
                                        "-0e-3",
                                        "1.7763568394002505e-15"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(texts[i]);
    EQ_INT(wrong, 0);
}

/* What a trainer writes is read by the fast reader. */
static void test_usual(void)
{
    static const char *const texts[] = {"-0.26087656282320290",
                                        "-0.00012345678901234567",
                                        "-1.2345678901234567e-05",
                                        "-2.384185791015625e-07",
                                        "-12.345678901234567",
                                        "128256",
                                        "-0.693"};
    int before = known;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(texts[i]);
    EQ_INT(known - before, sizeof texts / sizeof *texts);
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
        snprintf(text, sizeof text, "%.16e", -u * u * u);
        check(text);
        snprintf(text, sizeof text, "%.20f", u / 4096);
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
    test_tenths();
    test_decimal();
    test_texts();
    test_usual();
    test_random();
    return tap_done();
}
