/*
 * Fibers: stacks and the switch between them. Each has a guard page below its stack. The switch is
 * assembly on x86-64 and aarch64 (switch.S), ucontext elsewhere. AddressSanitizer is told of every
 * switch when it is there.
 *
 * Knows nothing of blocks and threads.
 */
#ifndef KG_HOST_FIBER_H
#define KG_HOST_FIBER_H

#include <stdbool.h>
#include <stddef.h>

/* Address space of a stack, guard page included; only what is touched costs memory. Where address
 * space is limited, stacks are made smaller so that 'fibers' of them take at most half of it. To be
 * called before the first kg_fiber_new. */
#define KG_FIBER_STACK_MAX ((size_t)256 * 1024)
#define KG_FIBER_STACK_MIN ((size_t)64 * 1024)
void kg_fiber_plan(size_t fibers);

struct kg_fiber {
    void *sp;    /* where it was left; a ucontext_t where there is no assembly */
    char *stack; /* lowest usable byte; NULL: the stack of an OS thread */
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
static inline void kg_fiber_switch(struct kg_fiber *from, struct kg_fiber *to);

/* Soon there will be a switch to f: its stack is brought near. */
static inline void kg_fiber_prefetch(const struct kg_fiber *f);

/* First thing in a fiber's entry function. */
void kg_fiber_entered(void);

/* ---- inside ------------------------------------------------------------------------------- */

#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(KG_FIBER_UCONTEXT)
#define KG_FIBER_UCONTEXT 1
#endif

extern bool kg_fiber_slow; /* ucontext, or AddressSanitizer must be told */
void kg_fiber_switch_slow(struct kg_fiber *from, struct kg_fiber *to);
void kg_fiber_swap(void **save, void *load); /* switch.S */

static inline void kg_fiber_switch(struct kg_fiber *from, struct kg_fiber *to)
{
#ifndef KG_FIBER_UCONTEXT
    if (__builtin_expect(!kg_fiber_slow, 1))
        kg_fiber_swap(&from->sp, to->sp);
    else
#endif
        kg_fiber_switch_slow(from, to);
}

static inline void kg_fiber_prefetch(const struct kg_fiber *f)
{
    const char *sp = (const char *)f->sp;
    __builtin_prefetch(sp);
    __builtin_prefetch(sp + 64);
    __builtin_prefetch(sp + 128);
}

#endif
