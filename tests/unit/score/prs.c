#include "score/prs.h"

#include "tap.h"

static struct kg_policy p;

static double prob(double coverage)
{
    return kg_prs_probability(&p, coverage, true, 1);
}

int main(void)
{
    kg_policy_init(&p);
    NEAR(prob(0.3), 0, 0);
    NEAR(prob(0.4), 1, 0); /* (0.4 - 0.3)/0.1 is above 1 in doubles */
    NEAR(prob(0.35), 0.5, 1e-12);
    NEAR(prob(2), 1, 0);
    NEAR(prob(-1), 0, 0);
    OK(isnan(prob(NAN)));
    NEAR(kg_prs_probability(&p, NAN, false, NAN), 1, 0);
    p.prs.ramp = 0;
    NEAR(prob(0.3), 1, 0);
    NEAR(prob(0.29999), 0, 0);

    kg_policy_init(&p);
    p.prs.speedup = 1.5;
    NEAR(kg_prs_probability(&p, 0, true, 1.5), 1, 0);
    NEAR(kg_prs_probability(&p, 0, true, 1.4), 0, 0);
    NEAR(kg_prs_probability(&p, 0, true, NAN), 0, 0);
    NEAR(kg_prs_probability(&p, NAN, true, 2), 1, 0);
    p.prs.speedup = 0; /* keeps all */
    NEAR(kg_prs_probability(&p, 0, true, 0), 1, 0);
    p.prs.speedup = -1; /* off */
    NEAR(kg_prs_probability(&p, 0, true, 9), 0, 0);

    /* monotone in coverage and in speedup */
    int falls = 0;
    p.prs.speedup = 2;
    for (int i = 0; i < 1000; i++)
        for (double s = 0; s < 3; s += 0.5)
            falls += kg_prs_probability(&p, i / 1000.0, true, s) >
                         kg_prs_probability(&p, (i + 1) / 1000.0, true, s) ||
                     kg_prs_probability(&p, i / 1000.0, true, s) >
                         kg_prs_probability(&p, i / 1000.0, true, s + 0.5);
    EQ_INT(falls, 0);

    double c[] = {0.8, 0.8, 0};
    NEAR(kg_prs_geometric(c, 3), cbrt(0.8 * 0.8 * 1e-8), 1e-15);
    NEAR(kg_prs_geometric(c, 2), 0.8, 1e-15);
    NEAR(kg_prs_geometric(c, 0), 1, 0);
    c[0] = NAN;
    OK(isnan(kg_prs_geometric(c, 3)));
    return tap_done();
}
