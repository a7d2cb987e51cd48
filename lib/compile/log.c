#include "compile/log.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "compile/shim.h"

char *__cxa_demangle(const char *name, char *buf, size_t *n, int *status); /* of the C++ runtime */

struct line {
    const char *s;
    size_t n;
};

/* The next line of [*p, end), without its end; false at the end. */
static bool next_line(const char **p, const char *end, struct line *out)
{
    if (*p >= end)
        return false;
    const char *nl = memchr(*p, '\n', (size_t)(end - *p));
    out->s = *p;
    out->n = (size_t)((nl ? nl : end) - *p);
    *p = nl ? nl + 1 : end;
    return true;
}

static const char *find(struct line l, const char *what)
{
    return l.n ? memmem(l.s, l.n, what, strlen(what)) : NULL;
}

static bool begins(struct line l, const char *what)
{
    size_t n = strlen(what);
    return l.n >= n && !memcmp(l.s, what, n);
}

/* NVRTC's own file, where it looks for the kernel that is asked for. */
static const char name_map[] = "__nv_name_map";

/* Is the line a part of a complaint about the shim? Lines that are indented go with the one before.
 */
static bool belongs_to_shim(struct line l, bool before)
{
    if (!l.n || l.s[0] == ' ')
        return before;
    return begins(l, KG_SHIM_FILE "(") || begins(l, KG_SHIM_FILE ":") || begins(l, name_map);
}

static bool is_report(struct line l)
{
    return begins(l, "ptxas info ") || find(l, "bytes stack frame, ");
}

/* ---- cutting to size ----------------------------------------------------------------------- */

static void add_valid(const char *s, size_t n, struct kg_buf *out)
{
    for (size_t i = 0; i < n;) {
        size_t k = kg_utf8_len(s + i, n - i);
        if (!k)
            kg_buf_adds(out, "\xEF\xBF\xBD");
        else
            kg_buf_add(out, s + i, k);
        i += k ? k : 1;
    }
}

void kg_log_clean(const char *raw, size_t n, size_t max, struct kg_buf *out)
{
    struct kg_buf all = KG_BUF_INIT;
    const char *p = raw, *end = raw + n;
    struct line l;
    bool shim = false;
    while (next_line(&p, end, &l)) {
        shim = belongs_to_shim(l, shim);
        if (shim || is_report(l))
            continue;
        if (!l.n && (!all.len || all.data[all.len - 1] == '\n') && p >= end)
            continue;
        add_valid(l.s, l.n, &all);
        kg_buf_addc(&all, '\n');
    }
    while (all.len > 1 && all.data[all.len - 2] == '\n')
        all.len--;
    if (all.len <= max) {
        kg_buf_add(out, kg_buf_str(&all), all.len == 1 ? 0 : all.len);
    } else {
        size_t note = 64, head = kg_utf8_cut(all.data, (max - note) / 4 * 3);
        size_t tail = all.len - (max - note) / 4;
        while (tail < all.len && ((unsigned char)all.data[tail] & 0xC0) == 0x80)
            tail++;
        kg_buf_add(out, all.data, head);
        kg_buf_addf(out, "\n[... %zu bytes left out ...]\n", tail - head);
        kg_buf_add(out, all.data + tail, all.len - tail);
    }
    kg_buf_release(&all);
}

/* ---- the first error ----------------------------------------------------------------------- */

static size_t number_at(const char *s, const char *end)
{
    size_t v = 0;
    for (; s < end && isdigit((unsigned char)*s); s++)
        v = v * 10 + (size_t)(*s - '0');
    return v;
}

/* Splits 'FILE(LINE): ' or 'FILE:LINE[:COL]: ' before 'mark'; false when there is no place. */
static bool place_of(struct line l, const char *mark, struct line *file, size_t *line)
{
    const char *end = mark;
    while (end > l.s && (end[-1] == ' ' || end[-1] == ':'))
        end--;
    const char *p = end;
    if (p > l.s && p[-1] == ')') {
        const char *digits = --p;
        while (digits > l.s && isdigit((unsigned char)digits[-1]))
            digits--;
        if (digits == p || digits == l.s || digits[-1] != '(')
            return false;
        *file = (struct line){l.s, (size_t)(digits - 1 - l.s)};
        *line = number_at(digits, p);
        return true;
    }
    const char *first = NULL; /* of the numbers at the end */
    for (int i = 0; i < 2; i++) {
        const char *digits = p;
        while (digits > l.s && isdigit((unsigned char)digits[-1]))
            digits--;
        if (digits == p || digits == l.s || digits[-1] != ':')
            break;
        first = digits;
        p = digits - 1;
    }
    if (!first)
        return false;
    *file = (struct line){l.s, (size_t)(p - l.s)};
    *line = number_at(first, end);
    return true;
}

/* Where the text of an error begins in the line; NULL when the line is none. */
static const char *error_text(struct line l, const char **mark)
{
    /* longer ones first: " error: " is a part of them */
    static const char *const words[] = {
        " catastrophic error: ", " fatal error: ", " error: ", " error : ", " Error: ", NULL};
    for (int i = 0; words[i]; i++) {
        const char *p = find(l, words[i]);
        if (p) {
            *mark = p;
            return p + strlen(words[i]);
        }
    }
    return NULL;
}

