/* Rewards: each function, the clip, the gate, and above all when there is none. */
#include "score/reward.h"
#include "tap.h"

static struct kg_policy base(void)
{
    struct kg_policy p;
    kg_policy_init(&p);
    return p;
}

static struct kg_reward_in right(double speedup, double coverage)
{
    struct kg_reward_in in = {
        KG_OUTCOME_CORRECT, true, speedup, speedup, false, {coverage, coverage, coverage}};
    return in;
}

static double reward(const struct kg_policy *p, struct kg_reward_in in)
{
    return kg_reward_compute(p, &in).reward;
}

static void test_equation_8(void)
{
    struct kg_policy p = base();
    NEAR(reward(&p, right(1.5, 0.8)), 1 + 1.5 + 0.8, 0);
    NEAR(reward(&p, right(3, 1)), 5, 0);
    NEAR(reward(&p, right(100, 1)), 5, 0);
    NEAR(reward(&p, right(0, 0)), 1, 0);
    NEAR(reward(&p, right(-1, 0)), 1, 0);
}

static void test_terms_sum(void)
{
    struct kg_policy p = base();
    struct kg_reward_in in = right(1.7, 0.3);
    struct kg_reward w = kg_reward_compute(&p, &in);
    NEAR(w.correctness + w.speedup + w.coverage, w.reward, 0);
    OK(isnan(w.failure));
    in.outcome = KG_OUTCOME_WRONG;
    w = kg_reward_compute(&p, &in);
    NEAR(w.failure, 0, 0);
    NEAR(w.reward, 0, 0);
}

static void test_clip(void)
{
    struct kg_policy p = base();
    p.reward.correct = p.reward.coverage = 0;
    p.reward.speedup_lower = 1.05;
    p.reward.speedup_upper = 1.25;
    NEAR(reward(&p, right(1.25, 0)), 1.25, 0);
    NEAR(reward(&p, right(1.26, 0)), 1.25, 0);
    NEAR(reward(&p, right(1.05, 0)), 1.05, 0);
    NEAR(reward(&p, right(1.0499, 0)), 0, 0);
    p.reward.speedup_upper = 1; // below lower: nothing is ever paid
    NEAR(reward(&p, right(9, 0)), 0, 0);
    p = base();
    p.reward.correct = p.reward.coverage = 0;
    p.reward.speedup_upper = 11;
    p.reward.speedup_lower = p.reward.speedup_offset = 1;
    NEAR(reward(&p, right(1, 0)), 0, 0);
    NEAR(reward(&p, right(2.5, 0)), 1.5, 0);
    NEAR(reward(&p, right(50, 0)), 10, 0);
    NEAR(reward(&p, right(0.5, 0)), 0, 0);
}

static void test_weighted(void)
{
    struct kg_policy p = base();
    p.reward.function = KG_REWARD_WEIGHTED;
    p.reward.correct = p.reward.speedup = 0.5;
    p.reward.coverage = 0;
    NEAR(reward(&p, right(1.01, NAN)), 1, 0);
    NEAR(reward(&p, right(1.0099, NAN)), 0.5, 0);
}

static void test_like_kernel(void)
{
    static const struct {
        double s, want;
    } steps[] = {{3, 1},     {2.99, 0.8}, {2, 0.8},     {1.5, 0.6},
                 {1.2, 0.4}, {1, 0.2},    {0.99, -0.1}, {-5, -0.1}};
    struct kg_policy p = base();
    p.reward.function = KG_REWARD_LIKE_KERNEL;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        NEAR(reward(&p, right(steps[i].s, NAN)), steps[i].want, 0);
    struct kg_reward_in in = {KG_OUTCOME_WRONG, true, NAN, NAN, false, KG_COVERAGE_UNKNOWN};
    NEAR(reward(&p, in), -0.3, 0);
    in.compiled = false;
    NEAR(reward(&p, in), -0.5, 0);
    in.outcome = KG_OUTCOME_FAILED;
    NEAR(reward(&p, in), -1, 0);
    OK(isnan(reward(&p, right(NAN, NAN))));
}

static void none(const struct kg_policy *p, struct kg_reward_in in, enum kg_unscored why)
{
    struct kg_reward w = kg_reward_compute(p, &in);
    OK(isnan(w.reward));
    EQ_STR(kg_unscored_name(w.why), kg_unscored_name(why));
}

