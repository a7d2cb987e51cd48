/*
 * Log ratios of tokens between reading a record and answering it, in a temporary file without a
 * name: kg-sample --weights writes a number a token, and memory is for what decides.
 */
#ifndef KG_RL_TOKEN_SPOOL_H
#define KG_RL_TOKEN_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct kg_token_spool {
    FILE *file; /* NULL until something is added */
    uint64_t n; /* tokens in it */
    double *buf;
    size_t cap;
};

void kg_token_spool_release(struct kg_token_spool *s);
void kg_token_spool_reset(struct kg_token_spool *s); /* empty again */

/* Adds train - rollout of each token; masked ones are marked. *at: where they begin. */
int kg_token_spool_add(struct kg_token_spool *s, const double *train, const double *rollout,
                       const double *mask, size_t n, uint64_t *at, struct kg_error *err);
/* n of them from 'at'; *d lives until the next call. */
int kg_token_spool_get(struct kg_token_spool *s, uint64_t at, size_t n, const double **d,
                       struct kg_error *err);
/* The token was masked (a NaN of its own kind, unlike one that came in). */
bool kg_token_spool_masked(double d);

#endif
