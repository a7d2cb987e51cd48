/*
 * Inside of the translator: edits of a source, and the parts that make them. Not for other modules.
 */
#ifndef KG_HOST_REWRITE_H
#define KG_HOST_REWRITE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "host/token.h"

struct kg_edit {
    size_t at, remove; /* bytes of the source; removed text holds no newline */
    size_t order;      /* insertions at one place stand in this order */
    const char *text;
};

struct kg_rewrite {
    struct kg_tokens ts;
    const char *name; /* of the source, for messages */
    struct kg_edit *edits;
    size_t n, cap;
    unsigned counter;      /* for unique names */
    struct kg_arena arena; /* of the texts */
};

/* Insertion before or behind a token; removal of a token. */
void kg_rewrite_before(struct kg_rewrite *w, size_t token, const char *text);
void kg_rewrite_behind(struct kg_rewrite *w, size_t token, const char *text);
void kg_rewrite_remove(struct kg_rewrite *w, size_t token);
void kg_rewrite_replace(struct kg_rewrite *w, size_t token, const char *text);

/* Tokens first to last on one line, with blanks where the source has a gap. In the arena. */
const char *kg_rewrite_text(struct kg_rewrite *w, size_t first, size_t last);

/* k<<<...>>>(...) whose '<<<' is token i. rewrite_launch.c */
int kg_rewrite_launch(struct kg_rewrite *w, size_t i, struct kg_error *err);
/* cudaLaunchKernel((void *)k, ...): the cast would hide the parameters. */
void kg_rewrite_launch_call(struct kg_rewrite *w, size_t i);

/* The declaration that token i, '__shared__', stands in; returns its last token. rewrite_shared.c
 */
size_t kg_rewrite_shared(struct kg_rewrite *w, size_t i);

/* Loops that may spin on memory get a call that lets others run. rewrite_spin.c */
void kg_rewrite_spins(struct kg_rewrite *w);

/* KG_E_UNSUPPORTED for the first construct that the host device lacks. unsupported.c */
int kg_rewrite_check(const struct kg_rewrite *w, struct kg_error *err);

#endif
