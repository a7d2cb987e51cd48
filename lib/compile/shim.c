#include "compile/shim.h"

#include <stdio.h>
#include <string.h>

/*
 * Every name begins with kg_, since candidates define macros such as N, T and TILE. No standard
 * header: NVRTC has none.
 */
static const char prelude[] = /* in namespace kg_shim */
    "template <class kg_a, class kg_b> struct kg_same { enum { kg_v = 0 }; };\n"
    "template <class kg_a> struct kg_same<kg_a, kg_a> { enum { kg_v = 1 }; };\n"
    "template <class kg_t> struct kg_plain { typedef kg_t kg_type; };\n"
    "template <class kg_t> struct kg_plain<const kg_t> { typedef kg_t kg_type; };\n"
    "template <class kg_t> struct kg_plain<volatile kg_t> { typedef kg_t kg_type; };\n"
    "template <class kg_t> struct kg_plain<const volatile kg_t> { typedef kg_t kg_type; };\n"
    "struct kg_none {};\n"
    "template <class kg_t> struct kg_pointee { typedef kg_none kg_type; enum { kg_ro = 0 }; };\n"
    "template <class kg_t> struct kg_pointee<kg_t *> { typedef typename kg_plain<kg_t>::kg_type "
    "kg_type; enum { kg_ro = 0 }; };\n"
    "template <class kg_t> struct kg_pointee<const kg_t *> { typedef typename "
    "kg_plain<kg_t>::kg_type kg_type; enum { kg_ro = 1 }; };\n"
    "template <class kg_t> struct kg_int { enum { kg_size = 0 }; };\n"
    "template <> struct kg_int<char> { enum { kg_size = 1 }; };\n"
    "template <> struct kg_int<signed char> { enum { kg_size = 1 }; };\n"
    "template <> struct kg_int<short> { enum { kg_size = sizeof(short) }; };\n"
    "template <> struct kg_int<int> { enum { kg_size = sizeof(int) }; };\n"
    "template <> struct kg_int<long> { enum { kg_size = sizeof(long) }; };\n"
    "template <> struct kg_int<long long> { enum { kg_size = sizeof(long long) }; };\n"
    "template <class kg_f, int kg_i> struct kg_arg { typedef kg_none kg_type; };\n"
    "template <class kg_r, class kg_a, class... kg_b> struct kg_arg<kg_r (*)(kg_a, kg_b...), 0> "
    "{ typedef kg_a kg_type; };\n"
    "template <class kg_r, class kg_a, class... kg_b, int kg_i> struct kg_arg<kg_r (*)(kg_a, "
    "kg_b...), kg_i> { typedef typename kg_arg<kg_r (*)(kg_b...), kg_i - 1>::kg_type kg_type; };\n"
    "template <class kg_theirs> struct kg_function { static_assert(kg_same<kg_theirs, "
    "kg_none>::kg_v, \"kg: function\"); typedef void (*kg_type)(); enum { kg_n = -1 }; };\n"
    "template <class kg_r, class... kg_a> struct kg_function<kg_r (*)(kg_a...)> { typedef kg_r "
    "(*kg_type)(kg_a...); enum { kg_n = sizeof...(kg_a) }; };\n"
    "#if __cplusplus >= 201703L\n"
    "template <class kg_r, class... kg_a> struct kg_function<kg_r (*)(kg_a...) noexcept> { typedef "
    "kg_r (*kg_type)(kg_a...); enum { kg_n = sizeof...(kg_a) }; };\n"
    "#endif\n";

/* The condition that a type of the candidate's (named 'type') is the task's. */
static void add_kind(enum kg_dtype t, const char *type, struct kg_buf *out)
{
    switch (t) {
    case KG_INT64:
    case KG_INT32:
    case KG_INT8:
        kg_buf_addf(out, "kg_int<%s>::kg_size == %zu", type, kg_dtype_size(t));
        break;
    default:
        kg_buf_addf(out, "kg_same<%s, %s>::kg_v", type, kg_dtype_c_name(t));
        break;
    }
}

static void add_type(const struct kg_arg *a, struct kg_buf *out)
{
    if (a->scalar)
        kg_buf_adds(out, kg_dtype_c_name(a->dtype));
    else
        kg_buf_addf(out, "%s%s *", a->role == KG_ROLE_IN ? "const " : "",
                    kg_dtype_c_name(a->dtype));
}

