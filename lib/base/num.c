#include "base/num.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kg_num_int(const char *text, int64_t min, int64_t max, int64_t *out, struct kg_error *err)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    bool starts = (text[0] >= '0' && text[0] <= '9') || text[0] == '-' || text[0] == '+';
    if (!starts || *end || end == text || errno || v < min || v > max)
        return kg_error_set(err, KG_E_USAGE,
                            "'%s' is not a whole number from %" PRId64 " to %" PRId64, text, min,
                            max);
    *out = v;
    return 0;
}

int kg_num_double(const char *text, double min, double max, double *out, struct kg_error *err)
{
    char *end;
    double v = strtod(text, &end);
    bool decimal = *text && strspn(text, "0123456789+-.eE") == strlen(text);
    if (!decimal || *end || end == text || !isfinite(v) || v < min || v > max)
        return kg_error_set(err, KG_E_USAGE, "'%s' is not a number from %g to %g", text, min, max);
    *out = v;
    return 0;
}

int kg_num_bytes(const char *text, int64_t min, int64_t max, int64_t *out, struct kg_error *err)
{
    static const char units[] = "kMGT";
    char digits[32];
    size_t n = strlen(text);
    const char *unit = n ? strchr(units, text[n - 1]) : NULL;
    int shift = unit && *unit ? 10 * (int)(unit - units + 1) : 0;
    if (n - (shift > 0) >= sizeof digits)
        return kg_error_set(err, KG_E_USAGE, "'%s' is not a size", text);
    memcpy(digits, text, n - (shift > 0));
    digits[n - (shift > 0)] = 0;
    int64_t v;
    if (kg_num_int(digits, 0, INT64_MAX >> shift, &v, NULL) || (v << shift) < min ||
        (v << shift) > max)
        return kg_error_set(err, KG_E_USAGE,
                            "'%s' is not a size from %" PRId64 " to %" PRId64
                            " bytes (k, M, G, T are allowed)",
                            text, min, max);
    *out = v << shift;
    return 0;
}
