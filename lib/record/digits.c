#include "record/digits.h"

#define DIGITS_MAX 19 /* fit into 64 bits */

static const uint64_t int_tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

/* 10^-f, for f from 0: its first 128 bits, cut off; the value is (high 2^64 + low) / 2^scale. */
static const struct {
    uint64_t high, low;
    int scale;
} tenths[DIGITS_MAX + 1] = {
    {0x8000000000000000u, 0x0000000000000000u, 127},
    {0xCCCCCCCCCCCCCCCCu, 0xCCCCCCCCCCCCCCCCu, 131},
    {0xA3D70A3D70A3D70Au, 0x3D70A3D70A3D70A3u, 134},
    {0x83126E978D4FDF3Bu, 0x645A1CAC083126E9u, 137},
    {0xD1B71758E219652Bu, 0xD3C36113404EA4A8u, 141},
    {0xA7C5AC471B478423u, 0x0FCF80DC33721D53u, 144},
    {0x8637BD05AF6C69B5u, 0xA63F9A49C2C1B10Fu, 147},
    {0xD6BF94D5E57A42BCu, 0x3D32907604691B4Cu, 151},
    {0xABCC77118461CEFCu, 0xFDC20D2B36BA7C3Du, 154},
    {0x89705F4136B4A597u, 0x31680A88F8953030u, 157},
    {0xDBE6FECEBDEDD5BEu, 0xB573440E5A884D1Bu, 161},
    {0xAFEBFF0BCB24AAFEu, 0xF78F69A51539D748u, 164},
    {0x8CBCCC096F5088CBu, 0xF93F87B7442E45D3u, 167},
    {0xE12E13424BB40E13u, 0x2865A5F206B06FB9u, 171},
    {0xB424DC35095CD80Fu, 0x538484C19EF38C94u, 174},
    {0x901D7CF73AB0ACD9u, 0x0F9D37014BF60A10u, 177},
    {0xE69594BEC44DE15Bu, 0x4C2EBE687989A9B3u, 181},
    {0xB877AA3236A4B449u, 0x09BEFEB9FAD487C2u, 184},
    {0x9392EE8E921D5D07u, 0x3AFF322E62439FCFu, 187},
    {0xEC1E4A7DB69561A5u, 0x2B31E9E3D06C32E5u, 191},
};

/*
 * w / 10^f to the nearest double. The product of w, shifted so that its highest bit is set, and 128
 * bits of 10^-f falls short of the true one by less than 2^64, so of its upper 128 bits only the
 * last is in doubt, and rounding them to 53 is right unless the rest is next to the middle.
 */
static bool divide(uint64_t w, size_t f, double *x)
{
    if (!f || !w) {
        *x = (double)w;
        return true;
    }
    int shift = __builtin_clzll(w);
    w <<= shift;
    unsigned __int128 low = (unsigned __int128)w * tenths[f].low;
    unsigned __int128 u = (unsigned __int128)w * tenths[f].high + (uint64_t)(low >> 64);
    int drop = 128 - 53 - !(u >> 127);
    unsigned __int128 half = (unsigned __int128)1 << (drop - 1), rest = u & (2 * half - 1);
    if (rest + 2 >= half && rest <= half)
        return false;
    uint64_t m = (uint64_t)(u >> drop) + (rest > half);
    uint64_t exponent = (uint64_t)(drop + 64 - shift - tenths[f].scale + 1023) << 52;
    double scale;
    memcpy(&scale, &exponent, sizeof scale);
    *x = (double)m * scale;
    return true;
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
    if (limit - begin == 1) {
        *x = *begin - '0';
        return true;
    }
    if (limit - p > DIGITS_MAX + 1) /* and a point */
        return false;
    if (p[1] == '.') {
        w = (uint64_t)(*p - '0');
        whole = 1;
    } else {
        whole = add_digits(p, limit, &w);
    }
    p += whole;
    if (p < limit && *p == '.') {
        p++;
        fraction = add_digits(p, limit, &w);
        p += fraction;
    }
    if (whole + fraction > DIGITS_MAX || (p < limit && (*p == 'e' || *p == 'E')))
        return false;
    if (!divide(w, fraction, x))
        return false;
    if (*begin == '-')
        *x = -*x;
    return true;
}
