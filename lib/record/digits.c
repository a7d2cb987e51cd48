#include "record/digits.h"

const struct kg_tenth kg_tenths[KG_DIGITS_TENTHS + 1] = {
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
    {0xBCE5086492111AEAu, 0x88F4BB1CA6BCF584u, 194},
    {0x971DA05074DA7BEEu, 0xD3F6FC16EBCA5E03u, 197},
    {0xF1C90080BAF72CB1u, 0x5324C68B12DD6338u, 201},
    {0xC16D9A0095928A27u, 0x75B7053C0F178293u, 204},
    {0x9ABE14CD44753B52u, 0xC4926A9672793542u, 207},
    {0xF79687AED3EEC551u, 0x3A83DDBD83F52204u, 211},
    {0xC612062576589DDAu, 0x95364AFE032A819Du, 214},
    {0x9E74D1B791E07E48u, 0x775EA264CF55347Du, 217},
    {0xFD87B5F28300CA0Du, 0x8BCA9D6E188853FCu, 221},
    {0xCAD2F7F5359A3B3Eu, 0x096EE45813A04330u, 224},
    {0xA2425FF75E14FC31u, 0xA1258379A94D028Du, 227},
    {0x81CEB32C4B43FCF4u, 0x80EACF948770CED7u, 230},
    {0xCFB11EAD453994BAu, 0x67DE18EDA5814AF2u, 234},
    {0xA6274BBDD0FADD61u, 0xECB1AD8AEACDD58Eu, 237},
    {0x84EC3C97DA624AB4u, 0xBD5AF13BEF0B113Eu, 240},
    {0xD4AD2DBFC3D07787u, 0x955E4EC64B44E864u, 244},
    {0xAA242499697392D2u, 0xDDE50BD1D5D0B9E9u, 247},
    {0x881CEA14545C7575u, 0x7E50D64177DA2E54u, 250},
    {0xD9C7DCED53C72255u, 0x96E7BD358C904A21u, 254},
    {0xAE397D8AA96C1B77u, 0xABEC975E0A0D081Au, 257},
    {0x8B61313BBABCE2C6u, 0x2323AC4B3B3DA015u, 260},
};

/* Appends the digits at p to *w; returns how many. */
static size_t add_digits(const char *p, const char *limit, uint64_t *w)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    const char *start = p;
    while (limit - p >= 8) {
        size_t n = kg_digits_of_eight(p);
        if (n < 8)
            break;
        *w = *w * 100000000 + kg_eight_digits(kg_eight_bytes(p) & 0x0F0F0F0F0F0F0F0Fu);
        p += 8;
    }
    size_t n = p < limit ? kg_digits_of_eight(p) : 0;
    if (n > (size_t)(limit - p))
        n = (size_t)(limit - p);
    if (n) {
        /* the last n digits of eight whose first ones are zeros: shifted in behind the others */
        uint64_t v = (kg_eight_bytes(p) & 0x0F0F0F0F0F0F0F0Fu) << (8 * (8 - n));
        *w = *w * tens[n] + kg_eight_digits(v);
    }
    return (size_t)(p - start) + n;
}

/* The exponent at p, "e-05" or the like; a large one for more than three digits. */
static int read_exponent(const char *p, const char *limit)
{
    bool minus = p[1] == '-';
    uint64_t e = 0;
    p += 1 + (minus || p[1] == '+');
    if (add_digits(p, limit, &e) > 3)
        return 10000;
    return minus ? -(int)e : (int)e;
}

bool kg_digits_read_any(const char *begin, const char *limit, double *x)
{
    bool minus = *begin == '-';
    const char *p = begin + minus;
    uint64_t w = 0;
    size_t zeros = *p == '0', whole = add_digits(p, limit, &w), fraction = 0;
    p += whole;
    if (p < limit && *p == '.') {
        const char *digit = ++p;
        fraction = add_digits(p, limit, &w);
        p += fraction;
        for (; zeros && digit < p && *digit == '0'; digit++)
            zeros++;
    }
    if (whole + fraction - zeros > KG_DIGITS_MAX || fraction > 2 * KG_DIGITS_TENTHS)
        return false;
    int tenths = (int)fraction;
    if (p < limit && (*p == 'e' || *p == 'E'))
        tenths -= read_exponent(p, limit);
    return tenths >= 0 && tenths <= KG_DIGITS_TENTHS &&
           kg_digits_divide(w, (size_t)tenths, minus, x);
}
