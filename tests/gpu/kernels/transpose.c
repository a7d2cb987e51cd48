#include <stddef.h>

void reference(const double *x, double *y, int rows, int cols)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            y[(size_t)c * rows + r] = x[(size_t)r * cols + c];
}
