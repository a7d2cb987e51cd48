#include "task/exports.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Behind the literal that begins at p. */
static const char *skip_literal(const char *p)
{
    char quote = *p++;
    while (*p && *p != quote && *p != '\n')
        p += 1 + (*p == '\\' && p[1]);
    return p + (*p == quote);
}

/* Behind the line that goes on as long as it ends in a backslash. */
static const char *skip_line(const char *p)
{
    while (*p && *p != '\n')
        p += 1 + (*p == '\\' && p[1]);
    return p;
}

static const char *skip_comment(const char *p)
{
    if (p[1] == '/')
        return skip_line(p);
    const char *end = strstr(p + 2, "*/");
    return end ? end + 2 : p + strlen(p);
}

struct token {
    const char *at; /* a word or one character; at the end of the source: an empty one */
    size_t len;
};

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next token from *p on; a literal counts as its first character. */
static struct token next(const char **p, bool *line_start)
{
    const char *q = *p;
    for (;;)
        if (isspace((unsigned char)*q))
            *line_start |= *q++ == '\n';
        else if (*q == '/' && (q[1] == '/' || q[1] == '*'))
            q = skip_comment(q);
        else if (*q == '#' && *line_start)
            q = skip_line(q);
        else
            break;
    struct token t = {q, *q != 0};
    if (*q == '"' || *q == '\'')
        q = skip_literal(q);
    else if (in_word(*q))
        for (t.len = 0; in_word(*q); q++)
            t.len++;
    else
        q += t.len;
    *line_start = false;
    *p = q;
    return t;
}

static bool is(struct token t, const char *word)
{
    return t.len == strlen(word) && !strncmp(t.at, word, t.len);
}

static bool is_modifier(struct token t)
{
    static const char *const words[] = {"unsigned", "short", "long"};
    for (int i = 0; i < 3; i++)
        if (is(t, words[i]))
            return true;
    return false;
}

/* The type that stands before a name, and what before that. */
static enum kg_export returns(struct token before, struct token type)
{
    if (is(type, "void"))
        return KG_EXPORT_VOID;
    return is(type, "int") && !is_modifier(before) ? KG_EXPORT_INT : KG_EXPORT_OTHER;
}

/* A definition: outside of everything, the name, a list of parameters, and a '{' before any ';'. */
enum kg_export kg_task_export(const char *source, const char *name)
{
    bool line_start = true, is_static = false;
    enum kg_export found = KG_EXPORT_NONE;
    int depth = 0;
    struct token before = {"", 0}, type = before, previous = before, t;
    for (; (t = next(&source, &line_start)).len; before = type, type = previous, previous = t) {
        if (!depth && *t.at == '{' && found)
            return is_static ? KG_EXPORT_STATIC : found;
        if (!depth && *t.at == '(' && is(previous, name) && type.len)
            found = returns(before, type);
        is_static = is_static || (!depth && is(t, "static"));
        if (strchr("{([", *t.at))
            depth++;
        else if (strchr("})]", *t.at))
            depth -= depth > 0;
        if (!depth && (*t.at == ';' || *t.at == '}')) {
            is_static = false;
            found = KG_EXPORT_NONE;
        }
    }
    return KG_EXPORT_NONE;
}
