#include "score/reward.h"

#include <math.h>

static struct kg_reward unscored(enum kg_unscored why)
{
    return (struct kg_reward){NAN, NAN, NAN, NAN, NAN, why};
}

static struct kg_reward paid_instead(double x)
{
    return (struct kg_reward){.reward = x, .failure = x};
}

/* upper first, then lower: a lower bound above the upper one makes every term 0 */
static double clip(const struct kg_policy *p, double s)
{
    if (s > p->reward.speedup_upper)
        s = p->reward.speedup_upper;
    if (s < p->reward.speedup_lower)
        s = 0;
    if (p->reward.speedup_offset > 0)
        s = s > p->reward.speedup_offset ? s - p->reward.speedup_offset : 0;
    return s;
}

static double staircase(const struct kg_policy *p, double s)
{
    static const struct {
        double from, pays;
    } steps[] = {{3, 1}, {2, 0.8}, {1.5, 0.6}, {1.2, 0.4}, {1, 0.2}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (s >= steps[i].from)
            return steps[i].pays;
    return p->reward.degraded;
}

/* The speedup that the policy uses; *why is set when there is none that may be used. */
static double speedup_of(const struct kg_policy *p, const struct kg_reward_in *in,
                         enum kg_unscored *why)
{
    double s = p->reward.speedup_bound == KG_BOUND_LOWER ? in->speedup_lo : in->speedup;
    bool zero = p->reward.missing == KG_MISSING_ZERO;
    if (in->emulated && !p->reward.allow_emulated) {
        *why = KG_UNSCORED_EMULATED;
        return NAN;
    }
    if (zero)
        return isnan(s) ? 0 : s; // an infinite one is clipped
    if (!isfinite(s))
        *why = KG_UNSCORED_NO_SPEEDUP;
    return s;
}

static double coverage_of(const struct kg_policy *p, const struct kg_reward_in *in,
                          enum kg_unscored *why)
{
    double c = kg_coverage_value(&in->coverage, (enum kg_coverage_key)p->coverage.key);
    if (in->emulated && !p->reward.allow_emulated) {
        *why = KG_UNSCORED_EMULATED;
        return NAN;
    }
    if (!isfinite(c)) {
        if (p->reward.missing == KG_MISSING_ZERO)
            return 0;
        *why = KG_UNSCORED_NO_COVERAGE;
    }
    return kg_coverage_round(c, p->coverage.round);
}

static struct kg_reward by_staircase(const struct kg_policy *p, const struct kg_reward_in *in)
{
    enum kg_unscored why = KG_SCORED;
    if (in->outcome == KG_OUTCOME_FAILED)
        return paid_instead(p->reward.failed);
    if (!in->compiled)
        return paid_instead(p->reward.compile_fail);
    if (in->outcome != KG_OUTCOME_CORRECT)
        return paid_instead(p->reward.incorrect);
    double s = speedup_of(p, in, &why);
    if (why)
        return unscored(why);
    double step = staircase(p, s);
    return (struct kg_reward){.reward = step, .speedup = step, .failure = NAN};
}

static struct kg_reward by_terms(const struct kg_policy *p, const struct kg_reward_in *in)
{
    struct kg_reward r = {.failure = NAN};
    enum kg_unscored why = KG_SCORED;
    bool correct = in->outcome == KG_OUTCOME_CORRECT;
    r.correctness = p->reward.correct * correct;
    if (p->reward.speedup != 0 && (correct || !p->reward.gate)) {
        double s = speedup_of(p, in, &why);
        // what is wrong owes nobody a speedup
        if (why && !correct) {
            s = 0;
            why = KG_SCORED;
        }
        if (p->reward.function == KG_REWARD_WEIGHTED)
            s = s >= 1 + p->reward.speedup_eps;
        else
            s = clip(p, s);
        r.speedup = p->reward.speedup * s;
    }
    if (!why && correct && p->reward.coverage != 0)
        r.coverage = p->reward.coverage * coverage_of(p, in, &why);
    if (why)
        return unscored(why);
    r.reward = r.correctness + r.speedup + r.coverage;
    return r;
}

struct kg_reward kg_reward_compute(const struct kg_policy *p, const struct kg_reward_in *in)
{
    if (in->outcome == KG_OUTCOME_EXCLUDED)
        return unscored(KG_UNSCORED_EXCLUDED);
    if (in->outcome == KG_OUTCOME_NOT_JUDGED)
        return unscored(KG_UNSCORED_NOT_JUDGED);
    if (p->reward.function == KG_REWARD_LIKE_KERNEL)
        return by_staircase(p, in);
    if (in->outcome == KG_OUTCOME_CORRECT || in->outcome == KG_OUTCOME_INCORRECT)
        return by_terms(p, in);
    return paid_instead(p->reward.failure);
}

const char *kg_unscored_name(enum kg_unscored why)
{
    static const char *const names[KG_UNSCORED_COUNT] = {
        "scored", "excluded", "not_judged", "no_speedup", "no_coverage", "emulated",
    };
    return names[why];
}
