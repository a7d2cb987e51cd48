/*
 * Decimal digits, eight at a time. Internal to lib/record.
 *
 * Most numbers of a long line are log-probabilities, -0.26087656282320290 and the like, whose
 * lengths differ from one to the next. A loop over digits then ends where the processor does not
 * expect it, which costs more than all the reading. So a number whose end is known, from the
 * tokens, is taken as three words of eight digits under a mask made of its length, without a branch
 * that depends on the number: kg_digits_decimal. Numbers of another form go through a loop, in
 * digits.c.
 */
#ifndef KG_RECORD_DIGITS_H
#define KG_RECORD_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KG_DIGITS_AHEAD  24 /* bytes behind a number that are read, whatever they are */
#define KG_DIGITS_WORDS  3
#define KG_DIGITS_MAX    19 /* fit into 64 bits */
#define KG_DIGITS_TENTHS 40

__extension__ typedef unsigned __int128 kg_u128;

/* eight bytes, the first one lowest */
static inline uint64_t kg_eight_bytes(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* How many of the eight bytes at p are digits before the first that is none. A digit's high half is
 * 3 and stays 3 when 6 is added; a byte that is none may carry into those behind it, which do not
 * matter any more. */
static inline size_t kg_digits_of_eight(const char *p)
{
    const uint64_t high = 0xF0F0F0F0F0F0F0F0u, three = 0x3030303030303030u;
    uint64_t v = kg_eight_bytes(p);
    uint64_t other = ((v & high) ^ three) | (((v + 0x0606060606060606u) & high) ^ three);
    return other ? (size_t)__builtin_ctzll(other) / 8 : 8;
}

/* The number of eight digits, whose values (0 to 9) are the bytes of v, the first one lowest:
 * neighbours are joined to pairs, pairs to fours, fours to eight. */
static inline uint64_t kg_eight_digits(uint64_t v)
{
    v = (v * 10 + (v >> 8)) & 0x00FF00FF00FF00FFu;
    v = (v * 100 + (v >> 16)) & 0x0000FFFF0000FFFFu;
    return (v * 10000 + (v >> 32)) & 0xFFFFFFFFu;
}

/* The values of the eight digits at p, of which 'keep' has those that count; the others are 0.
 * *other gets a highest bit where one that counts is no digit: 10 and more reach it by the sum. */
static inline uint64_t kg_digits_word(const char *p, const char *keep, uint64_t *other)
{
    uint64_t v = (kg_eight_bytes(p) ^ 0x3030303030303030u) & kg_eight_bytes(keep);
    *other |= v | (v + 0x7676767676767676u);
    return v;
}

/*
 * Is the text from begin to limit a digit, a point, and 1 to 24 digits, a minus before them or not?
 * Then w has the values of the digits behind the point, a byte each, and zeros behind the last.
 * KG_DIGITS_AHEAD readable bytes follow.
 */
static inline bool kg_digits_decimal(const char *begin, const char *limit,
                                     uint64_t w[KG_DIGITS_WORDS])
{
    static const char mask[16 * KG_DIGITS_WORDS] = {
        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* and as many zeros */
    };
    const char *p = begin + (*begin == '-');
    size_t n = (size_t)(limit - p) - 2; /* a large one when the text is too short */
    if (n - 1 >= 8 * KG_DIGITS_WORDS || p[1] != '.')
        return false;
    const char *keep = mask + 8 * KG_DIGITS_WORDS - n;
    uint64_t other = (unsigned char)(*p - '0') > 9 ? 0x80 : 0;
    w[0] = kg_digits_word(p + 2, keep, &other);
    w[1] = kg_digits_word(p + 10, keep + 8, &other);
    w[2] = kg_digits_word(p + 18, keep + 16, &other);
    return !(other & 0x8080808080808080u);
}

/* 10^-f, for f from 0: its first 128 bits, cut off; the value is (high 2^64 + low) / 2^scale. */
struct kg_tenth {
    uint64_t high, low;
    int scale;
};
extern const struct kg_tenth kg_tenths[KG_DIGITS_TENTHS + 1];

/*
 * w / 10^f to the nearest double. The product of w, shifted so that its highest bit is set, and the
 * 128 bits of 10^-f falls short of the true one by less than 2^64; so its upper 64 bits, shifted so
 * that their highest bit is set, are right or one too small. 53 of these are kept. Rounding by the
 * other 11 is right unless they are next to the middle (false: once in a thousand).
 */
static inline bool kg_digits_divide(uint64_t w, size_t f, bool minus, double *x)
{
    uint64_t bits = 0;
    if (w) {
        const struct kg_tenth *tenth = &kg_tenths[f];
        int shift = __builtin_clzll(w);
        w <<= shift;
        kg_u128 low = (kg_u128)w * tenth->low;
        kg_u128 u = (kg_u128)w * tenth->high + (uint64_t)(low >> 64);
        uint64_t upper = (uint64_t)(u >> 64), next = (uint64_t)u >> 63;
        int small = !(upper >> 63);
        upper = upper << small | (next & (uint64_t)small);
        if ((upper & 0x7FF) - 0x3FF <= 1)
            return false;
        /* the mantissa's highest bit adds 1 to the exponent, and 2 when it was rounded up to 2^53
         */
        uint64_t exponent = (uint64_t)(128 + 62 - shift - small - tenth->scale + 1023);
        bits = (exponent << 52) + (upper >> 11) + (upper >> 10 & 1);
    }
    bits |= (uint64_t)minus << 63;
    memcpy(x, &bits, sizeof *x);
    return true;
}

/* kg_digits_read for what is no short decimal. */
bool kg_digits_read_any(const char *begin, const char *limit, double *x);

/*
 * The double nearest to the number at begin, which is right JSON, ends before limit or is followed
 * by white space, and by KG_DIGITS_AHEAD readable bytes: when it is one of the usual ones (no more
 * than 19 digits behind the leading zeros, none of the very small or large ones). false: another
 * one, or too near the middle of two doubles to say; ask a slower reader.
 */
static inline bool kg_digits_read(const char *begin, const char *limit, double *x)
{
    if (limit - begin == 1) {
        *x = *begin - '0';
        return true;
    }
    bool minus = *begin == '-';
    const char *p = begin + minus;
    uint64_t part[KG_DIGITS_WORDS];
    if (limit - p > 2 + 18 || !kg_digits_decimal(begin, limit, part))
        return kg_digits_read_any(begin, limit, x);
    /* as if 18 digits stood behind the point: 8, 8, and the first 2 of the last word */
    uint64_t last = (part[2] & 0xFF) * 10 + (part[2] >> 8);
    uint64_t w = kg_eight_digits(part[0]) * 10000000000u + kg_eight_digits(part[1]) * 100 + last;
    return kg_digits_divide((uint64_t)(*p - '0') * 1000000000000000000u + w, 18, minus, x);
}

#endif
