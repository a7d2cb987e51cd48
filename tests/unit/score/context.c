#include "score/context.h"

#include "score/gates.h"
#include "tap.h"

static const char *pick(enum kg_context mode, size_t w, const struct kg_metric *m, size_t n)
{
    static char text[16];
    bool s[16];
    kg_context_select(mode, w, m, n, s);
    for (size_t i = 0; i < n; i++)
        text[i] = s[i] ? 'x' : '.';
    text[n] = 0;
    return text;
}

static void test_context(void)
{
    struct kg_metric m[] = {{{1, 0}}, {{5, 0}}, {{0, 0}}, {{2, 0}}, {{2.5, 0}}, {{1, 0}}};
    EQ_STR(pick(KG_CONTEXT_TOP, 2, m, 6), ".x..x.");
    EQ_STR(pick(KG_CONTEXT_TOP, 4, m, 6), "xx.xx."); /* of the two 1s the earlier */
    EQ_STR(pick(KG_CONTEXT_WINDOW, 2, m, 6), "xx....");
    EQ_STR(pick(KG_CONTEXT_WINDOW, 4, m, 6), ".xxxx.");
    EQ_STR(pick(KG_CONTEXT_LAST, 2, m, 6), "....xx");
    EQ_STR(pick(KG_CONTEXT_TOP, 6, m, 6), "xxxxxx");
    EQ_STR(pick(KG_CONTEXT_WINDOW, 9, m, 3), "xxx");
    EQ_STR(pick(KG_CONTEXT_LAST, 1, m, 0), "");
    m[1].part[0] = NAN; /* no reward: never preferred */
    EQ_STR(pick(KG_CONTEXT_TOP, 1, m, 6), "....x.");
    EQ_STR(pick(KG_CONTEXT_WINDOW, 2, m, 6), "...xx.");
    struct kg_metric two[] = {{{1, 1}}, {{1, 3}}, {{1, 2}}};
    EQ_STR(pick(KG_CONTEXT_TOP, 1, two, 3), ".x.");
    EQ_STR(pick(KG_CONTEXT_WINDOW, 2, two, 3), ".xx");
}

static void test_gates(void)
{
    struct kg_ratio r = {4, -0.2, -1, 4}, none = {0, 0, INFINITY, 0}, bad = {4, NAN, 0, 4};
    NEAR(kg_gates_drift(&r), 0.05, 1e-17);
    NEAR(kg_gates_drift(&none), 0, 0);
    OK(isnan(kg_gates_drift(&bad)));
    double rollout[] = {-1, -20, -3}, top[] = {-0.5, -1, -3}, mask[] = {1, 0, 1};
    NEAR(kg_gates_extreme(rollout, top, NULL, 3), -19, 0);
    NEAR(kg_gates_extreme(rollout, top, mask, 3), -0.5, 0);
    OK(isinf(kg_gates_extreme(rollout, top, mask, 0)));
    rollout[0] = NAN;
    OK(isnan(kg_gates_extreme(rollout, top, mask, 3)));
}

int main(void)
{
    test_context();
    test_gates();
    return tap_done();
}