/* Errors without a place: ptxas, nvlink, the linker, the compiler itself. */
static bool placeless(struct line l)
{
    return begins(l, "ptxas error") || begins(l, "ptxas fatal") || begins(l, "nvlink error") ||
           begins(l, "nvlink fatal") || begins(l, "nvcc fatal") || begins(l, "nvcc error") ||
           find(l, "undefined reference to ") || find(l, "multiple definition of ") ||
           find(l, "virtual memory exhausted") || find(l, "out of memory allocating") ||
           find(l, "internal compiler error");
}

static void add_placeless(struct line l, struct kg_buf *out)
{
    static const char *const linker[] = {"undefined reference to ", "multiple definition of "};
    for (int i = 0; i < 2; i++) {
        const char *p = find(l, linker[i]);
        if (p)
            l = (struct line){p, (size_t)(l.s + l.n - p)};
    }
    kg_buf_add(out, l.s, l.n);
}

static bool is_shim(struct line file)
{
    return (file.n == strlen(KG_SHIM_FILE) && !memcmp(file.s, KG_SHIM_FILE, file.n)) ||
           (file.n == strlen(name_map) && !memcmp(file.s, name_map, file.n));
}

/* Headers by their name alone: where they are installed is nobody's business. */
static void add_place(struct line file, size_t line, struct kg_buf *message)
{
    const char *slash = file.s[0] == '/' ? memrchr(file.s, '/', file.n) : NULL;
    const char *name = slash ? slash + 1 : file.s;
    kg_buf_addf(message, "%.*s:%zu: ", (int)(file.s + file.n - name), name, line);
}

enum kg_log_error kg_log_first_error(const char *raw, size_t n, struct kg_buf *message)
{
    const char *p = raw, *end = raw + n;
    struct line l, file, shim = {0}, other = {0}, last = {0};
    size_t line;
    while (next_line(&p, end, &l)) {
        const char *mark = NULL, *text = error_text(l, &mark);
        if (text && place_of(l, mark, &file, &line)) {
            struct line words = {text, (size_t)(l.s + l.n - text)};
            if (!is_shim(file)) {
                add_place(file, line, message);
                kg_buf_add(message, words.s, words.n);
                return KG_LOG_PLACED;
            }
            if (!shim.s)
                shim = words;
        } else if (placeless(l)) {
            if (!other.s)
                other = l;
        } else if (text && !last.s) {
            last = l;
        }
    }
    if (shim.s)
        kg_buf_addf(message, "behind the end of the source: %.*s", (int)shim.n, shim.s);
    else if (other.s)
        add_placeless(other, message);
    else if (last.s)
        kg_buf_add(message, last.s, last.n);
    return shim.s ? KG_LOG_SHIM : other.s || last.s ? KG_LOG_OTHER : KG_LOG_NONE;
}

/* ---- the machine ---------------------------------------------------------------------------- */

enum kg_log_machine kg_log_machine(const char *raw, size_t n, struct kg_buf *line)
{
    static const struct {
        enum kg_log_machine what;
        const char *words;
    } table[] = {{KG_LOG_NO_ROOM, "No space left on device"},
                 {KG_LOG_NO_ROOM, "Disk quota exceeded"},
                 {KG_LOG_FILE_SIZE, "File size limit exceeded"},
                 {KG_LOG_FILE_SIZE, "File too large"},
                 {KG_LOG_FILE_SIZE, "terminated with signal 25 "},
                 {KG_LOG_MACHINE, "Resource temporarily unavailable"},
                 {KG_LOG_MACHINE, "Cannot allocate memory"},
                 {KG_LOG_MACHINE, "Killed"},
                 {KG_LOG_MACHINE, "Terminated signal"},
                 {KG_LOG_MACHINE, "terminated with signal 9 "},
                 {KG_LOG_MACHINE, "terminated with signal 15 "},
                 {KG_LOG_MACHINE, "cannot execute"},
                 {KG_LOG_MACHINE, "annot fork"},
                 {KG_LOG_MACHINE, "vfork"},
                 {KG_LOG_MACHINE, "Too many open files"},
                 {KG_LOG_MACHINE, "Input/output error"},
                 {KG_LOG_MACHINE, "Read-only file system"},
                 {KG_LOG_MACHINE, "Stale file handle"},
                 {KG_LOG_MACHINE, "annot create temporary file"}};
    const char *p = raw, *end = raw + n;
    struct line l;
    while (next_line(&p, end, &l)) {
        for (size_t i = 0; l.n && l.s[0] != ' ' && i < sizeof table / sizeof *table; i++)
            if (find(l, table[i].words)) {
                kg_buf_add(line, l.s, l.n);
                return table[i].what;
            }
    }
    return KG_LOG_SOURCE;
}

/* ---- ptxas's report ------------------------------------------------------------------------ */

