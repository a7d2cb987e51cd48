#include "base/verdict.h"

#include <stddef.h>
#include <string.h>

#define CODE_NONE              NULL
#define CODE_VALIDATION_ERROR  "VALIDATION_ERROR"
#define CODE_COMPILATION_ERROR "COMPILATION_ERROR"
#define CODE_RUNTIME_ERROR     "RUNTIME_ERROR"
#define CODE_CORRECTNESS_ERROR "CORRECTNESS_ERROR"
#define CODE_TIMEOUT_ERROR     "TIMEOUT_ERROR"
#define CODE_RESOURCE_ERROR    "RESOURCE_ERROR"
#define CODE_SYSTEM_ERROR      "SYSTEM_ERROR"

static const struct {
    const char *name, *code, *about;
    enum kg_verdict_class class;
} table[] = {
#define V(name, class, code, about) {#name, CODE_##code, about, KG_CLASS_##class},
    KG_VERDICTS(V)
#undef V
};

static const char *const class_names[] = {"pass",    "wrong", "crash", "hack",
                                          "suspect", "task",  "ours"};

const char *kg_verdict_name(enum kg_verdict v)
{
    return table[v].name;
}

const char *kg_verdict_about(enum kg_verdict v)
{
    return table[v].about;
}

enum kg_verdict_class kg_verdict_class(enum kg_verdict v)
{
    return table[v].class;
}

const char *kg_verdict_class_name(enum kg_verdict_class c)
{
    return class_names[c];
}

struct kg_verdict_fields kg_verdict_fields(enum kg_verdict v)
{
    struct kg_verdict_fields f = {1, 0, 0, table[v].code};
    switch (table[v].class) {
    case KG_CLASS_PASS:
        f.correctness = 1;
        break;
    case KG_CLASS_TASK:
    case KG_CLASS_OURS:
        f.compiled = f.correctness = f.decoy = -1;
        break;
    default:
        if (v == KG_NO_CODE || v == KG_COMPILE_ERROR || v == KG_LOAD_ERROR)
            f.compiled = 0;
        f.decoy = v == KG_NO_CUSTOM_KERNEL || v == KG_INERT_KERNEL || v == KG_LIBRARY_ONLY;
    }
    return f;
}

bool kg_verdict_parse(const char *name, enum kg_verdict *out)
{
    for (int i = 0; i < KG_VERDICT_COUNT; i++)
        if (!strcmp(table[i].name, name)) {
            *out = (enum kg_verdict)i;
            return true;
        }
    return false;
}

bool kg_verdict_worsens(enum kg_verdict a, enum kg_verdict b)
{
    return a == KG_PASSED && b != KG_PASSED;
}
