#include "score/exactsum.h"

#include <math.h>
#include <string.h>

/* Each addition changes a word by less than 2^32, so a word of 64 bits takes 2^30 of them. */
#define PENDING_MAX ((uint32_t)1 << 30)

void kg_exactsum_init(struct kg_exactsum *s)
{
    memset(s, 0, sizeof *s);
    s->lo = KG_EXACT_WORDS;
    s->hi = -1;
}

/* Moves carries up until every touched word but the highest lies in [0, 2^32). */
static void settle(struct kg_exactsum *s)
{
    int64_t carry = 0;
    for (int i = s->lo; i <= s->hi; i++) {
        int64_t w = s->word[i] + carry;
        if (i == s->hi && i + 1 < KG_EXACT_WORDS && (w > INT32_MAX || w < INT32_MIN))
            s->hi = i + 1;
        if (i == s->hi) {
            s->word[i] = w;
            break;
        }
        carry = w >> 32;
        s->word[i] = w & 0xFFFFFFFF;
    }
    s->pending = 0;
}

void kg_exactsum_add(struct kg_exactsum *s, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) & 0x7FF;
    uint64_t m = bits & 0xFFFFFFFFFFFFF;
    if (exponent == 0x7FF) {
        s->special += x;
        return;
    }
    if (exponent)
        m |= (uint64_t)1 << 52;
    else
        exponent = 1;
    if (!m)
        return;
    int at = (exponent - 1) >> 5, shift = (exponent - 1) & 31;
    /* 53 bits shifted by up to 31: at most 84 bits, over three words */
    uint64_t low = (m & 0xFFFFFFFF) << shift, high = (m >> 32) << shift;
    int64_t w0 = (int64_t)(low & 0xFFFFFFFF), w1 = (int64_t)((low >> 32) + (high & 0xFFFFFFFF)),
            w2 = (int64_t)(high >> 32);
    if (bits >> 63)
        w0 = -w0, w1 = -w1, w2 = -w2;
    s->word[at] += w0;
    s->word[at + 1] += w1;
    s->word[at + 2] += w2;
    if (at < s->lo)
        s->lo = at;
    if (at + 2 > s->hi)
        s->hi = at + 2;
    if (++s->pending == PENDING_MAX)
        settle(s);
}

void kg_exactsum_merge(struct kg_exactsum *s, const struct kg_exactsum *other)
{
    struct kg_exactsum o = *other;
    settle(&o);
    settle(s);
    s->special += o.special;
    for (int i = o.lo; i <= o.hi; i++)
        s->word[i] += o.word[i];
    if (o.lo < s->lo)
        s->lo = o.lo;
    if (o.hi > s->hi)
        s->hi = o.hi;
    settle(s);
}

/* The value of the words of a number that is not negative: w[hi] is the highest that is not 0. */
static double round_words(const uint32_t *w, int hi)
{
    uint64_t top = w[hi];
    int bits = 0; /* of the highest word */
    while (bits < 32 && top >> bits)
        bits++;
    /* 64 bits from the highest one down, and whether anything is below them */
    uint64_t m = top << (64 - bits);
    uint64_t next = hi >= 1 ? w[hi - 1] : 0, last = hi >= 2 ? w[hi - 2] : 0;
    m |= next << (32 - bits);
    uint32_t rest = 0;
    if (bits) {
        m |= last >> bits;
        rest = (uint32_t)(last & (((uint64_t)1 << bits) - 1));
    }
    for (int i = hi - 3; i >= 0 && !rest; i--)
        rest |= w[i];
    /* weight of m's lowest bit: 2^e */
    int e = 32 * hi + bits - 64 - 1074;
    int drop = 11; /* a double holds 53 of the 64 bits, fewer when it is subnormal */
    if (e + drop < -1074)
        drop = -1074 - e;
    if (drop >= 64)
        return 0; /* not reached: the lowest bit of the sum is 2^-1074 itself */
    uint64_t cut = m & (((uint64_t)1 << drop) - 1), half = (uint64_t)1 << (drop - 1);
    uint64_t q = m >> drop;
    if (cut > half || (cut == half && (rest || (q & 1))))
        q++;
    return ldexp((double)q, e + drop);
}

double kg_exactsum_round(struct kg_exactsum *s)
{
    if (s->special != 0) /* NaN or infinite */
        return s->special;
    if (s->hi < 0)
        return 0;
    settle(s);
    int sign = 1;
    uint32_t w[KG_EXACT_WORDS + 1];
    if (s->word[s->hi] < 0)
        sign = -1;
    int64_t carry = 0;
    int top = -1;
    memset(w, 0, sizeof w);
    for (int i = s->lo; i < KG_EXACT_WORDS + 1; i++) {
        int64_t v = (i <= s->hi ? sign * s->word[i] : 0) + carry;
        w[i] = (uint32_t)(v & 0xFFFFFFFF);
        carry = v >> 32;
        if (w[i])
            top = i;
        if (i > s->hi && carry == 0)
            break;
    }
    return top < 0 ? 0 : sign * round_words(w, top);
}

double kg_exactsum_of(const double *x, size_t n)
{
    struct kg_exactsum s;
    kg_exactsum_init(&s);
    for (size_t i = 0; i < n; i++)
        kg_exactsum_add(&s, x[i]);
    return kg_exactsum_round(&s);
}