static void add_check(const struct kg_task *t, size_t i, struct kg_buf *out)
{
    const struct kg_arg *a = &t->args[i];
    kg_buf_addf(out, "template <class kg_theirs> struct kg_parameter_%zu { static_assert(", i + 1);
    kg_buf_adds(out, "kg_same<kg_theirs, kg_none>::kg_v || (");
    if (a->scalar) {
        add_kind(a->dtype, "kg_theirs", out);
    } else {
        add_kind(a->dtype, "typename kg_pointee<kg_theirs>::kg_type", out);
        if (a->role != KG_ROLE_IN)
            kg_buf_adds(out, " && !kg_pointee<kg_theirs>::kg_ro");
    }
    kg_buf_addf(out, "), \"kg: parameter %zu\"); };\n", i + 1);
    kg_buf_addf(out, "template struct kg_parameter_%zu<kg_arg<kg_entry, %zu>::kg_type>;\n", i + 1,
                i);
}

static void add_arguments(const struct kg_task *t, struct kg_buf *out)
{
    for (size_t i = 0; i < t->n_args; i++)
        kg_buf_addf(out, "%s*(kg_shim::kg_arg<kg_shim::kg_entry, %zu>::kg_type *)kg_a[%zu]",
                    i ? ", " : "", i, i);
}

static void add_checks(const struct kg_task *t, struct kg_buf *out)
{
    bool half = false, bf16 = false;
    for (size_t i = 0; i < t->n_args; i++) {
        half |= t->args[i].dtype == KG_FLOAT16;
        bf16 |= t->args[i].dtype == KG_BFLOAT16;
    }
    /* a candidate that does not include the header gets a message about its types, not about this
     */
    kg_buf_adds(out, half ? "struct __half;\n" : "");
    kg_buf_adds(out, bf16 ? "struct __nv_bfloat16;\n" : "");
    kg_buf_adds(out, "namespace kg_shim {\n");
    kg_buf_adds(out, prelude);
    kg_buf_addf(out, "typedef kg_function<decltype(&%s)> kg_found;\n", t->entry);
    kg_buf_adds(out, "typedef kg_found::kg_type kg_entry;\n");
    kg_buf_addf(out,
                "template <int kg_theirs> struct kg_count { static_assert(kg_theirs == %zu || "
                "kg_theirs < 0, \"kg: count\"); };\n"
                "template struct kg_count<kg_found::kg_n>;\n",
                t->n_args);
    for (size_t i = 0; i < t->n_args; i++)
        add_check(t, i, out);
    kg_buf_adds(out, "}\n");
}

static void add_entry_call(const struct kg_task *t, struct kg_buf *out)
{
    kg_buf_addf(out,
                "extern \"C\" __attribute__((visibility(\"default\"))) void kg_call(void **kg_a)\n"
                "{\n"
                "    (void)kg_a;\n"
                "    %s(",
                t->entry);
    add_arguments(t, out);
    kg_buf_adds(out, ");\n}\n");
}

static void add_bare_call(const struct kg_task *t, struct kg_buf *out)
{
    kg_buf_addf(out,
                "namespace kg_shim { struct kg_dims { unsigned kg_grid[3], kg_block[3]; unsigned "
                "long long kg_shared; }; }\n"
                "extern \"C\" int kg_host_launch(const char *, void (*)(void *), void *, const "
                "unsigned *, const unsigned *, decltype(sizeof 0), void *);\n"
                "static void kg_invoke(void *kg_p)\n"
                "{\n"
                "    void **kg_a = (void **)kg_p;\n"
                "    (void)kg_a;\n"
                "    %s(",
                t->entry);
    add_arguments(t, out);
    kg_buf_addf(out,
                ");\n"
                "}\n"
                "extern \"C\" __attribute__((visibility(\"default\"))) void kg_call(void **kg_a)\n"
                "{\n"
                "    const kg_shim::kg_dims *kg_d = (const kg_shim::kg_dims *)kg_a[%zu];\n"
                "    kg_host_launch(\"%s\", kg_invoke, kg_a, kg_d->kg_grid, kg_d->kg_block, "
                "kg_d->kg_shared, 0);\n"
                "}\n",
                t->n_args, t->entry);
}

