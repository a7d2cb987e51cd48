/* Known answers of Philox4x32-10 (published with Random123), and the doubles made from them. */
#include "base/philox.h"
#include "tap.h"

static void known(uint32_t k0, uint32_t k1, const uint32_t c[4], const uint32_t want[4])
{
    struct kg_philox r = kg_philox(k0, k1, c[0], c[1], c[2], c[3]);
    for (int i = 0; i < 4; i++)
        EQ_INT(r.v[i], want[i]);
}

int main(void)
{
    known(0, 0, (const uint32_t[4]){0, 0, 0, 0},
          (const uint32_t[4]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    known(0xffffffff, 0xffffffff,
          (const uint32_t[4]){0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
          (const uint32_t[4]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    known(0xa4093822, 0x299f31d0,
          (const uint32_t[4]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
          (const uint32_t[4]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
    NEAR(kg_philox_u53(0, 0), 0, 0);
    NEAR(kg_philox_u53(0x80000000u, 0), 0.5, 0);
    NEAR(kg_philox_u53(0, 1u << 11), 0x1p-53, 0);
    NEAR(kg_philox_u53(0, (1u << 11) - 1), 0, 0);
    NEAR(kg_philox_u53(0xffffffff, 0xffffffff), 1 - 0x1p-53, 0);
    OK(kg_philox_u53(0xffffffff, 0xffffffff) < 1);
    return tap_done();
}