static void test_no_reward(void)
{
    struct kg_policy p = base();
    struct kg_reward_in in = right(1, 1);
    none(&p, right(NAN, 1), KG_UNSCORED_NO_SPEEDUP);
    none(&p, right(INFINITY, 1), KG_UNSCORED_NO_SPEEDUP);
    none(&p, right(1, NAN), KG_UNSCORED_NO_COVERAGE);
    in.emulated = true;
    none(&p, in, KG_UNSCORED_EMULATED);
    p.reward.allow_emulated = true;
    NEAR(reward(&p, in), 3, 0);
    in.outcome = KG_OUTCOME_EXCLUDED;
    none(&p, in, KG_UNSCORED_EXCLUDED);
    in.outcome = KG_OUTCOME_NOT_JUDGED;
    none(&p, in, KG_UNSCORED_NOT_JUDGED);
    // even where missing numbers are 0, the judge's fault is not
    p.reward.missing = KG_MISSING_ZERO;
    in.outcome = KG_OUTCOME_EXCLUDED;
    none(&p, in, KG_UNSCORED_EXCLUDED);
    // a number that no term needs may be missing
    p = base();
    p.reward.speedup = 0;
    NEAR(reward(&p, right(NAN, 0.5)), 1.5, 0);
    p.reward.coverage = 0;
    NEAR(reward(&p, right(NAN, NAN)), 1, 0);
}

static void test_missing_zero(void)
{
    struct kg_policy p = base();
    p.reward.missing = KG_MISSING_ZERO;
    NEAR(reward(&p, right(NAN, 1)), 2, 0);
    NEAR(reward(&p, right(1, NAN)), 2, 0);
    NEAR(reward(&p, right(INFINITY, 0)), 4, 0);
}

static void test_gate(void)
{
    struct kg_policy p = base();
    struct kg_reward_in in = right(2, 1);
    in.outcome = KG_OUTCOME_INCORRECT;
    NEAR(reward(&p, in), 0, 0);
    p.reward.gate = false;
    NEAR(reward(&p, in), 2, 0);
    in.speedup = NAN; // what is wrong owes nobody a speedup
    NEAR(reward(&p, in), 0, 0);
    in.outcome = KG_OUTCOME_WRONG;
    in.speedup = 2;
    p.reward.failure = -1;
    NEAR(reward(&p, in), -1, 0);
}

static void test_lower_bound(void)
{
    struct kg_policy p = base();
    struct kg_reward_in in = right(2, 0);
    in.speedup_lo = 1.5;
    p.reward.speedup_bound = KG_BOUND_LOWER;
    NEAR(reward(&p, in), 2.5, 0);
    in.speedup_lo = NAN;
    none(&p, in, KG_UNSCORED_NO_SPEEDUP);
}

static void test_coverage(void)
{
    struct kg_policy p = base();
    struct kg_reward_in in = right(0, 0);
    in.coverage = (struct kg_coverage){0.9, 0.5, 0.3};
    NEAR(reward(&p, in), 1.9, 0);
    p.coverage.key = KG_COVERAGE_COUNT;
    NEAR(reward(&p, in), 1.5, 0);
    p.coverage.key = KG_COVERAGE_MIN;
    NEAR(reward(&p, in), 1.3, 0);
    in.coverage.replaced = NAN; // the smaller one may be the one that is not known
    none(&p, in, KG_UNSCORED_NO_COVERAGE);
    p.coverage.key = KG_COVERAGE_TIME;
    p.coverage.round = 2;
    in.coverage.time = 0.395;
    NEAR(kg_coverage_round(0.395, 2), 0.40, 0.006);
    NEAR(kg_coverage_round(0.125, 2), 0.12, 0); // half to even
    NEAR(kg_coverage_round(0.375, 2), 0.38, 0);
    NEAR(kg_coverage_round(0.123456, -1), 0.123456, 0);
    NEAR(kg_coverage_ratio(1, 4), 0.25, 0);
    NEAR(kg_coverage_ratio(1, 0), 0, 0);
    NEAR(kg_coverage_ratio(1, -1), 0, 0);
}

int main(void)
{
    test_equation_8();
    test_terms_sum();
    test_clip();
    test_weighted();
    test_like_kernel();
    test_no_reward();
    test_missing_zero();
    test_gate();
    test_lower_bound();
    test_coverage();
    return tap_done();
}
