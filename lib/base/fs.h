/*
 * Files and the places of an installed or built kg.
 */
#ifndef KG_BASE_FS_H
#define KG_BASE_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/* Appends the whole file to b. A file longer than b->max is an error (KG_E_LIMIT). */
int kg_fs_read(const char *path, struct kg_buf *b, struct kg_error *err);
/* Writes to a temporary name beside path, then renames: readers see the old or the new file. What
 * is no regular file (a device, a pipe, /dev/stdout) is written to as it stands. */
int kg_fs_write(const char *path, const void *data, size_t n, unsigned mode, struct kg_error *err);
/* The number behind 'key' in a text of the kernel's (/proc/meminfo, /proc/vmstat); 0: none. */
uint64_t kg_fs_number(const char *path, const char *key);
int kg_fs_mkdirs(const char *path, unsigned mode, struct kg_error *err);
int kg_fs_remove_tree(const char *path); /* 0, or -1 when something is left */
bool kg_fs_exists(const char *path);
bool kg_fs_is_dir(const char *path);

/* All of write(2): short writes and EINTR are gone on with. -1 with errno. */
int kg_fs_write_all(int fd, const void *data, size_t n);

/* malloc'ed; NULL with err when not found. */
char *kg_fs_share(const char *name, struct kg_error *err);   /* .../share/kg/NAME */
char *kg_fs_libexec(const char *name, struct kg_error *err); /* .../libexec/kg/NAME */
char *kg_fs_cache(const char *name, struct kg_error *err);   /* $XDG_CACHE_HOME/kg/NAME, made */
char *kg_fs_join(const char *dir, const char *name);         /* an absolute name stays */
char *kg_fs_dirname(const char *path);

/* A new private directory under $TMPDIR or /tmp. */
char *kg_fs_tempdir(const char *prefix, struct kg_error *err);

/* A program on PATH (or a path with a slash), malloc'ed; NULL when there is none. */
char *kg_fs_which(const char *name);

#endif
