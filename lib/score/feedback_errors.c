#include "score/feedback.h"

#include "base/utf8.h"

#include <ctype.h>
#include <string.h>

enum { LINE_CHARS = 300, TAIL_LINES = 64 };

struct span {
    const char *s;
    size_t n;
};

static struct span next_line(const char **at, const char *end)
{
    struct span l = {*at, 0};
    const char *nl = memchr(*at, '\n', (size_t)(end - *at));
    l.n = (size_t)((nl ? nl : end) - *at);
    *at = nl ? nl + 1 : end;
    while (l.n && isspace((unsigned char)l.s[l.n - 1]))
        l.n--;
    while (l.n && isspace((unsigned char)*l.s)) {
        l.s++;
        l.n--;
    }
    return l;
}

static const char *find(struct span l, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= l.n; i++)
        if (!memcmp(l.s + i, word, n))
            return l.s + i;
    return NULL;
}

/* The number that ends at 'end', or 0. *start: where it begins. */
static unsigned long number_before(const char *begin, const char *end, const char **start)
{
    unsigned long v = 0, scale = 1;
    const char *p = end;
    while (p > begin && isdigit((unsigned char)p[-1]) && end - p < 9) {
        v += scale * (unsigned long)(*--p - '0');
        scale *= 10;
    }
    *start = p;
    return v;
}

/* The line number in 'file(12)' or 'file:12:3' or 'file:12' before an error; 0: none. */
static unsigned long place(const char *begin, const char *end)
{
    const char *p;
    while (end > begin && (isspace((unsigned char)end[-1]) || end[-1] == ':'))
        end--;
    if (end > begin && end[-1] == ')') {
        unsigned long v = number_before(begin, end - 1, &p);
        return p > begin && p[-1] == '(' ? v : 0;
    }
    unsigned long last = number_before(begin, end, &p), first;
    if (!last || p == begin || p[-1] != ':')
        return 0;
    end = p - 1;
    first = number_before(begin, end, &p);
    return first && p > begin && p[-1] == ':' ? first : last;
}

/* Text without control characters; a word that is a path becomes its last part. */
static void add_clean(struct kg_buf *out, struct span l)
{
    size_t i = 0, used = 0;
    while (i < l.n && used < LINE_CHARS) {
        size_t end = i;
        while (end < l.n && !isspace((unsigned char)l.s[end]))
            end++;
        // "/tmp/x/candidate.cu", "'/tmp/x.cu'" but not "a / b" and not "//"
        size_t from = i;
        for (size_t k = i; k + 1 < end; k++)
            if (l.s[k] == '/' && (isalnum((unsigned char)l.s[k + 1]) || l.s[k + 1] == '.'))
                if (l.s[i] == '/' || (end - i > 1 && l.s[i + 1] == '/'))
                    from = k + 1;
        for (size_t k = from; k < end && used < LINE_CHARS; k++, used++)
            kg_buf_addc(out, (unsigned char)l.s[k] < 0x20 || l.s[k] == 0x7f ? '?' : l.s[k]);
        if (end < l.n)
            kg_buf_addc(out, ' ');
        used++;
        i = end + 1;
    }
    // never end inside a character of several bytes
    if (used >= LINE_CHARS) {
        kg_buf_cut(out, kg_utf8_cut(kg_buf_str(out), out->len));
        kg_buf_adds(out, " ...");
    }
}

static const char *error_word(struct span l, size_t *len)
{
    static const char *const words[] = {"fatal error:", "catastrophic error:", "error:", "error :"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = find(l, words[i]);
        if (at) {
            *len = strlen(words[i]);
            return at;
        }
    }
    return NULL;
}

static int64_t add_errors(const char *log, size_t len, int64_t max, struct kg_buf *out)
{
    const char *at = log, *end = log + len;
    int64_t n = 0;
    while (at < end && n < max) {
        struct span l = next_line(&at, end);
        size_t word;
        const char *e = error_word(l, &word);
        if (!e)
            continue;
        unsigned long line = place(l.s, e);
        struct span text = {e + word, (size_t)(l.s + l.n - e) - word};
        while (text.n && isspace((unsigned char)*text.s)) {
            text.s++;
            text.n--;
        }
        if (!text.n)
            continue;
        kg_buf_addf(out, "%s%d. ", n ? "\n" : "", (int)n + 1);
        if (line)
            kg_buf_addf(out, "line %lu: ", line);
        add_clean(out, text);
        n++;
    }
    return n;
}

void kg_feedback_errors(const char *log, size_t len, int64_t max, struct kg_buf *out)
{
    struct span tail[TAIL_LINES];
    size_t n = 0;
    if (max > TAIL_LINES)
        max = TAIL_LINES;
    if (max <= 0 || add_errors(log, len, max, out))
        return;
    for (const char *at = log, *end = log + len; at < end;) {
        struct span l = next_line(&at, end);
        if (!l.n)
            continue;
        if (n == (size_t)max) {
            memmove(tail, tail + 1, (n - 1) * sizeof *tail);
            n--;
        }
        tail[n++] = l;
    }
    for (size_t i = 0; i < n; i++) {
        kg_buf_addf(out, "%s%d. ", i ? "\n" : "", (int)i + 1);
        add_clean(out, tail[i]);
    }
}
