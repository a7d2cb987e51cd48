/* Vectors of FIPS 180-4 (the examples that NIST publishes with it). */
#include "base/sha256.h"
#include "tap.h"

static const char *hex_of(const char *s, size_t n, size_t piece)
{
    static char hex[KG_SHA256_HEX];
    unsigned char d[KG_SHA256_BYTES];
    struct kg_sha256 h;
    kg_sha256_init(&h);
    for (size_t i = 0; i < n; i += piece)
        kg_sha256_add(&h, s + i, n - i < piece ? n - i : piece);
    kg_sha256_end(&h, d);
    kg_sha256_hex(d, hex);
    return hex;
}

int main(void)
{
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static const char four[] = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                               "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
    static char million[1000000];
    memset(million, 'a', sizeof million);
    EQ_STR(hex_of("", 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EQ_STR(hex_of("abc", 3, 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EQ_STR(hex_of(two, 56, 7), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EQ_STR(hex_of(four, 112, 112),
           "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    EQ_STR(hex_of(million, sizeof million, 4097),
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    /* the pieces in which bytes come change nothing, at every length around a block */
    for (size_t n = 54; n < 66; n++) {
        char whole[KG_SHA256_HEX];
        snprintf(whole, sizeof whole, "%s", hex_of(million, n, n));
        EQ_STR(hex_of(million, n, 1), whole);
    }
    struct kg_sha256 a, b;
    unsigned char da[KG_SHA256_BYTES], db[KG_SHA256_BYTES];
    kg_sha256_init(&a);
    kg_sha256_add_str(&a, "ab");
    kg_sha256_add_str(&a, "c");
    kg_sha256_end(&a, da);
    kg_sha256_init(&b);
    kg_sha256_add_str(&b, "a");
    kg_sha256_add_str(&b, "bc");
    kg_sha256_end(&b, db);
    OK(memcmp(da, db, sizeof da) != 0);
    return tap_done();
}
