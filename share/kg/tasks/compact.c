#include <stdbool.h>
#include <stdint.h>

void reference(const double *x, const bool *keep, int32_t *count, double *y, int n)
{
    *count = 0;
    for (int i = 0; i < n; i++)
        if (keep[i])
            y[(*count)++] = x[i];
}
