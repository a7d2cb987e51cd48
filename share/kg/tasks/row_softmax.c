#include <math.h>
#include <stddef.h>

void reference(const double *x, double *y, int rows, int cols)
{
    for (int r = 0; r < rows; r++, x += cols, y += cols) {
        double top = x[0], sum = 0;
        for (int c = 1; c < cols; c++)
            top = x[c] > top ? x[c] : top;
        for (int c = 0; c < cols; c++)
            sum += y[c] = exp(x[c] - top);
        for (int c = 0; c < cols; c++)
            y[c] /= sum;
    }
}
