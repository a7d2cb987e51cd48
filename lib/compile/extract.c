#include "compile/extract.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct span {
    const char *s;
    size_t n;
};

static const char *find(const char *s, size_t n, const char *what)
{
    return n ? memmem(s, n, what, strlen(what)) : NULL;
}

struct fence {
    size_t indent;
    char mark;
    size_t marks;
    struct span info;
};

static struct span trim(struct span s)
{
    while (s.n && strchr(" \t\r\n\v\f", s.s[0]) && s.s[0])
        s.s++, s.n--;
    while (s.n && strchr(" \t\r\n\v\f", s.s[s.n - 1]) && s.s[s.n - 1])
        s.n--;
    return s;
}

static bool is_fence(struct span line, struct fence *f)
{
    size_t i = 0;
    while (i < line.n && (line.s[i] == ' ' || line.s[i] == '\t'))
        i++;
    f->indent = i;
    f->mark = i < line.n ? line.s[i] : 0;
    if (f->mark != '`' && f->mark != '~')
        return false;
    size_t begin = i;
    while (i < line.n && line.s[i] == f->mark)
        i++;
    f->marks = i - begin;
    f->info = trim((struct span){line.s + i, line.n - i});
    /* `code` in a sentence is no fence */
    return f->marks >= 3 && !(f->mark == '`' && memchr(f->info.s, '`', f->info.n));
}

static bool begins(const char *s, const char *end, const char *what)
{
    size_t n = strlen(what);
    return (size_t)(end - s) >= n && !memcmp(s, what, n);
}

static bool closes(const struct fence *f, const struct fence *open)
{
    return f->mark == open->mark && f->marks >= open->marks && !f->info.n;
}

/* The text without thoughts, on its way: out ends with a line that begins at 'line'. */
struct plain {
    struct kg_buf *out;
    size_t line;
    bool in_fence;
    struct fence open;
    size_t quoted; /* <think> tags in the open fence that are not closed yet: code, no thoughts */
};

static void end_line(struct plain *p)
{
    struct fence f;
    bool fence = is_fence((struct span){kg_buf_str(p->out) + p->line, p->out->len - p->line}, &f);
    if (fence && !p->in_fence) {
        p->open = f; /* its info is not looked at any more: the buffer may move */
        p->in_fence = true;
        p->quoted = 0;
    } else if (fence && closes(&f, &p->open)) {
        p->in_fence = false;
    }
}

/* Drops thoughts; false when the text ends inside one. A tag inside an open fence is code. */
static bool drop_thoughts(const char *s, size_t len, struct kg_buf *out)
{
    static const char open[] = "<think>", close[] = "</think>";
    const char *end = s + len;
    struct plain p = {.out = out};
    while (s < end) {
        if (begins(s, end, open) && !p.in_fence) {
            s = find(s, (size_t)(end - s), close);
            if (!s)
                return false;
            s += sizeof close - 1;
        } else if (begins(s, end, close) && !(p.in_fence && p.quoted)) {
            /* what it closes was opened by the prompt */
            kg_buf_reset(out);
            p = (struct plain){.out = out};
            s += sizeof close - 1;
        } else {
            p.quoted += begins(s, end, open);
            p.quoted -= begins(s, end, close);
            if (*s == '\n')
                end_line(&p);
            kg_buf_addc(out, *s);
            if (*s++ == '\n')
                p.line = out->len;
        }
    }
    return true;
}

static bool is_language(struct span info, const char *backend)
{
    static const char *const cuda[] = {"cuda",   "cu",       "c++", "cpp", "cxx", "cc", "c",
                                       "cuda-c", "cuda-cpp", "cuh", "h",   "hpp", NULL};
    static const char *const python[] = {"python", "py", "python3", "triton", NULL};
    const char *const *words = strcmp(backend, "triton") ? cuda : python;
    size_t n = 0;
    while (n < info.n && !strchr(" \t,{:", info.s[n]))
        n++;
    for (; *words; words++)
        if (strlen(*words) == n && !strncasecmp(*words, info.s, n))
            return true;
    return false;
}

struct block {
    bool found;
    const char *begin, *end;
    size_t indent;
};

/* Appends the block's lines without the indentation of its fence (a fence inside a list). */
static void add_block(const struct block *b, struct kg_buf *out)
{
    for (const char *p = b->begin; p < b->end;) {
        const char *nl = memchr(p, '\n', (size_t)(b->end - p));
        const char *next = nl ? nl + 1 : b->end;
        for (size_t i = 0; i < b->indent && p < next && (*p == ' ' || *p == '\t'); i++)
            p++;
        kg_buf_add(out, p, (size_t)(next - p));
        p = next;
    }
}

