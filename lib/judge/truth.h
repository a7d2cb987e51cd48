/*
 * Truths: the reference's answers for the cases of a task and for two calls of its timed size,
 * computed once and kept in $XDG_CACHE_HOME/kg/truth, one file (mode 0600) for each task, size and
 * device, mapped for reading. The seed of a truth's inputs is random once and kept in the file, so
 * its inputs can be published again; whoever can read the file knows them, which is why workers
 * cannot see the cache.
 *
 * The folder is bounded by size; the longest unused go first.
 *
 * Also remembered there: that a baseline has agreed with a truth within the tighter bound.
 */
#ifndef KG_JUDGE_TRUTH_H
#define KG_JUDGE_TRUTH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/verdict.h"
#include "judge/plan.h"
#include "judge/ref.h"
#include "judge/space.h"

struct kg_truths; /* process-wide, thread-safe */

struct kg_truth {
    size_t n_calls;
    struct kg_plan_call call[KG_PLAN_TRUTH];
    double rms[KG_TASK_MAX_ARGS]; /* of the wants of all calls, by argument */
    size_t offset[KG_PLAN_TRUTH][KG_TASK_MAX_ARGS];
    const unsigned char *map;
    size_t map_bytes;
    char key[KG_SHA256_HEX];
    atomic_uint nulls_known,
        nulls_right; /* audit.c: answers without work that were tried, as bits */
};

/* bytes: bound of the folder; 0: 64 GiB, or half of what the disk could give where that is less. */
struct kg_truths *kg_truths_new(bool no_cache, int64_t bytes, struct kg_error *err);
void kg_truths_free(struct kg_truths *t);

/*
 * The truth of an instance whose inputs 'space' makes. 'ref' is used only when it has to be
 * computed. Owned by t, for as long as t lives. NULL with *v (REFERENCE_ERROR, JUDGE_FAULT) and
 * err.
 */
struct kg_truth *kg_truth_get(struct kg_truths *t, struct kg_space *space,
                              const struct kg_instance *in, struct kg_ref *ref, enum kg_verdict *v,
                              struct kg_error *err);

/* The wanted answer of a call: doubles for floating outputs, else the argument's type. */
static inline const void *kg_truth_want(const struct kg_truth *t, int call, size_t arg)
{
    return t->map + t->offset[call][arg];
}

/* Has a baseline (its artifact's hash) agreed with it? */
bool kg_truth_agreed(struct kg_truths *t, const struct kg_truth *truth, const char *artifact);
void kg_truth_agree(struct kg_truths *t, const struct kg_truth *truth, const char *artifact);

/* truth_bound.c: removes what was unused for longest. */
void kg_truth_bound(const char *dir, int64_t bytes);

#endif
