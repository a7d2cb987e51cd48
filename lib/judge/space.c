#include "judge/space.h"

#include <string.h>

#include "base/mix.h"

uint64_t kg_space_hash_bytes(uint64_t key, const void *p, size_t bytes)
{
    const unsigned char *b = p;
    uint64_t sum = kg_mix_word(key, ~(uint64_t)0, (uint32_t)bytes);
    size_t words = bytes / 4;
    uint32_t w;
    for (size_t i = 0; i < words; i++) {
        memcpy(&w, b + 4 * i, 4);
        sum += kg_mix_word(key, i, w);
    }
    if (bytes % 4) {
        w = 0;
        memcpy(&w, b + 4 * words, bytes % 4);
        sum += kg_mix_word(key, words, w);
    }
    return sum;
}

struct kg_space *kg_space_open(const char *device, struct kg_error *err)
{
    if (!strcmp(device, "host"))
        return kg_space_open_host(err);
#if KG_HAVE_CUDA
    return kg_space_open_cuda(device, err);
#else
    kg_error_set(err, KG_E_MISSING, "device '%s': this kg was built for the host device only",
                 device);
    return NULL;
#endif
}

void kg_space_close(struct kg_space *s)
{
    if (s)
        s->ops->close(s);
}
