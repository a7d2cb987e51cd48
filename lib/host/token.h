/*
 * The tokens of a CUDA C++ source, for translate.c: what may be text (comments, strings, raw
 * strings) is told from what is code, and line continuations are seen through. Tokens point into
 * the source; comments and white space are the gaps between them.
 *
 * '<<<' is one token, and '>>>' (so that nested template closers can be one as well).
 * Directives are tokens too, flagged; the '#' is the first of each.
 */
#ifndef KG_HOST_TOKEN_H
#define KG_HOST_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kg_token_kind {
    KG_TOKEN_WORD, /* identifiers and keywords */
    KG_TOKEN_NUMBER,
    KG_TOKEN_STRING, /* also raw strings, with their prefix */
    KG_TOKEN_CHAR,
    KG_TOKEN_HEADER, /* <name> after #include */
    KG_TOKEN_PUNCT,
    KG_TOKEN_END, /* behind the last one */
};

struct kg_token {
    enum kg_token_kind kind;
    size_t at, len;
    unsigned line;
    unsigned directive; /* number of the directive it belongs to, from 1; 0: code */
    bool dead;          /* in a branch of #if that is never compiled here */
    unsigned depth;     /* of braces, code only */
    size_t mate;        /* index of the matching bracket of ( ) [ ] { }; 0: none */
};

/*
 * The source is a stranger's, and looking around in it can take time that grows with its square. So
 * what is looked at is counted, whoever looks; loops over all tokens end when the budget, some
 * seconds at most, is spent. A source of a person's spends a few thousandths of it.
 */
struct kg_work {
    uint64_t spent, budget;
};

struct kg_tokens {
    const char *src;
    size_t len, n, cap;
    struct kg_work *work;
    struct kg_token *t; /* t[0] is a KG_TOKEN_END that stands before the first; t[n] the last END */
};

void kg_tokens_read(struct kg_tokens *ts, const char *src, size_t len);
void kg_tokens_release(struct kg_tokens *ts);

bool kg_token_is(const struct kg_tokens *ts, size_t i, const char *text);

void kg_tokens_spend(const struct kg_tokens *ts, uint64_t steps); /* kg_token_is spends 1 */
bool kg_tokens_spent(const struct kg_tokens *ts);                 /* the budget is: stop */

/* Marks what stands in branches that the host device never compiles ('#if 0', '#ifdef
 * __CUDA_ARCH__'); a condition that is not known leaves both branches alive. condition.c */
void kg_tokens_conditions(struct kg_tokens *ts);

#endif
