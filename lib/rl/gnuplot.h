/* Runs gnuplot on a script of ours. */
#ifndef KG_RL_GNUPLOT_H
#define KG_RL_GNUPLOT_H

#include "base/error.h"
#include "score/report.h"

/* The program's path (malloc'ed), or NULL with KG_E_MISSING. */
char *kg_gnuplot_find(struct kg_error *err);

/* Plots the report into the file svg, which is replaced as a whole or not at all. */
int kg_gnuplot_report(const char *program, const struct kg_report_row *rows, size_t n,
                      const struct kg_report_opts *o, const char *svg, struct kg_error *err);

#endif
