#include "record/digits.h"

#include <math.h>

#define DIGITS_MAX 19 /* fit into 64 bits */

static const double tens[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                              1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
static const uint64_t int_tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

/*
 * w / p to the nearest double, p an exact power of ten. The quotient of the rounded w has an error
 * that is known exactly (fma), so q + e is the quotient to about 100 bits; q is the answer unless e
 * is so near to half a step of q that what is still missing could tip it.
 */
static bool divide(uint64_t w, double p, double *x)
{
    double high = (double)w, low = (double)(int64_t)(w - (uint64_t)high);
    double first = high / p;
    double rest = (fma(-first, p, high) + low) / p;
    double q = first + rest;
    double e = rest - (q - first);
    *x = q;
    return q + e * (1 + 0x1p-30) == q;
}

/* Appends the digits at p to *w; returns how many. */
static size_t add_digits(const char *p, const char *limit, uint64_t *w)
{
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
        *w = *w * int_tens[n] + ((v * 10000 + (v >> 32)) & 0xFFFFFFFFu);
    }
    return (size_t)(p - start) + n;
}

bool kg_digits_read(const char *begin, const char *limit, double *x)
{
    const char *p = begin + (*begin == '-');
    uint64_t w = 0;
    size_t whole, fraction = 0;
    if (limit - p > DIGITS_MAX + 1) /* and a point */
        return false;
    whole = add_digits(p, limit, &w);
    p += whole;
    if (p < limit && *p == '.') {
        p++;
        fraction = add_digits(p, limit, &w);
        p += fraction;
    }
    if (whole + fraction > DIGITS_MAX || (p < limit && (*p == 'e' || *p == 'E')))
        return false;
    if (!divide(w, tens[fraction], x))
        return false;
    if (*begin == '-')
        *x = -*x;
    return true;
}
