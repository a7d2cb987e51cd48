#include <stddef.h>

void reference(const double *a, const double *b, double *c, int m, int n, int k)
{
    for (int i = 0; i < m; i++, a += k, c += n) {
        for (int j = 0; j < n; j++)
            c[j] = 0;
        for (int l = 0; l < k; l++)
            for (int j = 0; j < n; j++)
                c[j] += a[l] * b[(size_t)l * n + j];
    }
}
