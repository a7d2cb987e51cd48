/*
 * The truth's answers of the timed size, kept on the device from one session of a thread to the
 * next: hundreds of megabytes that would else cross the bus several times for every candidate. They
 * lie in private memory, which no worker can map. On host there is nothing to be saved.
 *
 * At most a sixteenth of the device's memory; the ones that were used least lately go first.
 */
#ifndef KG_JUDGE_WANTS_H
#define KG_JUDGE_WANTS_H

#include "judge/space.h"
#include "judge/truth.h"

struct kg_wants {
    struct kg_want {
        const struct kg_truth *truth;
        int call;
        size_t arg;
        struct kg_mem mem;
        uint64_t used; /* when, as a number that grows */
    } * v;
    size_t n, cap;
    uint64_t now, bytes;
};

/* The wanted answer of output 'arg' of a truth's call ('bytes' of them) into dst. */
int kg_wants_copy(struct kg_wants *w, struct kg_space *space, const struct kg_truth *truth,
                  int call, size_t arg, size_t bytes, struct kg_mem *dst, struct kg_error *err);

/* Gives all memory back: before the space is closed, or when it is needed for something else. */
void kg_wants_drop(struct kg_wants *w, struct kg_space *space);

#endif
