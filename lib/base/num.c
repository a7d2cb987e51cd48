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

/* shortest.cpp: "d.ddde[+-]dd" */
size_t kg_shortest(double x, char *text, size_t size);

/* From scientific digits to what printf's %g writes: plain between 1e-4 and 1e15 (as long as there
 * are no more digits than that). */
static size_t plain(const char *sci, size_t len, char text[KG_NUM_TEXT])
{
    char digits[24];
    int n = 0, exponent = 0, at = 0;
    bool negative = sci[0] == '-', down = false;
    size_t i = negative;
    for (; i < len && sci[i] != 'e'; i++)
        if (sci[i] != '.')
            digits[n++] = sci[i];
    for (i++; i < len; i++)
        if (sci[i] == '-')
            down = true;
        else if (sci[i] != '+')
            exponent = exponent * 10 + (sci[i] - '0');
    exponent = down ? -exponent : exponent;
    if (exponent < -4 || exponent >= (n > 15 ? n : 15)) {
        memcpy(text, sci, len);
        text[len] = 0;
        return len;
    }
    if (negative)
        text[at++] = '-';
    if (exponent < 0) {
        text[at++] = '0';
        text[at++] = '.';
        for (int z = -1; z > exponent; z--)
            text[at++] = '0';
    }
    for (int k = 0; k < n || k <= exponent; k++) {
        if (k && k == exponent + 1)
            text[at++] = '.';
        text[at++] = k < n ? digits[k] : '0';
    }
    text[at] = 0;
    return (size_t)at;
}

size_t kg_num_format(double x, char text[KG_NUM_TEXT])
{
    char sci[KG_NUM_TEXT];
    if (!isfinite(x))
        return (size_t)snprintf(text, KG_NUM_TEXT, "null");
    if (x == 0)
        return (size_t)snprintf(text, KG_NUM_TEXT, "%s", signbit(x) ? "-0.0" : "0");
    return plain(sci, kg_shortest(x, sci, sizeof sci), text);
}

void kg_num_add(struct kg_buf *b, double x)
{
    char text[KG_NUM_TEXT];
    kg_buf_add(b, text, kg_num_format(x, text));
}
