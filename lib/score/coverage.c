#include "score/coverage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double kg_coverage_value(const struct kg_coverage *c, enum kg_coverage_key key)
{
    switch (key) {
    case KG_COVERAGE_TIME:
        return c->time;
    case KG_COVERAGE_COUNT:
        return c->count;
    case KG_COVERAGE_REPLACED:
        return c->replaced;
    case KG_COVERAGE_MIN:
        // fmin() would hide an unknown number behind the known one
        return isnan(c->time) || isnan(c->replaced) ? NAN : fmin(c->time, c->replaced);
    }
    return NAN;
}

double kg_coverage_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

double kg_coverage_round(double x, int64_t digits)
{
    char text[400];
    if (digits < 0 || !isfinite(x))
        return x;
    snprintf(text, sizeof text, "%.*f", (int)digits, x);
    return strtod(text, NULL);
}
