/* Apart from num.c: it needs the C++ library, and the small static programs do without. */
#include "base/num.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
