/*
 * YAML files (tasks, policies) as a document tree; every value knows its line and column, so that
 * whoever reads it can say where an error is. JSON's types: plain scalars that read as null, true,
 * false or a JSON number are that, everything else is a string. Anchors, aliases and tags are
 * errors, as are duplicate keys. At most 16 MiB.
 */
#ifndef KG_RECORD_YAML_H
#define KG_RECORD_YAML_H

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"

const struct kg_value *kg_yaml_file(const char *path, struct kg_arena *a, struct kg_error *err);
const struct kg_value *kg_yaml_text(const char *text, size_t len, const char *source,
                                    struct kg_arena *a, struct kg_error *err);

#endif
