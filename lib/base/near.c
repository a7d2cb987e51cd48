#include "base/near.h"

#include <ctype.h>
#include <string.h>

enum { NEAR_MAX = 63 };

static size_t min2(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* optimal string alignment, three rows of the table at a time */
size_t kg_near_distance(const char *a, const char *b)
{
    size_t la = strnlen(a, NEAR_MAX), lb = strnlen(b, NEAR_MAX);
    size_t rows[3][NEAR_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= lb; j++)
        last[j] = j;
    for (size_t i = 1; i <= la; i++) {
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            now[j] = min2(min2(last[j] + 1, now[j - 1] + 1), last[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                tolower((unsigned char)a[i - 2]) == cb)
                now[j] = min2(now[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[lb];
}

const char *kg_near_name(const char *word, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t least = (size_t)-1;
    for (size_t i = 0; i < n; i++) {
        size_t d = names[i] ? kg_near_distance(word, names[i]) : (size_t)-1;
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}
