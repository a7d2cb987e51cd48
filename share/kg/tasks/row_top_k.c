#include <stdint.h>

/* Kept in descending order while the row goes by. */
void reference(const double *x, int32_t *index, int rows, int cols, int k)
{
    for (int r = 0; r < rows; r++, x += cols, index += k)
        for (int c = 0; c < cols; c++) {
            int n = c < k ? c : k, at = n;
            if (n == k && x[c] <= x[index[k - 1]])
                continue;
            for (; at > 0 && x[c] > x[index[at - 1]]; at--)
                if (at < k)
                    index[at] = index[at - 1];
            index[at] = c;
        }
}

/* Is it a place in the row, and none that was named before? */
static int is_new(const int32_t *index, int i, int cols)
{
    if (index[i] < 0 || index[i] >= cols)
        return 0;
    for (int j = 0; j < i; j++)
        if (index[j] == index[i])
            return 0;
    return 1;
}

/* k different places with nothing below the k-th largest are right when they hold all that is
 * above it: as many as the reference found. 0, or the number of the first wrong row. */
int check(const double *x, const int32_t *want, int rows, int cols, int k, const int32_t *got)
{
    for (int r = 0; r < rows; r++, x += cols, want += k, got += k) {
        double least = x[want[k - 1]];
        int above = 0;
        for (int i = 0; i < k; i++)
            above += x[want[i]] > least;
        for (int i = 0; i < k; i++) {
            if (!is_new(got, i, cols) || x[got[i]] < least)
                return r + 1;
            above -= x[got[i]] > least;
        }
        if (above)
            return r + 1;
    }
    return 0;
}
