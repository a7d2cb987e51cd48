/*
 * A folder of files that may be made again, kept small: what was unused for longest goes first.
 * The owner of the folder walks it and adds what may go; entries of several files are one item.
 */
#ifndef KG_BASE_BOUND_H
#define KG_BASE_BOUND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct kg_bound_item {
    char *name;
    int64_t bytes, used_ns; /* on disk; when it was last modified, which a use has to set */
};

struct kg_bound {
    struct kg_bound_item *v;
    size_t n, cap;
    int64_t bytes; /* of all items */
};

#define KG_BOUND_INIT                                                                              \
    {                                                                                              \
        NULL, 0, 0, 0                                                                              \
    }

/* A file of the item 'name', which becomes b's (malloc'ed). Files of an item are joined: at once
 * where they come after each other. */
void kg_bound_add(struct kg_bound *b, char *name, const struct stat *st);

/* With more than 'bytes' there: calls drop with the names of items, the longest unused first, until
 * a sixteenth less would be left, so that the next file does not start it again. Then b is empty.
 */
void kg_bound_shrink(struct kg_bound *b, int64_t bytes, void (*drop)(const char *name));

#endif
