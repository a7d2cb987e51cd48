/*
 * Inputs: element i of an argument of a call, from a secret seed, by a counter-based generator, so
 * that any element of any call can be made alone. gen_core.h (values), poison_core.h (poison) and
 * bits_core.h (16-bit floats) are the texts shared with CUDA; kg_gen_make fills the parameters that
 * a device's own kernel needs.
 */
#ifndef KG_TASK_GEN_H
#define KG_TASK_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "task/gen_core.h"
#include "task/task.h"

/*
 * Which content: all of it from (seed, call), except, with 'patch' set, row 'patch_row' (of the
 * last axis; of the whole array when it has one row) or, when patch_element is not -1, that one
 * element, which come from (seed, patch_call) instead. "Same address with one row or element
 * changed." patch_row and patch_element are taken modulo the argument's rows and elements, so that
 * one struct serves all arguments of a call. Where the elements of a row depend on each other
 * (one_hot, permutation, sorted, equal_keys) the whole row of patch_element changes. Constant
 * initialisers (zeros, ones, arange, a value) give the same content in every call.
 */
struct kg_content {
    uint64_t seed;
    uint32_t call;
    bool patch;
    uint32_t patch_call;
    uint64_t patch_row;
    int64_t patch_element;
};

/* The parameters of one argument for gen_core.h; call is c->call, or c->patch_call for the patch.
 */
struct kg_gen kg_gen_make(const struct kg_instance *in, size_t arg, const struct kg_content *c,
                          bool patch);

/* Where the patch of an argument lies: elements [*begin, *end); empty without one. */
void kg_gen_patch_range(const struct kg_instance *in, size_t arg, const struct kg_content *c,
                        uint64_t *begin, uint64_t *end);

/* Fills dst (in->args[arg].bytes bytes) with the argument's content. Not for KG_INIT_CUSTOM. */
void kg_gen_fill(const struct kg_instance *in, size_t arg, const struct kg_content *c, void *dst);

/* A scalar argument's value in that call (fixed, axis or fresh), rounded to its type. */
double kg_gen_scalar(const struct kg_instance *in, size_t arg, const struct kg_content *c);

/* Poison: a per-call random NaN payload (floats) or random words (integers), element by element the
 * same function of (key, index), so that leftovers can be recognised. Shared with CUDA. */
void kg_poison_fill(enum kg_dtype t, uint64_t key, void *dst, size_t count);
/* Is element i still the poison of that key? */
int kg_poison_is(enum kg_dtype t, uint64_t key, const void *p, size_t i);

#endif
