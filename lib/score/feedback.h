/*
 * Feedback: what a policy is told about its last attempt, as text for the prompt of its next turn.
 *
 * Only what stands in struct kg_feedback_in can be said; that is the whitelist. Seeds, numbers of
 * calls, tolerances and checks are not in it, so no template can give them away. Which cheat was
 * found is said only on request (the template of 'hack' does not use {status}).
 *
 * A template is text with {words}. A line whose word has no value is left out, so that one template
 * serves records with more and with less in them; '{{' is a brace. Words:
 *
 *   status about             the verdict and what it means
 *   errors                   the compiler's first errors, each on a line of its own that begins
 * here output index got want    one bad element speedup                  with two decimals, and its
 * interval where that is known coverage coverage_count coverage_replaced   in per cent kernels the
 * longest kernels, as errors
 */
#ifndef KG_SCORE_FEEDBACK_H
#define KG_SCORE_FEEDBACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/verdict.h"
#include "score/coverage.h"

struct kg_feedback_kernel {
    const char *name, *class_name;
    double device_us, share; /* NaN: not known */
};

/* NULL, NaN and 0 items: not known, not said. Strings belong to the caller. */
struct kg_feedback_in {
    enum kg_verdict verdict;
    const char *log; /* the compiler's words */
    size_t log_len;
    const char *output, *index, *got, *want;
    double speedup, speedup_lo, speedup_hi;
    struct kg_coverage coverage;
    struct kg_feedback_kernel *kernels; /* sorted here */
    size_t n_kernels;
};

struct kg_feedback_opts {
    int64_t kernels, errors, max_chars; /* of the policy */
};

/* -1 where the template uses a word that is not known; err has source, line and column. */
int kg_feedback_check(const char *text, const char *source, struct kg_error *err);

/* The text, appended to out; at most max_chars characters (code points), cut with a mark. */
void kg_feedback_render(const char *text, const struct kg_feedback_opts *o,
                        struct kg_feedback_in *in, struct kg_buf *out);

/*
 * The first errors in a compiler's log, a line each, numbered: '1. line 12: message'. Understands
 * 'file(12): error: ...' (nvcc, NVRTC) and 'file:12:3: error: ...' (gcc, clang); where there is no
 * such line, the last lines of the log that are not blank (a Python traceback ends with its cause).
 * Paths become the last part of the path.
 */
void kg_feedback_errors(const char *log, size_t len, int64_t max, struct kg_buf *out);

#endif
