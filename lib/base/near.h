/*
 * The known name nearest to a mistyped one, for messages: "did you mean 'gamma'?".
 */
#ifndef KG_BASE_NEAR_H
#define KG_BASE_NEAR_H

#include <stddef.h>

/* Edits (insert, delete, replace, swap of neighbours) between two words, case ignored. Words longer
 * than 63 bytes count by their first 63. */
size_t kg_near_distance(const char *a, const char *b);

/* The nearest of n names (NULL entries are skipped), or NULL when n is 0. The first of equals. */
const char *kg_near_name(const char *word, const char *const *names, size_t n);

#endif
