/*
 * Feedback of a record: which template, and what of the record may be said (score/feedback.h).
 *
 * Templates are files of share/kg/feedback, or of --feedback-dir: VERDICT.txt in lower case where
 * there is one, else CLASS.txt (pass, wrong, crash, hack, suspect, task, ours). With feedback.hack:
 * named, VERDICT_named.txt and CLASS_named.txt are looked for first.
 */
#ifndef KG_RL_FEEDBACK_RECORD_H
#define KG_RL_FEEDBACK_RECORD_H

#include "base/buf.h"
#include "base/error.h"
#include "rl/result.h"
#include "score/feedback.h"
#include "score/policy.h"

struct kg_feedback_set {
    char *text[KG_VERDICT_COUNT]; /* by verdict; several may be the same file */
    struct kg_feedback_opts opts;
};

/* Reads all templates and checks them. dir: NULL for the installed ones. */
int kg_feedback_set_load(struct kg_feedback_set *s, const char *dir, const struct kg_policy *p,
                         struct kg_error *err);
void kg_feedback_set_release(struct kg_feedback_set *s);

/* The text for this record, appended to out. */
void kg_feedback_record(const struct kg_feedback_set *s, struct kg_record *r,
                        const struct kg_result *res, struct kg_buf *out);

#endif
