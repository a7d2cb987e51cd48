/*
 * What only the judge knows: seeds of inputs, keys of poison, guards and hashes, and the choices of
 * order and number. From getrandom(2); with a seed text (tests) from a counter-based generator, so
 * that a run can be repeated. One a session; never shared with a worker.
 */
#ifndef KG_JUDGE_SECRET_H
#define KG_JUDGE_SECRET_H

#include <stddef.h>
#include <stdint.h>

struct kg_secret {
    int fixed; /* from a seed text */
    uint32_t key[2];
    uint64_t counter;
    uint64_t pool[32]; /* drawn, not handed out yet */
    size_t left;
};

/* seed NULL: real randomness. 'what' tells sessions of one seed apart. */
void kg_secret_init(struct kg_secret *s, const char *seed, const char *what);
uint64_t kg_secret_u64(struct kg_secret *s);
uint64_t kg_secret_below(struct kg_secret *s, uint64_t n); /* 0 to n-1, n >= 1, without bias */
void kg_secret_shuffle(struct kg_secret *s, size_t *x, size_t n);

#endif
