/* SHA-256 (FIPS 180-4). */
#ifndef KG_BASE_SHA256_H
#define KG_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define KG_SHA256_BYTES 32
#define KG_SHA256_HEX   65

struct kg_sha256 {
    uint32_t h[8];
    uint64_t total;
    unsigned char block[64];
};

void kg_sha256_init(struct kg_sha256 *s);
void kg_sha256_add(struct kg_sha256 *s, const void *data, size_t n);
/* text and its NUL: so that two neighbouring texts cannot run together */
void kg_sha256_add_str(struct kg_sha256 *s, const char *text);
void kg_sha256_end(struct kg_sha256 *s, unsigned char out[KG_SHA256_BYTES]);
void kg_sha256_hex(const unsigned char digest[KG_SHA256_BYTES], char hex[KG_SHA256_HEX]);

#endif
