/*
 * A main for the fuzzers where clang's libFuzzer is not there: mutations of the seeds, the same
 * each time, until the time is over. With -DKG_LIBFUZZER it is empty. Include it once, last.
 *
 *   NAME SECONDS SEED ...
 */
#ifndef KG_FUZZ_PLAIN_H
#define KG_FUZZ_PLAIN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/philox.h"

/* Ends the program when ok is not so; tells the text that made it so. */
static inline void fuzz_must(int ok, const char *what, const uint8_t *data, size_t size)
{
    if (ok)
        return;
    printf("FAILED: %s\n%zu bytes:\n", what, size);
    fwrite(data, 1, size, stdout);
    printf("\n");
    fflush(stdout);
    abort();
}

#ifndef KG_LIBFUZZER

#define FUZZ_MAX ((size_t)1 << 16)

/* a few random replacements, cuts, repeats and borrowings from another seed */
static size_t fuzz_mutate(uint32_t run, char **seeds, size_t *lens, uint32_t n_seeds, uint8_t *out)
{
    uint32_t count = 0;
#define FUZZ_RANDOM(n) (kg_philox(3, 4, run, count++, 0, 0).v[0] % (uint32_t)(n))
    uint32_t pick = FUZZ_RANDOM(n_seeds);
    size_t n = lens[pick];
    memcpy(out, seeds[pick], n);
    for (uint32_t k = FUZZ_RANDOM(6); k > 0 && n > 0; k--) {
        size_t at = FUZZ_RANDOM(n), len = 1 + FUZZ_RANDOM(n - at < 64 ? n - at : 64);
        uint32_t other = FUZZ_RANDOM(n_seeds);
        switch (FUZZ_RANDOM(4)) {
        case 0:
            out[at] = (uint8_t)FUZZ_RANDOM(256);
            break;
        case 1:
            memmove(out + at, out + at + len, n - at - len);
            n -= len;
            break;
        case 2:
            if (n + len <= FUZZ_MAX) {
                memmove(out + at + len, out + at, n - at);
                n += len;
            }
            break;
        default:
            if (lens[other] > 0 && n + 64 <= FUZZ_MAX) {
                size_t from = FUZZ_RANDOM(lens[other]);
                len = lens[other] - from < len ? lens[other] - from : len;
                memmove(out + at + len, out + at, n - at);
                memcpy(out + at, seeds[other] + from, len);
                n += len;
            }
        }
    }
#undef FUZZ_RANDOM
    return n;
}

static char *fuzz_read(const char *name, size_t *n)
{
    char *text = malloc(FUZZ_MAX);
    FILE *f = fopen(name, "rb");
    if (!text || !f) {
        printf("cannot read '%s'\n", name);
        exit(2);
    }
    *n = fread(text, 1, FUZZ_MAX, f);
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    int64_t seconds = 0;
    uint32_t n_seeds = argc > 2 ? (uint32_t)argc - 2 : 0, runs = 0;
    if (!n_seeds || kg_num_int(argv[1], 1, 86400, &seconds, NULL)) {
        printf("usage: SECONDS SEED ...\n");
        return 2;
    }
    char **seeds = calloc(n_seeds, sizeof *seeds);
    size_t *lens = calloc(n_seeds, sizeof *lens);
    uint8_t *text = malloc(FUZZ_MAX);
    for (uint32_t i = 0; i < n_seeds; i++) {
        seeds[i] = fuzz_read(argv[i + 2], &lens[i]);
        LLVMFuzzerTestOneInput((const uint8_t *)seeds[i], lens[i]);
    }
    for (time_t end = time(NULL) + seconds; time(NULL) < end; runs++) {
        size_t n = fuzz_mutate(runs, seeds, lens, n_seeds, text);
        LLVMFuzzerTestOneInput(text, n);
    }
    printf("%u texts, nothing found\n", runs);
    for (uint32_t i = 0; i < n_seeds; i++)
        free(seeds[i]);
    free(seeds);
    free(lens);
    free(text);
    return 0;
}

#endif
#endif
