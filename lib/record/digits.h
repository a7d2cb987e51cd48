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

/*
 * The double nearest to the number at begin, which is right JSON, ends before limit, and is
 * followed by eight readable bytes: when it is one of the usual ones (up to 19 digits, no
 * exponent). false: another one, or too near the middle of two doubles to say; ask a slower reader.
 */
bool kg_digits_read(const char *begin, const char *limit, double *x);

#endif
