/*
 * The estimators on small groups by hand, and the properties that hold for any batch: no bit
 * depends on the order, equal rewards give exact zeros, what a constant or a factor does.
 */
#include "score/advantage.h"

#include <stdlib.h>

#include "base/philox.h"
#include "tap.h"

#define MAX 400

static struct kg_policy policy;
static struct kg_key keys[MAX];
static struct kg_adv_row rows[MAX];
static size_t n;

static void start(int estimator, double gamma)
{
    kg_policy_init(&policy);
    policy.advantage.estimator = estimator;
    policy.advantage.gamma = gamma;
    n = 0;
}

static void row(uint64_t uid, uint64_t traj, int64_t turn, double reward, unsigned flags)
{
    keys[n] = (struct kg_key){uid, traj, turn};
    rows[n++] = (struct kg_adv_row){.reward = reward, .flags = flags};
}

static int run(void)
{
    struct kg_error err = KG_ERROR_INIT;
    return kg_advantage(&policy, keys, rows, n, &err);
}

static uint32_t draw(uint32_t *counter)
{
    return kg_philox(3, 4, ++*counter, 0, 0, 0).v[0];
}

/* Ragged groups: 1 to 6 trajectories a prompt, 1 to 4 turns, some masked. */
static void random_batch(uint32_t seed)
{
    uint32_t c = seed * 100000;
    n = 0;
    for (uint64_t u = 0; u < 8; u++) {
        uint32_t trajs = 1 + draw(&c) % 6;
        for (uint64_t t = 0; t < trajs; t++) {
            uint32_t turns = 1 + draw(&c) % 4;
            for (int64_t k = 1; k <= (int64_t)turns; k++)
                row(u, t, k, draw(&c) / 4294967296.0 * 3, draw(&c) % 8 ? 0 : KG_ADV_MASKED);
        }
    }
}

static void test_by_hand(void)
{
    double r[] = {1, 2, 6};
    double want[][3] = {{-3, -1.5, 4.5}, {-2, -1, 3}, {-3, -1.5, 4.5}};
    int est[] = {KG_EST_TRLOO, KG_EST_GRPO, KG_EST_RLOO};
    for (int e = 0; e < 3; e++) {
        start(est[e], 1);
        for (uint64_t t = 0; t < 3; t++)
            row(1, t, 1, r[t], 0);
        EQ_INT(run(), 0);
        for (int t = 0; t < 3; t++)
            NEAR(rows[t].advantage, want[e][t], 1e-15);
        EQ_INT(rows[0].group_size, 3);
        EQ_INT(rows[0].n_started, 3);
    }
    start(KG_EST_GRPO, 1);
    policy.advantage.std = true;
    for (uint64_t t = 0; t < 3; t++)
        row(1, t, 1, r[t], 0);
    run();
    NEAR(rows[2].advantage, 3 / (sqrt(7) + 1e-6), 1e-15);
    start(KG_EST_RLOO, 0.5); /* the sum of a trajectory's rewards, undiscounted */
    row(1, 1, 1, 1, 0);
    row(1, 1, 2, 4, 0);
    row(1, 2, 1, 3, 0);
    run();
    NEAR(rows[0].ret, 5, 0);
    NEAR(rows[1].advantage, 2, 0);
    NEAR(rows[2].advantage, -2, 0);
}

static void test_singletons(void)
{
    for (int rule = KG_SINGLETON_RETURN; rule <= KG_SINGLETON_OTHERS; rule++) {
        start(KG_EST_TRLOO, 1);
        policy.advantage.singleton = rule;
        row(1, 1, 1, 5, 0);
        row(2, 1, 1, 1, 0);
        row(2, 2, 1, 3, 0);
        row(3, 1, 2, 7, 0); /* alone at its turn: nobody lends */
        run();
        NEAR(rows[0].advantage,
             rule == KG_SINGLETON_RETURN ? 5
             : rule == KG_SINGLETON_ZERO ? 0
                                         : 3,
             0);
        NEAR(rows[1].advantage, -2, 0);
        NEAR(rows[3].advantage, rule == KG_SINGLETON_ZERO ? 0 : 7, 0);
    }
}

