#include <stdint.h>

void reference(const int32_t *x, int32_t *y, int n)
{
    uint32_t sum = 0; /* wraps, where a signed sum would be undefined */
    for (int i = 0; i < n; i++)
        y[i] = (int32_t)(sum += (uint32_t)x[i]);
}
