#include "score/draw.h"

#include "base/philox.h"
#include "tap.h"

static double draw(uint64_t seed, const char *kind, const char *uid, const char *traj, int64_t turn)
{
    struct kg_draw_id u = {uid, strlen(uid)}, t = {traj, traj ? strlen(traj) : 0};
    return kg_draw(seed, kind, u, traj ? &t : NULL, turn);
}

/* The known answers that the authors of Philox publish with their code (kat_vectors). */
static void test_published_vectors(void)
{
    struct kg_philox r = kg_philox(0, 0, 0, 0, 0, 0);
    OK(r.v[0] == 0x6627e8d5 && r.v[1] == 0xe169c58d && r.v[2] == 0xbc57ac4c &&
       r.v[3] == 0x9b00dbd8);
    uint32_t f = 0xffffffff;
    r = kg_philox(f, f, f, f, f, f);
    OK(r.v[0] == 0x408f276d && r.v[1] == 0x41c83b0e && r.v[2] == 0xa20bc7c6 &&
       r.v[3] == 0x6d5451fd);
    r = kg_philox(0xa4093822, 0x299f31d0, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344);
    OK(r.v[0] == 0xd16cfe09 && r.v[1] == 0x94fdcceb && r.v[2] == 0x5001e420 &&
       r.v[3] == 0x24126ea1);
}

static void test_reference_values(void)
{
    NEAR(draw(0, "prs", "sp0", "i0", 1), 0.026307059448709813, 0);
    NEAR(draw(7, "prs", "i7", "s7", 3), 0.39527557599513685, 0);
}

static void test_all_parts_count(void)
{
    double u = draw(1, "prs", "s1", "s2", 3);
    OK(u >= 0 && u < 1);
    OK(u != draw(2, "prs", "s1", "s2", 3));
    OK(u != draw((uint64_t)1 << 32 | 1, "prs", "s1", "s2", 3));
    OK(u != draw(1, "row", "s1", "s2", 3));
    OK(u != draw(1, "prs", "i1", "s2", 3));
    OK(u != draw(1, "prs", "s1", "i2", 3));
    OK(u != draw(1, "prs", "s1", "s2", 4));
    OK(u != draw(1, "prs", "s1", NULL, 3));
    OK(draw(1, "prs", "s12", "s3", 3) != draw(1, "prs", "s1", "s23", 3));
}

/* Mean and variance of a uniform variable, within five standard errors. */
static void test_spread(void)
{
    double sum = 0, squares = 0;
    int n = 20000;
    for (int i = 0; i < n; i++) {
        double u = draw(9, "prs", "sgroup", "i1", i);
        sum += u;
        squares += u * u;
    }
    double mean = sum / n;
    NEAR(mean, 0.5, 5 * sqrt(1.0 / 12 / n));
    NEAR(squares / n - mean * mean, 1.0 / 12, 5 * sqrt(1.0 / 180 / n));
}

int main(void)
{
    test_published_vectors();
    test_reference_values();
    test_all_parts_count();
    test_spread();
    return tap_done();
}
