/*
 * Fibers: stacks and the switch between them. Each has a guard page below its stack. The switch is
 * assembly on x86-64 and aarch64 (switch.S), ucontext elsewhere. AddressSanitizer is told of every
 * switch when it is there.
 *
 * Knows nothing of blocks and threads.
 */
#ifndef KG_HOST_FIBER_H
#define KG_HOST_FIBER_H

#include <stddef.h>

#define KG_FIBER_STACK ((size_t)256 * 1024) /* address space; only what is touched costs memory */

struct kg_fiber {
    void *sp;              /* where it was left; a ucontext_t where there is no assembly */
    char *stack;           /* lowest usable byte; NULL: the stack of an OS thread */
    size_t size;
    unsigned color;        /* staggers the first frames, which otherwise share cache sets */
    void *fake;            /* AddressSanitizer's */
    struct kg_fiber *next; /* the owner's lists */
};

/* n fibers with stacks, not prepared; linked by next. NULL when there is no memory. May give fewer
 * than n. */
struct kg_fiber *kg_fiber_new(size_t n);

/* The next switch to f calls entry(), which must never return. */
void kg_fiber_prepare(struct kg_fiber *f, void (*entry)(void));

/* Leaves 'from' (the one running) and goes on in 'to'. */
void kg_fiber_switch(struct kg_fiber *from, struct kg_fiber *to);

/* First thing in a fiber's entry function. */
void kg_fiber_entered(void);

#endif
