/*
 * Text that is the whole answer of a program: a policy, a report.
 */
#ifndef KG_RL_OUTPUT_TEXT_H
#define KG_RL_OUTPUT_TEXT_H

#include <stddef.h>

/* Writes it to stdout. The exit status: 0; KG_EXIT_OUTPUT, told with 'what' it was; 128 + SIGPIPE,
 * quietly, when the reader has gone. */
int kg_output_text(const char *text, size_t n, const char *what);

#endif
