/*
 * The artifacts of earlier compiles: KEY.json (verdict, kernels, log) beside KEY.so or KEY.cubin,
 * in 256 folders under $XDG_CACHE_HOME/kg/artifacts. Written to a temporary name and renamed, the
 * .json last; read back only when the file's hash is the one noted there, so a damaged entry is a
 * miss. One flock a key: of two processes that want the same thing one compiles. Bounded by size,
 * the longest unused go first.
 *
 * Where the folder cannot be made or written, a private temporary one serves until the process
 * ends.
 */
#ifndef KG_COMPILE_CACHE_H
#define KG_COMPILE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "compile/compile.h"

struct kg_cache_entry {
    const char *dir;    /* kg_cache_dir or kg_cache_private_dir */
    const char *key;    /* hex */
    const char *suffix; /* ".so", ".cubin" */
};

/* The folder; adds a line to notes when it is a temporary one. Never NULL, lives for ever. */
const char *kg_cache_dir(struct kg_buf *notes);
/* A folder of this process alone, removed when it ends (--no-cache). */
const char *kg_cache_private_dir(void);

/* Fills out (verdict, message, kernels, log, notes, path ...); false when there is no sound entry.
 */
bool kg_cache_get(const struct kg_cache_entry *e, struct kg_compile_result *out);

/* Waits for the key; -1 with a note when locks do not work there (the compile goes on). */
int kg_cache_lock(const struct kg_cache_entry *e, struct kg_buf *notes);
/* flock(2), exclusive, for as long as nobody wants the run to end; -1 with errno. */
int kg_cache_flock(int fd);
void kg_cache_unlock(const struct kg_cache_entry *e, int fd);

/* Keeps the result and, when it is PASSED, the file's bytes; sets res->path and res->artifact. */
int kg_cache_put(const struct kg_cache_entry *e, const void *file, size_t n,
                 struct kg_compile_result *res, struct kg_error *err);

/* Removes the longest unused entries until at most 'bytes' are left. Called by kg_cache_put's
 * caller; looks only when this process has added a 64th of the bound since the last look. */
void kg_cache_bound(const char *dir, int64_t bytes, int64_t added);

#endif