/* The reference's parameters, in C. Pointers go as void *, so that int64_t may be long or long
 * long.
 */
static void add_reference_arguments(const struct kg_task *t, struct kg_buf *out)
{
    for (size_t i = 0; i < t->n_args; i++) {
        const struct kg_arg *a = &t->args[i];
        const char *type = !a->scalar                    ? "void *"
                           : kg_dtype_is_float(a->dtype) ? "double"
                           : a->dtype == KG_BOOL         ? "_Bool"
                                                         : kg_dtype_c_name(a->dtype);
        kg_buf_addf(out, "%s*(%s *)kg_a[%zu]", i ? ", " : "", type, i);
    }
}

static void begin_c(const char *type, const char *name, struct kg_buf *out)
{
    kg_buf_addf(out, "%s%s(void **kg_a);\n%s%s(void **kg_a)\n{\n    (void)kg_a;\n", type, name,
                type, name);
}

static void add_reference_calls(const struct kg_task *t, struct kg_buf *out)
{
    begin_c("void ", "kg_call", out);
    kg_buf_adds(out, "    reference(");
    add_reference_arguments(t, out);
    kg_buf_adds(out, ");\n}\n");
    for (size_t i = 0; i < t->n_makers; i++) {
        const struct kg_task_maker *m = &t->makers[i];
        char name[16 + KG_TASK_MAX_MAKER_NAME];
        snprintf(name, sizeof name, "kg_init_%s", m->name);
        begin_c("void ", name, out);
        kg_buf_addf(out, "    init_%s(", m->name);
        for (size_t k = 0; k < m->n; k++)
            kg_buf_addf(out, "*(void **)kg_a[%zu], ", m->arg[k]);
        kg_buf_addf(out, "*(void **)kg_a[%zu], *(unsigned long long *)kg_a[%zu]);\n}\n",
                    t->ref_axes, t->ref_seed);
    }
    if (!t->checked)
        return;
    begin_c("int ", "kg_check", out);
    kg_buf_adds(out, "    return check(");
    add_reference_arguments(t, out);
    for (size_t i = t->ref_got; i < t->ref_axes; i++)
        kg_buf_addf(out, ", *(void **)kg_a[%zu]", i);
    kg_buf_adds(out, ");\n}\n");
}

void kg_shim_write(const struct kg_task *t, enum kg_shim_kind kind, struct kg_buf *out)
{
    kg_buf_adds(out, "\n#line 1 \"" KG_SHIM_FILE "\"\n");
    if (kind == KG_SHIM_REFERENCE) {
        add_reference_calls(t, out);
        return;
    }
    add_checks(t, out);
    if (kind == KG_SHIM_ENTRY)
        add_entry_call(t, out);
    else if (kind == KG_SHIM_BARE_HOST)
        add_bare_call(t, out);
}

void kg_shim_signature(const struct kg_task *t, struct kg_buf *out)
{
    kg_buf_addf(out, "%svoid %s(", t->bare ? "__global__ " : "", t->entry);
    for (size_t i = 0; i < t->n_args; i++) {
        kg_buf_adds(out, i ? ", " : "");
        add_type(&t->args[i], out);
        kg_buf_addf(out, "%s%s", t->args[i].scalar ? " " : "", t->args[i].name);
    }
    kg_buf_adds(out, ")");
}

/* ---- reading the compilers' complaints ---------------------------------------------------- */

/*
 * The candidate's type or number in the words of a compiler about kg_parameter_N or kg_count:
 * g++ 'kg_parameter_2<const int*>', EDG '[with kg_theirs=const int *]'. From 'at' on; empty when it
 * is not found.
 */
static void find_theirs(const char *log, const char *name, struct kg_buf *out)
{
    static const char edg[] = "<kg_theirs> [with kg_theirs=";
    size_t len = strlen(name);
    for (const char *p = log; (p = strstr(p, name)); p += len) {
        const char *q = p + len;
        int depth = 1;
        if (!strncmp(q, edg, sizeof edg - 1)) {
            q += sizeof edg - 1;
            kg_buf_add(out, q, strcspn(q, "]\n"));
            return;
        }
        if (*q != '<' || !strncmp(q, "<kg_", 4)) /* the shim's own text */
            continue;
        for (q++; *q && *q != '\n'; q++) {
            depth += (*q == '<') - (*q == '>');
            if (!depth)
                return;
            kg_buf_addc(out, *q);
        }
        return;
    }
}