static size_t cut_parameters(const char *s, size_t n)
{
    static const char anonymous[] = "(anonymous namespace)";
    int depth = 0;
    for (size_t i = 0; i < n; i++) {
        if (n - i >= sizeof anonymous - 1 && !memcmp(s + i, anonymous, sizeof anonymous - 1)) {
            i += sizeof anonymous - 2;
            continue;
        }
        if (s[i] == '(' && !depth && i)
            return i;
        depth += (s[i] == '<') - (s[i] == '>');
    }
    return n;
}

void kg_log_kernel_name(const char *symbol, size_t n, char *out, size_t size)
{
    char *text = kg_mem_strndup(symbol, n);
    char *plain = NULL;
    if (!strncmp(text, "_Z", 2))
        plain = __cxa_demangle(text, NULL, NULL, NULL);
    const char *s = plain ? plain : text;
    size_t len = plain ? cut_parameters(s, strlen(s)) : strlen(s);
    if (plain && len > 5 && !strncmp(s, "void ", 5))
        s += 5, len -= 5;
    if (len >= size)
        len = kg_utf8_cut(s, size - 1);
    memcpy(out, s, len);
    out[len] = 0;
    free(plain);
    free(text);
}

/* The number before 'word' in the line; -1 when it is not there. */
static int64_t number_before(struct line l, const char *word)
{
    const char *p = find(l, word), *digits = p;
    if (!p)
        return -1;
    while (digits > l.s && isdigit((unsigned char)digits[-1]))
        digits--;
    return digits == p ? -1 : (int64_t)number_at(digits, p);
}

static void read_used(struct line l, struct kg_compile_kernel *k)
{
    k->registers = number_before(l, " registers");
    k->shared_bytes = number_before(l, " bytes smem");
    if (k->shared_bytes < 0)
        k->shared_bytes = 0;
    for (struct line rest = l;;) {
        int64_t n = number_before(rest, " bytes cmem[");
        if (n < 0)
            break;
        k->const_bytes = (k->const_bytes < 0 ? 0 : k->const_bytes) + n;
        const char *p = find(rest, " bytes cmem[") + 1;
        rest = (struct line){p, (size_t)(l.s + l.n - p)};
    }
}

static void read_frame(struct line l, struct kg_compile_kernel *k)
{
    int64_t stores = number_before(l, " bytes spill stores");
    int64_t loads = number_before(l, " bytes spill loads");
    k->local_bytes = number_before(l, " bytes stack frame");
    k->spill_bytes = stores < 0 || loads < 0 ? -1 : stores + loads;
}

/* The text between quote marks after 'head'; the last "' for '" of the line ends it, since a name
 * may hold quotes. */
static bool quoted(struct line l, const char *head, const char *stop, struct line *name)
{
    const char *p = find(l, head), *last = NULL;
    if (!p)
        return false;
    p += strlen(head);
    for (const char *q = p; (q = find((struct line){q, (size_t)(l.s + l.n - q)}, stop)); q++)
        last = q;
    *name = (struct line){p, (size_t)((last ? last : l.s + l.n) - p)};
    return true;
}

void kg_log_kernels(const char *raw, size_t n, struct kg_compile_kernel **kernels, size_t *count)
{
    const char *p = raw, *end = raw + n;
    struct line l, symbol = {0}, of = {0};
    size_t cap = 0;
    *kernels = NULL;
    *count = 0;
    while (next_line(&p, end, &l)) {
        struct kg_compile_kernel *k = *count ? &(*kernels)[*count - 1] : NULL;
        if (!is_report(l))
            continue;
        if (quoted(l, "Compiling entry function '", "' for '", &symbol)) {
            *kernels = kg_mem_grow(*kernels, *count, &cap, sizeof **kernels);
            k = &(*kernels)[(*count)++];
            *k = (struct kg_compile_kernel){
                .registers = -1, .local_bytes = -1, .const_bytes = -1, .spill_bytes = -1};
            kg_log_kernel_name(symbol.s, symbol.n, k->name, sizeof k->name);
        } else if (quoted(l, "Function properties for ", "\n", &of)) {
            continue;
        } else if (k && find(l, "bytes stack frame, ")) {
            if (of.n == symbol.n && !memcmp(of.s, symbol.s, of.n)) /* not of a device function */
                read_frame(l, k);
        } else if (k && find(l, " registers")) {
            read_used(l, k);
        }
    }
}

bool kg_log_symbol(const char *raw, size_t n, const char *name, char *out, size_t size)
{
    const char *p = raw, *end = raw + n;
    struct line l, symbol;
    char plain[256];
    while (next_line(&p, end, &l)) {
        if (!quoted(l, "Compiling entry function '", "' for '", &symbol) || symbol.n >= size)
            continue;
        kg_log_kernel_name(symbol.s, symbol.n, plain, sizeof plain);
        if (strcmp(plain, name) != 0)
            continue;
        memcpy(out, symbol.s, symbol.n);
        out[symbol.n] = 0;
        return true;
    }
    return false;
}
