#include "score/mismatch.h"

#include "base/philox.h"
#include "tap.h"

static struct kg_policy p;
static struct kg_mismatch_bounds b;

static void bounds(double lower, double upper, double veto)
{
    kg_policy_init(&p);
    p.mismatch.lower = lower;
    p.mismatch.upper = upper;
    p.mismatch.veto = veto;
    kg_mismatch_bounds(&p, &b);
}

static void test_ratio(void)
{
    double train[] = {-1, -2, -3, NAN, -1}, rollout[] = {-1.5, -1, -3, -1, NAN};
    double mask[] = {1, 1, 1, 0, 0};
    struct kg_ratio r;
    kg_ratio_of(train, rollout, mask, 5, &r);
    EQ_INT(r.n, 3);
    NEAR(r.sum, -0.5, 1e-15);
    NEAR(r.min, -1, 0);
    kg_ratio_of(train, rollout, NULL, 3, &r);
    NEAR(r.sum, -0.5, 1e-15);
    kg_ratio_of(train, rollout, NULL, 5, &r);
    OK(isnan(r.sum));
    NEAR(r.min, -1, 0); /* NaN does not fire the veto */
    kg_ratio_of(NULL, NULL, NULL, 0, &r);
    OK(r.n == 0 && r.sum == 0 && isinf(r.min));
    bounds(0.5, 2, 0);
    kg_ratio_tokens(train, rollout, NULL, 5, &b, &r);
    EQ_INT(r.kept, 2); /* 0.5 and 0; -1 is below log 0.5, NaN is not within anything */
}

static void test_bounds(void)
{
    bounds(0.999, 1.001, 1e-4);
    OK(kg_mismatch_within(&b, 0) && kg_mismatch_within(&b, log(1.001)));
    OK(kg_mismatch_within(&b, log(0.999)) && !kg_mismatch_within(&b, 0.00101));
    OK(!kg_mismatch_within(&b, NAN) && !kg_mismatch_within(&b, -INFINITY));
    NEAR(b.veto, log(1e-4), 0);
    bounds(NAN, 2, 0);
    NEAR(b.lower, -log(2), 1e-16);
    OK(isinf(b.veto));
    NEAR(kg_mismatch_weight(&b, 5), 2, 0);
    NEAR(kg_mismatch_weight(&b, -50), exp(-20), 0);
    OK(isnan(kg_mismatch_weight(&b, NAN)));
    bounds(0.5, 1e9, 0); /* beyond what the clamp lets through */
    OK(kg_mismatch_within(&b, 400));
}

static void test_units(void)
{
    struct kg_key k[] = {{1, 1, 2}, {1, 2, 1}, {1, 1, 1}, {2, 1, 1}};
    struct kg_ratio r[] = {{2, 0.4, -1}, {4, -0.8, -9.3}, {8, 0.6, 0}, {0, 0, INFINITY}};
    uint32_t order[4];
    double w[4];
    bool v[4];
    kg_order_rows(k, 4, KG_ORDER_TRAJ, order);
    kg_mismatch_units(KG_LEVEL_TURN, k, r, order, 4, w);
    NEAR(w[0], 0.4, 0);
    kg_mismatch_units(KG_LEVEL_TURN_GEO, k, r, order, 4, w);
    NEAR(w[0], 0.2, 0);
    kg_mismatch_units(KG_LEVEL_SEQUENCE, k, r, order, 4, w);
    NEAR(w[0], 1, 0);
    NEAR(w[2], 1, 0);
    kg_mismatch_units(KG_LEVEL_GEOMETRIC, k, r, order, 4, w);
    NEAR(w[0], 0.1, 0);
    NEAR(w[1], -0.2, 0);
    NEAR(w[3], 0, 0);
    bounds(0.9, 1.1, 1e-4);
    kg_mismatch_veto(&b, KG_UNIT_TURN, k, r, order, 4, v);
    OK(!v[0] && v[1] && !v[2] && !v[3]);
    r[2].min = -10;
    kg_mismatch_veto(&b, KG_UNIT_ROLLOUT, k, r, order, 4, v);
    OK(v[0] && v[1] && v[2] && !v[3]);
}

/* Wider bounds never reject more. */
static void test_widening(void)
{
    int lost = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        double x = kg_philox(1, 2, i, 0, 0, 0).v[0] / 4294967296.0 * 4 - 2;
        bool before = false;
        for (double up = 1.01; up < 8; up *= 1.5) {
            bounds(1 / up, up, 0);
            bool now = kg_mismatch_within(&b, x);
            lost += before && !now;
            before = now;
        }
    }
    EQ_INT(lost, 0);
}

int main(void)
{
    test_ratio();
    test_bounds();
    test_units();
    test_widening();
    return tap_done();
}