static bool explain_count(const struct kg_task *t, const char *log, struct kg_buf *message)
{
    struct kg_buf theirs = KG_BUF_INIT;
    if (!strstr(log, "kg: count"))
        return false;
    find_theirs(log, "kg_count", &theirs);
    kg_buf_addf(message, "'%s' has %s parameters, the task %zu: ", t->entry,
                theirs.len ? theirs.data : "another number of", t->n_args);
    kg_shim_signature(t, message);
    kg_buf_release(&theirs);
    return true;
}

/* "kg: parameter 1" and not "kg: parameter 12" */
static bool complains(const char *log, size_t parameter)
{
    struct kg_buf text = KG_BUF_INIT;
    bool found = false;
    kg_buf_addf(&text, "kg: parameter %zu", parameter);
    for (const char *p = log; !found && (p = strstr(p, text.data)); p += text.len)
        found = p[text.len] < '0' || p[text.len] > '9';
    kg_buf_release(&text);
    return found;
}

static bool explain_parameter(const struct kg_task *t, const char *log, struct kg_buf *message)
{
    for (size_t i = 0; i < t->n_args; i++) {
        struct kg_buf theirs = KG_BUF_INIT, name = KG_BUF_INIT;
        if (!complains(log, i + 1))
            continue;
        kg_buf_addf(&name, "kg_parameter_%zu", i + 1);
        find_theirs(log, name.data, &theirs);
        kg_buf_addf(message, "parameter %zu of '%s' ('%s'): the task has '", i + 1, t->entry,
                    t->args[i].name);
        add_type(&t->args[i], message);
        kg_buf_addf(message, "', the candidate '%s'", theirs.len ? theirs.data : "another type");
        kg_buf_release(&theirs);
        kg_buf_release(&name);
        return true;
    }
    return false;
}

/* Is there a complaint in the shim's file that says the entry is not there? */
static bool entry_is_missing(const struct kg_task *t, const char *log)
{
    static const char *const words[] = {"was not declared in this scope", "is undefined",
                                        "has not been declared", "undefined reference to"};
    for (const char *line = log; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t n = strcspn(line, "\n");
        const char *p = memmem(line, n, t->entry, strlen(t->entry));
        if (!p || (strncmp(line, KG_SHIM_FILE, strlen(KG_SHIM_FILE)) &&
                   !memmem(line, n, "undefined reference", 19)))
            continue;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (memmem(line, n, words[i], strlen(words[i])))
                return true;
    }
    return false;
}

/* Did the shim land inside something that the candidate left open? Then its other complaints mean
 * nothing. */
static bool is_unfinished(const char *log)
{
    static const char *const words[] = {"template declaration cannot appear at block scope",
                                        "template declaration is not allowed here",
                                        "a template may not be declared here", "expected a \"}\"",
                                        "at end of input"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(log, words[i]))
            return true;
    return false;
}

bool kg_shim_explain(const struct kg_task *t, const char *log, enum kg_verdict *verdict,
                     struct kg_buf *message)
{
    *verdict = KG_COMPILE_ERROR;
    if (is_unfinished(log)) {
        kg_buf_adds(message,
                    "the source ends inside a declaration or a block (unbalanced braces?)");
        return true;
    }
    if (entry_is_missing(t, log)) {
        *verdict = KG_LOAD_ERROR;
        kg_buf_adds(message, "no entry point: the task wants '");
        kg_shim_signature(t, message);
        kg_buf_adds(message, "'");
        return true;
    }
    if (strstr(log, "kg: function")) {
        kg_buf_addf(message, "'%s' is no function: the task wants '", t->entry);
        kg_shim_signature(t, message);
        kg_buf_adds(message, "'");
        return true;
    }
    if (explain_count(t, log, message) || explain_parameter(t, log, message))
        return true;
    if (strstr(log, "overloaded function")) {
        kg_buf_addf(message, "'%s' is overloaded: the task wants one '", t->entry);
        kg_shim_signature(t, message);
        kg_buf_adds(message, "'");
        return true;
    }
    return false;
}
