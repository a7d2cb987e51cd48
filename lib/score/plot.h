/*
 * The curves that people look at, as a gnuplot script that holds its own data: fast@p against p,
 * shares of the verdict classes by turn, coverage against speedup. A panel without data says so.
 */
#ifndef KG_SCORE_PLOT_H
#define KG_SCORE_PLOT_H

#include <stddef.h>

#include "base/buf.h"
#include "score/report.h"

/* svg: the file that gnuplot is to write. */
void kg_report_plot(const struct kg_report_row *rows, size_t n, const struct kg_report_opts *o,
                    const char *svg, struct kg_buf *out);

#endif
