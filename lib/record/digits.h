/*
 * Decimal digits, eight at a time. Internal to lib/record.
 */
#ifndef KG_RECORD_DIGITS_H
#define KG_RECORD_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* The number of eight digits: neighbours are joined to pairs, pairs to fours, fours to eight. */
static inline uint64_t kg_eight_digits(const char *p)
{
    uint64_t v = kg_eight_bytes(p) & 0x0F0F0F0F0F0F0F0Fu;
    v = (v * 10 + (v >> 8)) & 0x00FF00FF00FF00FFu;
    v = (v * 100 + (v >> 16)) & 0x0000FFFF0000FFFFu;
    return (v * 10000 + (v >> 32)) & 0xFFFFFFFFu;
}

#define KG_DIGITS_MAX 19 /* fit into 64 bits */

__extension__ typedef unsigned __int128 kg_u128;

/* 10^-f, for f from 0: its first 128 bits, cut off; the value is (high 2^64 + low) / 2^scale. */
struct kg_tenth {
    uint64_t high, low;
    int scale;
};
extern const struct kg_tenth kg_tenths[KG_DIGITS_MAX + 1];

/*
 * w / 10^f to the nearest double. The product of w, shifted so that its highest bit is set, and 128
 * bits of 10^-f falls short of the true one by less than 2^64, so its upper 128 bits are at
 * most one too small, and rounding them to 53 is right unless the rest is next to the middle.
 */
static inline bool kg_digits_divide(uint64_t w, size_t f, double *x)
{
    if (!f || !w) {
        *x = (double)w;
        return true;
    }
    int shift = __builtin_clzll(w);
    w <<= shift;
    kg_u128 low = (kg_u128)w * kg_tenths[f].low;
    kg_u128 u = (kg_u128)w * kg_tenths[f].high + (uint64_t)(low >> 64);
    int drop = 128 - 53 - !(u >> 127);
    kg_u128 half = (kg_u128)1 << (drop - 1), rest = u & (2 * half - 1);
    if (rest + 2 >= half && rest <= half)
        return false;
    uint64_t m = (uint64_t)(u >> drop) + (rest > half);
    uint64_t exponent = (uint64_t)(drop + 64 - shift - kg_tenths[f].scale + 1023) << 52;
    double scale;
    memcpy(&scale, &exponent, sizeof scale);
    *x = (double)m * scale;
    return true;
}

/* Appends the digits at p to *w; returns how many. */
static inline size_t kg_digits_add(const char *p, const char *limit, uint64_t *w)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    const char *start = p;
    while (limit - p >= 8) {
        size_t n = kg_digits_of_eight(p);
        if (n < 8)
            break;
        *w = *w * 100000000 + kg_eight_digits(p);
        p += 8;
    }
    size_t n = p < limit ? kg_digits_of_eight(p) : 0;
    if (n > (size_t)(limit - p))
        n = (size_t)(limit - p);
    if (n) {
        /* the last n digits of eight whose first ones are zeros: shifted in behind the others */
        uint64_t v = (kg_eight_bytes(p) & 0x0F0F0F0F0F0F0F0Fu) << (8 * (8 - n));
        v = (v * 10 + (v >> 8)) & 0x00FF00FF00FF00FFu;
        v = (v * 100 + (v >> 16)) & 0x0000FFFF0000FFFFu;
        *w = *w * tens[n] + ((v * 10000 + (v >> 32)) & 0xFFFFFFFFu);
    }
    return (size_t)(p - start) + n;
}

/*
 * The double nearest to the number at begin, which is right JSON, ends before limit, and is
 * followed by eight readable bytes: when it is one of the usual ones (up to 19 digits, no
 * exponent). false: another one, or too near the middle of two doubles to say; ask a slower reader.
 */
static inline bool kg_digits_read(const char *begin, const char *limit, double *x)
{
    const char *p = begin + (*begin == '-');
    uint64_t w = 0;
    size_t whole, fraction = 0;
    if (limit - begin == 1) {
        *x = *begin - '0';
        return true;
    }
    if (limit - p > KG_DIGITS_MAX + 1) /* and a point */
        return false;
    if (p[1] == '.') {
        w = (uint64_t)(*p - '0');
        whole = 1;
    } else {
        whole = kg_digits_add(p, limit, &w);
    }
    p += whole;
    if (p < limit && *p == '.') {
        p++;
        fraction = kg_digits_add(p, limit, &w);
        p += fraction;
    }
    if (whole + fraction > KG_DIGITS_MAX || (p < limit && (*p == 'e' || *p == 'E')))
        return false;
    if (!kg_digits_divide(w, fraction, x))
        return false;
    if (*begin == '-')
        *x = -*x;
    return true;
}

#endif
