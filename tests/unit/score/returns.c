#include "score/returns.h"

#include "score/order.h"
#include "tap.h"

static void test_returns(void)
{
    struct kg_turn t[] = {{1, 1, true}, {2, 2, true}, {3, 4, true}};
    double g[3];
    kg_returns(t, 3, 0.5, g);
    NEAR(g[0], 3, 0);
    NEAR(g[1], 4, 0);
    NEAR(g[2], 4, 0);
    kg_returns(t, 3, 0, g);
    NEAR(g[0], 1, 0);
    t[1].mask = false; /* earns nothing, keeps its place */
    kg_returns(t, 3, 0.5, g);
    NEAR(g[0], 2, 0);
    struct kg_turn gap[] = {{1, 1, true}, {4, 8, true}};
    kg_returns(gap, 2, 0.5, g);
    NEAR(g[0], 2, 0);
    kg_returns(gap, 2, 1.5, g);
    NEAR(g[0], 1 + 27, 1e-12);
    kg_returns(gap, 0, 1, g);
}

static void test_unscorable(void)
{
    struct kg_turn t[] = {{1, 1, true}, {2, NAN, true}, {3, 4, true}};
    double g[3];
    kg_returns(t, 3, 1, g);
    OK(isnan(g[0]) && isnan(g[1]));
    NEAR(g[2], 4, 0);
    kg_returns(t, 3, 0, g);
    NEAR(g[0], 1, 0);
    OK(isnan(g[1]));
    t[1].mask = false;
    kg_returns(t, 3, 1, g);
    NEAR(g[0], 5, 0);
    struct kg_turn big[] = {{1, 1.7e308, true}, {2, 1.7e308, true}};
    kg_returns(big, 2, 1, g);
    OK(isnan(g[0]) && !isnan(g[1]));
    big[1].reward = INFINITY;
    kg_returns(big, 2, 1, g);
    OK(isnan(g[0]) && isnan(g[1]));
}

static void test_void(void)
{
    struct kg_turn t[] = {{1, 0, true}, {2, 1, true}, {3, 0, true}, {4, NAN, true}, {5, -1, true}};
    bool m[5];
    kg_void_mask(t, 5, false, m);
    OK(m[0] && m[1] && !m[2] && m[3] && !m[4]);
    t[1].mask = false; /* a masked success is none */
    kg_void_mask(t, 5, false, m);
    OK(m[0] && !m[1] && m[2] && m[4]);
    kg_void_mask(t, 5, true, m);
    OK(!m[0] && !m[2] && !m[3]);
}

static void test_order(void)
{
    struct kg_key k[] = {{2, 1, 1}, {1, 2, 2}, {1, 1, 2}, {1, 2, 1}, {1, 1, 1}, {2, 0, 1}};
    uint32_t o[6];
    kg_order_rows(k, 6, KG_ORDER_TRAJ, o);
    OK(o[0] == 4 && o[1] == 2 && o[2] == 3 && o[3] == 1 && o[4] == 5 && o[5] == 0);
    EQ_INT(kg_order_traj_end(k, o, 6, 0), 2);
    EQ_INT(kg_order_uid_end(k, o, 6, 0), 4);
    kg_order_rows(k, 6, KG_ORDER_TURN, o);
    OK(o[0] == 4 && o[1] == 3 && o[2] == 2 && o[3] == 1);
    EQ_INT(kg_order_turn_end(k, o, 6, 0), 2);
    kg_order_rows(k, 1, KG_ORDER_TURN, o);
    EQ_INT(o[0], 0);
}

int main(void)
{
    test_returns();
    test_unscorable();
    test_void();
    test_order();
    return tap_done();
}
