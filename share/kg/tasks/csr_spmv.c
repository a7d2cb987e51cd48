#include <stdint.h>

void reference(const int32_t *row_ptr, const int32_t *col, const double *val, const double *x,
               double *y, int rows, int cols, int nnz)
{
    (void)cols;
    (void)nnz;
    for (int r = 0; r < rows; r++) {
        y[r] = 0;
        for (int32_t i = row_ptr[r]; i < row_ptr[r + 1]; i++)
            y[r] += val[i] * x[col[i]];
    }
}

/* SplitMix64: numbers from a seed. */
static uint64_t draw(uint64_t *seed)
{
    uint64_t z = *seed += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static int64_t below(uint64_t *seed, int64_t n)
{
    return (int64_t)(draw(seed) % (uint64_t)n);
}

/* From lengths of rows, in row_ptr[1..rows], to where they begin; and columns, one from each of as
 * many equal strips as the row has elements, so that they ascend and none comes twice. */
static void fill(int32_t *row_ptr, int32_t *col, int64_t rows, int64_t cols, uint64_t *seed)
{
    row_ptr[0] = 0;
    for (int64_t r = 0; r < rows; r++) {
        int64_t n = row_ptr[r + 1];
        for (int64_t i = 0; i < n; i++) {
            int64_t from = i * cols / n, to = (i + 1) * cols / n;
            *col++ = (int32_t)(from + below(seed, to - from));
        }
        row_ptr[r + 1] = row_ptr[r] + (int32_t)n;
    }
}

/* What is not given out yet, in pieces of random size to random rows, none above 'most'. Three of
 * four rows get hardly anything, so that many stay empty. */
static void deal(int32_t *length, int64_t rows, int64_t left, int64_t most, uint64_t *seed)
{
    int64_t mean = left / rows + 1;
    for (int64_t tries = 8 * rows; left && tries; tries--) {
        int64_t r = below(seed, rows), n = 1 + below(seed, r % 4 ? 1 + mean / 4 : 4 * mean);
        n = n > left ? left : n;
        n = n > most - length[r] ? most - length[r] : n;
        length[r] += (int32_t)n;
        left -= n;
    }
    for (int64_t r = 0; left; r = (r + 1) % rows) {
        int64_t n = mean > left ? left : mean;
        n = n > most - length[r] ? most - length[r] : n;
        length[r] += (int32_t)n;
        left -= n;
    }
}

static int64_t longest(int64_t rows, int64_t cols, int64_t nnz)
{
    int64_t most = 16 * ((nnz + rows - 1) / rows);
    return most < cols ? most : cols;
}

void init_csr(int32_t *row_ptr, int32_t *col, const int64_t *axes, uint64_t seed)
{
    int64_t rows = axes[0], cols = axes[1], nnz = axes[2];
    deal(row_ptr + 1, rows, nnz, longest(rows, cols, nnz), &seed);
    fill(row_ptr, col, rows, cols, &seed);
}

/* One row as long as rows may be, and the rest for the others. */
void init_one_long_row(int32_t *row_ptr, int32_t *col, const int64_t *axes, uint64_t seed)
{
    int64_t rows = axes[0], cols = axes[1], nnz = axes[2], most = longest(rows, cols, nnz);
    int64_t n = most < nnz ? most : nnz;
    row_ptr[1 + below(&seed, rows)] = (int32_t)n;
    deal(row_ptr + 1, rows, nnz - n, most, &seed);
    fill(row_ptr, col, rows, cols, &seed);
}
