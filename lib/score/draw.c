#include "score/draw.h"

#include "base/philox.h"
#include "base/sha256.h"

static void add_u64(struct kg_sha256 *s, uint64_t v)
{
    unsigned char b[8];
    for (int i = 0; i < 8; i++)
        b[i] = (unsigned char)(v >> (8 * i));
    kg_sha256_add(s, b, sizeof b);
}

static void add_id(struct kg_sha256 *s, struct kg_draw_id id)
{
    kg_sha256_add(s, id.text, 1);
    add_u64(s, id.len - 1);
    kg_sha256_add(s, id.text + 1, id.len - 1);
}

static uint32_t word(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

double kg_draw(uint64_t seed, const char *kind, struct kg_draw_id uid,
               const struct kg_draw_id *traj, int64_t turn)
{
    struct kg_sha256 s;
    unsigned char d[KG_SHA256_BYTES];
    kg_sha256_init(&s);
    kg_sha256_add_str(&s, kind);
    add_id(&s, uid);
    if (traj) {
        add_id(&s, *traj);
        add_u64(&s, (uint64_t)turn);
    }
    kg_sha256_end(&s, d);
    struct kg_philox r = kg_philox((uint32_t)seed, (uint32_t)(seed >> 32), word(d), word(d + 4),
                                   word(d + 8), word(d + 12));
    return kg_philox_u53(r.v[0], r.v[1]);
}