static void test_marks(void)
{
    start(KG_EST_TRLOO, 1);
    row(1, 1, 1, 1, 0);
    row(1, 2, 1, 3, 0);
    row(1, 3, 1, 100, KG_ADV_APART);
    row(1, 4, 1, 5, KG_ADV_REJECTED);
    row(1, 5, 1, 9, KG_ADV_MASKED);
    row(1, 6, -1, 9, 0);
    row(1, 6, -1, 9, 0);
    row(1, 7, 1, NAN, 0);
    row(1, 7, 2, 2, 0);
    run();
    NEAR(rows[0].advantage, -3, 0); /* 1 - mean(3, 5) */
    NEAR(rows[2].advantage, 0, 0);
    NEAR(rows[2].ret, 100, 0);
    NEAR(rows[3].advantage, 0, 0);
    NEAR(rows[3].ret, 5, 0);
    NEAR(rows[4].ret, 0, 0);
    NEAR(rows[5].advantage, 0, 0);
    OK(isnan(rows[7].advantage) && isnan(rows[7].ret));
    NEAR(rows[8].advantage, 2, 0);
    EQ_INT(rows[0].group_size, 3);
    EQ_INT(rows[4].group_size, 0);
    EQ_INT(rows[0].n_started, 6); /* the one that has only placeholders never started */
    start(KG_EST_REINFORCE, 1);
    row(1, 1, 1, 1, KG_ADV_MASKED);
    EQ_INT(run(), -1);
}

static void test_void_mask(void)
{
    start(KG_EST_TRLOO, 1);
    policy.advantage.void_mask = true;
    row(1, 1, 1, 1, 0);
    row(1, 1, 2, 0, 0);
    row(1, 2, 1, 0, 0);
    row(1, 2, 2, 2, 0);
    row(1, 3, 1, 7, KG_ADV_FAILED);
    run();
    OK(rows[1].flags & KG_ADV_MASKED && !(rows[3].flags & KG_ADV_MASKED));
    OK(rows[4].flags & KG_ADV_MASKED);
    NEAR(rows[0].advantage, -1, 0);
    NEAR(rows[3].advantage, 2, 0);
}

static void test_erloo_norm(void)
{
    double r[] = {1, 0, 0, 0};
    for (int floor = 0; floor < 2; floor++) {
        start(KG_EST_ERLOO_NORM, 1);
        policy.advantage.std_floor = floor ? 1e-6 : 0;
        for (uint64_t t = 0; t < 4; t++)
            row(1, t, 1, r[t], 0);
        run();
        NEAR(rows[0].advantage, floor ? 1 / (1 + 1e-8) : 1e8, 1e-7);
        NEAR(rows[1].advantage, -1.0 / 3 / (sqrt(1.0 / 3) + 1e-8), 1e-12);
    }
}

static void test_equal_rewards(void)
{
    int bad = 0;
    uint32_t c = 77;
    for (int round = 0; round < 3000; round++) {
        start(round % 7, 1);
        policy.advantage.std = round & 1;
        double g = draw(&c) / 4294967296.0 * 10 - 5;
        uint64_t size = 2 + draw(&c) % 20;
        for (uint64_t t = 0; t < size; t++)
            row(1, t, 1, g, 0);
        run();
        for (size_t i = 0; i < n; i++)
            bad += rows[i].advantage != 0;
    }
    EQ_INT(bad, 0);
    start(KG_EST_TRLOO, 1);
    for (uint64_t t = 0; t < 3; t++)
        row(1, t, 1, 2.8397312349339847, 0);
    run();
    NEAR(rows[0].advantage, 0, 0);
}

