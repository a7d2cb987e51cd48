#include <stdint.h>

void reference(const double *x, int64_t *index, int rows, int cols)
{
    for (int r = 0; r < rows; r++, x += cols) {
        index[r] = 0;
        for (int c = 1; c < cols; c++)
            if (x[c] > x[index[r]])
                index[r] = c;
    }
}