struct scan {
    struct block any, lang;
    bool open, open_is_lang;
};

static void scan_blocks(const char *s, size_t n, const char *backend, struct scan *out)
{
    const char *end = s + n, *p = s, *begin = NULL;
    struct fence open = {0}, f;
    while (p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        struct span line = {p, (size_t)((nl ? nl : end) - p)};
        const char *next = nl ? nl + 1 : end;
        bool fence = is_fence(line, &f);
        if (!begin && fence) {
            open = f;
            begin = next;
        } else if (begin && fence && closes(&f, &open)) {
            struct block b = {true, begin, p, open.indent};
            out->any = b;
            if (is_language(open.info, backend))
                out->lang = b;
            begin = NULL;
        }
        p = next;
    }
    out->open = begin != NULL;
    out->open_is_lang = begin && is_language(open.info, backend);
}

int kg_extract_fenced(const char *text, size_t len, const char *backend, struct kg_buf *out,
                      struct kg_error *err)
{
    struct kg_buf plain = KG_BUF_INIT;
    struct scan scan = {0};
    int r = 0;
    if (!drop_thoughts(text, len, &plain)) {
        kg_buf_release(&plain);
        return kg_error_set(err, KG_E_INPUT, "truncated: the response ends inside <think>");
    }
    scan_blocks(kg_buf_str(&plain), plain.len, backend, &scan);
    const struct block *b = scan.lang.found ? &scan.lang : &scan.any;
    if (scan.open_is_lang || (scan.open && !b->found))
        r = kg_error_set(err, KG_E_INPUT, "truncated: the response ends inside a code block");
    else if (!b->found)
        r = kg_error_set(err, KG_E_INPUT, "the response has no fenced code block");
    else
        add_block(b, out);
    kg_buf_release(&plain);
    return r;
}

/* ---- KernelGYM's rules ------------------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* After 'head' and white space that holds a line end; NULL when no such place is found. 'between'
 * may stand after head with white space around it. */
static const char *after_marker(const char *s, const char *end, const char *head,
                                const char *between)
{
    const char *p;
    for (; (p = find(s, (size_t)(end - s), head)); s = p + 1) {
        const char *q = p + strlen(head);
        bool newline = false;
        if (between) {
            while (q < end && is_space(*q))
                q++;
            if ((size_t)(end - q) < strlen(between) || strncmp(q, between, strlen(between)))
                continue;
            q += strlen(between);
        }
        for (; q < end && is_space(*q); q++)
            newline |= *q == '\n';
        if (newline)
            return q;
    }
    return NULL;
}

static const char *skip_info(const char *p, const char *end)
{
    while (p < end && (*p == '_' || (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') ||
                       (*p >= 'A' && *p <= 'Z')))
        p++;
    return p;
}

static struct span last_fence_pair(const char *s, const char *end)
{
    struct span last = {NULL, 0};
    const char *p, *q;
    while ((p = find(s, (size_t)(end - s), "```"))) {
        p = skip_info(p + 3, end);
        if (!(q = find(p, (size_t)(end - p), "```")))
            break;
        last = (struct span){p, (size_t)(q - p)};
        s = q + 3;
    }
    return last;
}

int kg_extract_kernelgym(const char *text, size_t len, struct kg_buf *out, struct kg_error *err)
{
    static const struct {
        const char *head, *between, *stop;
        bool must_stop;
    } rules[] = {{"# Kernel Implementation", NULL, "# End", false},
                 {"```python", "# Kernel", "```", true},
                 {"# Your implementation:", NULL, "# End", false},
                 {"# Generated kernel:", NULL, "# End", false}};
    const char *end = text + len;
    struct span code = {NULL, 0};
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !code.s; i++) {
        const char *p = after_marker(text, end, rules[i].head, rules[i].between);
        const char *q = p ? find(p, (size_t)(end - p), rules[i].stop) : NULL;
        if (p && (q || !rules[i].must_stop))
            code = (struct span){p, (size_t)((q ? q : end) - p)};
    }
    if (!code.s)
        code = last_fence_pair(text, end);
    if (!code.s)
        code = (struct span){text, len};
    code = trim(code);
    if (!code.n)
        return kg_error_set(err, KG_E_INPUT, "the response holds no code");
    kg_buf_add(out, code.s, code.n);
    return 0;
}