/* The same bits whatever the order of the rows. */
static void test_order(void)
{
    int bad = 0;
    uint32_t c = 5;
    for (uint32_t round = 0; round < 140; round++) {
        start((int)(round % 7), 0.9);
        policy.advantage.std = round & 1;
        policy.advantage.batch_std = round % 5 == 0;
        policy.advantage.singleton = (int)(round % 3);
        random_batch(round);
        run();
        double want[MAX];
        size_t at[MAX];
        for (size_t i = 0; i < n; i++) {
            want[i] = rows[i].advantage;
            at[i] = i;
        }
        for (size_t i = n - 1; i > 0; i--) {
            size_t j = draw(&c) % (i + 1);
            struct kg_key k = keys[i];
            struct kg_adv_row r = rows[i];
            size_t a = at[i];
            keys[i] = keys[j], rows[i] = rows[j], at[i] = at[j];
            keys[j] = k, rows[j] = r, at[j] = a;
        }
        run();
        for (size_t i = 0; i < n; i++)
            bad += rows[i].advantage != want[at[i]];
    }
    EQ_INT(bad, 0);
}

static void test_properties(void)
{
    double worst_constant = 0, worst_scale = 0, worst_sum = 0, worst_ratio = 0;
    for (uint32_t round = 0; round < 50; round++) {
        start(KG_EST_TRLOO, 0);
        random_batch(round);
        run();
        double a[MAX];
        for (size_t i = 0; i < n; i++) {
            a[i] = rows[i].advantage;
            rows[i].reward += 10; /* per group; masked rows stay out */
        }
        run();
        for (size_t i = 0; i < n; i++)
            if (rows[i].group_size > 1)
                worst_constant = fmax(worst_constant, fabs(rows[i].advantage - a[i]));
        for (size_t i = 0; i < n; i++)
            rows[i].reward = (rows[i].reward - 10) * 4;
        run();
        for (size_t i = 0; i < n; i++)
            worst_scale = fmax(worst_scale, fabs(rows[i].advantage - 4 * a[i]));
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                if (keys[j].uid == keys[i].uid && keys[j].turn == keys[i].turn)
                    sum += rows[j].advantage;
            if (rows[i].group_size > 1)
                worst_sum = fmax(worst_sum, fabs(sum));
        }
        for (size_t i = 0; i < n; i++)
            a[i] = rows[i].advantage;
        policy.advantage.estimator = KG_EST_GRPO;
        run();
        for (size_t i = 0; i < n; i++) {
            double size = rows[i].group_size;
            if (size > 1)
                worst_ratio = fmax(worst_ratio, fabs(a[i] - size / (size - 1) * rows[i].advantage));
        }
    }
    NEAR(worst_constant, 0, 1e-13);
    NEAR(worst_scale, 0, 1e-13);
    NEAR(worst_sum, 0, 1e-12);
    NEAR(worst_ratio, 0, 1e-13);
}

/* A prompt under a new uid gets the same answers; placeholders change nothing. */
static void test_copies(void)
{
    int bad = 0;
    for (uint32_t round = 0; round < 20; round++) {
        start((int)(round % 7 == KG_EST_REINFORCE ? 0 : round % 7), 1);
        random_batch(round);
        size_t half = n;
        for (size_t i = 0; i < half; i++)
            row(keys[i].uid + 100, keys[i].traj, keys[i].turn, rows[i].reward, rows[i].flags);
        row(1, 0, -1, 5, 0);
        run();
        double a[MAX];
        for (size_t i = 0; i < half; i++) {
            a[i] = rows[i].advantage;
            bad += a[i] != rows[half + i].advantage;
        }
        n = half;
        run();
        for (size_t i = 0; i < half; i++)
            bad += a[i] != rows[i].advantage;
    }
    EQ_INT(bad, 0);
}

static void test_batch_std(void)
{
    start(KG_EST_TRLOO, 1);
    policy.advantage.batch_std = true;
    row(1, 1, 1, 0, 0);
    row(1, 2, 1, 2, 0);
    row(2, 1, 1, 7, KG_ADV_MASKED);
    run();
    NEAR(rows[0].advantage, -sqrt(0.5), 1e-15);
    NEAR(rows[2].advantage, 0, 0);
    n = 1; /* one value has no std: left alone */
    run();
    NEAR(rows[0].advantage, 0, 0);
}

int main(void)
{
    test_by_hand();
    test_singletons();
    test_marks();
    test_void_mask();
    test_erloo_norm();
    test_equal_rewards();
    test_order();
    test_properties();
    test_copies();
    test_batch_std();
    return tap_done();
}
