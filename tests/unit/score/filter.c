#include "score/filter.h"

#include "tap.h"

#define MAX 64

static struct kg_policy p;
static struct kg_key keys[MAX];
static struct kg_filter_row rows[MAX];
static size_t n;

/* made up, but fixed: trajectory k of group g has draw (7 g + 3 k) mod 10 / 10 */
static double draw(void *ctx, size_t row, bool group)
{
    (void)ctx;
    uint64_t x = group ? keys[row].uid * 3 : keys[row].uid * 7 + keys[row].traj * 3;
    return (double)(x % 10) / 10;
}

static void start(void)
{
    kg_policy_init(&p);
    n = 0;
}

static void row(uint64_t uid, uint64_t traj, int64_t turn, double reward, uint64_t tokens)
{
    keys[n] = (struct kg_key){uid, traj, turn};
    rows[n++] = (struct kg_filter_row){reward, tokens, true, true, KG_FILTER_KEPT};
}

static const char *run(void)
{
    static char text[MAX + 1];
    uint32_t order[MAX];
    kg_order_rows(keys, n, KG_ORDER_TRAJ, order);
    kg_filter(&p, keys, rows, order, n, draw, NULL);
    for (size_t i = 0; i < n; i++)
        text[i] = ".fmgp"[rows[i].out];
    text[n] = 0;
    return text;
}

static void test_flat(void)
{
    start();
    row(1, 1, 1, 0, 1);
    row(1, 1, 2, 1, 1);
    row(1, 2, 1, 1, 1);
    row(1, 2, 2, 1, 1);
    row(2, 1, 1, 5, 1); /* alone: not flat */
    OK(!kg_filter_wanted(&p));
    EQ_STR(run(), ".....");
    p.group.drop_flat = 1e-3;
    OK(kg_filter_wanted(&p));
    EQ_STR(run(), "ffff."); /* the last turns are equal */
    p.group.flat_on = KG_FLAT_ALL;
    EQ_STR(run(), ".....");
    p.group.flat_on = KG_FLAT_LAST;
    rows[3].mask = false; /* its last turn is now the first */
    rows[2].reward = 0.5;
    EQ_STR(run(), ".....");
}

static void test_min_group(void)
{
    start();
    p.group.min_group = 2;
    row(1, 1, 1, 0, 1);
    row(1, 2, 1, 1, 1);
    row(2, 1, 1, 0, 1);
    EQ_STR(run(), "..m");
    rows[1].keep = false; /* rejected before: no longer left */
    EQ_STR(run(), "mmm");
}

static void test_groups(void)
{
    start();
    p.group.groups = 2;
    p.group.per_group = 2;
    for (uint64_t g = 1; g <= 3; g++)
        for (uint64_t t = 1; t <= (g == 3 ? 1 : 2); t++)
            row(g, t, 1, 0, 1);
    EQ_STR(run(), "....g"); /* the incomplete one goes, whatever its draw */
    row(3, 2, 1, 0, 1);
    EQ_STR(run(), "gg...."); /* draws 0.3, 0.6, 0.9 */
}

static void test_per_group(void)
{
    start();
    p.group.per_group = 2;
    for (uint64_t t = 1; t <= 4; t++)
        row(1, t, 1, t, 10);
    EQ_STR(run(), "pp.."); /* draws 0, 0.3, 0.6, 0.9 */
}

static void test_efficiency(void)
{
    start();
    p.group.per_group = 4;
    p.group.by = KG_THIN_EFFICIENCY;
    row(1, 1, 1, 2, 10);
    row(1, 2, 1, 2, 5);
    row(1, 3, 1, 1, 1);
    row(1, 4, 1, 0, 9);
    row(1, 5, 1, 0, 3);
    row(1, 6, 1, 0, 6);
    EQ_STR(run(), "p..p.."); /* two places each */
    for (int i = 3; i < 6; i++)
        rows[i].reward = NAN;
    EQ_STR(run(), "p..p..");
    p.group.per_group = 1;
    rows[0].reward = rows[1].reward = rows[2].reward = 0;
    EQ_STR(run(), "pp.ppp");
}

int main(void)
{
    test_flat();
    test_min_group();
    test_groups();
    test_per_group();
    test_efficiency();
    return tap_done();
}
