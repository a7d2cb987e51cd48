/* Times by events: what of a worker's claim is believed. */
#include "judge/inside.h"

#include "tap.h"

static void claims(void)
{
    struct kg_answer a = {.what = KG_ANSWER_DONE, .wall_s = 1e-3};
    const double bad[] = {0, -1, 1000.1, NAN, INFINITY};
    a.done.events_us = 999;
    NEAR(kg_clocks_events_us(&a), 999, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        a.done.events_us = bad[i];
        NEAR(kg_clocks_events_us(&a), 0, 0);
    }
    a.done.events_us = 999;
    a.what = KG_ANSWER_ENDED;
    NEAR(kg_clocks_events_us(&a), 0, 0);
}

/* 20 calls of 100 us by events; 'traced' by the tracer, but for 'odd' calls in which it is 300. */
static enum kg_verdict verdict(int compat, bool host, double traced, size_t odd)
{
    struct kg_pair pair[20];
    struct kg_judge judge = {.opts = {.compat = compat}, .host = host};
    struct kg_session s = {.judge = &judge, .pair = pair, .n_pair = 20};
    for (size_t i = 0; i < 20; i++)
        pair[i] = (struct kg_pair){.kernel_us = 100, .traced_us = i < odd ? 300 : traced};
    kg_clocks_check_events(&s);
    if (s.verdict != KG_PASSED)
        HAS(s.message, "between the events");
    return s.verdict;
}

int main(void)
{
    claims();
    EQ_INT(verdict(KG_COMPAT_KERNELGYM, false, 95, 0), KG_PASSED);
    EQ_INT(verdict(KG_COMPAT_KERNELGYM, false, 109, 0), KG_PASSED);
    EQ_INT(verdict(KG_COMPAT_KERNELGYM, false, 112, 0), KG_TIMING_MISMATCH);
    EQ_INT(verdict(KG_COMPAT_KERNELGYM, false, 95, 3), KG_PASSED); /* what happens now and then */
    EQ_INT(verdict(KG_COMPAT_NONE, false, 112, 0), KG_PASSED);
    EQ_INT(verdict(KG_COMPAT_KERNELGYM, true, 112, 0), KG_PASSED);
    return tap_done();
}
