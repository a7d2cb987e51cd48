#include "judge/secret.h"

#include <string.h>
#include <sys/random.h>

#include "base/exit.h"
#include "base/msg.h"
#include "base/philox.h"
#include "base/sha256.h"

#include <stdlib.h>

void kg_secret_init(struct kg_secret *s, const char *seed, const char *what)
{
    *s = (struct kg_secret){.fixed = seed != NULL};
    if (!seed)
        return;
    unsigned char d[KG_SHA256_BYTES];
    struct kg_sha256 h;
    kg_sha256_init(&h);
    kg_sha256_add_str(&h, seed);
    kg_sha256_add_str(&h, what);
    kg_sha256_end(&h, d);
    memcpy(s->key, d, sizeof s->key);
    memcpy(&s->counter, d + 8, sizeof s->counter);
}

/* There is no going on without secrets: a judge whose seeds can be guessed judges nothing. */
static void draw(struct kg_secret *s)
{
    ssize_t n;
    do
        n = getrandom(s->pool, sizeof s->pool, 0);
    while (n != (ssize_t)sizeof s->pool && n >= 0);
    if (n < 0) {
        kg_msg_error("getrandom: no random numbers from the kernel");
        exit(KG_EXIT_OUTPUT);
    }
    s->left = sizeof s->pool / sizeof *s->pool;
}

uint64_t kg_secret_u64(struct kg_secret *s)
{
    if (s->fixed) {
        uint64_t c = s->counter++;
        struct kg_philox p =
            kg_philox(s->key[0], s->key[1], (uint32_t)c, (uint32_t)(c >> 32), 0x6b67, 0);
        return (uint64_t)p.v[0] << 32 | p.v[1];
    }
    if (!s->left)
        draw(s);
    return s->pool[--s->left];
}

uint64_t kg_secret_below(struct kg_secret *s, uint64_t n)
{
    uint64_t x, limit = UINT64_MAX - UINT64_MAX % n;
    do
        x = kg_secret_u64(s);
    while (x >= limit);
    return x % n;
}

void kg_secret_shuffle(struct kg_secret *s, size_t *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)kg_secret_below(s, i), t = x[i - 1];
        x[i - 1] = x[j];
        x[j] = t;
    }
}
