#include "score/feedback.h"

#include "base/utf8.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_CHARS = 100 };
static const char cut_mark[] = "\n[cut]\n";

/* A name or number of the candidate's making: no control characters, no braces of ours, bounded. */
static void add_plain(struct kg_buf *out, const char *s, size_t max)
{
    size_t n = 0;
    for (; *s && n < max; s++, n++)
        kg_buf_addc(out, (unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s);
    if (*s) {
        kg_buf_cut(out, kg_utf8_cut(kg_buf_str(out), out->len));
        kg_buf_adds(out, "...");
    }
}

static int longest_first(const void *a, const void *b)
{
    const struct kg_feedback_kernel *x = a, *y = b;
    double p = isnan(x->device_us) ? -1 : x->device_us, q = isnan(y->device_us) ? -1 : y->device_us;
    if (p != q)
        return p < q ? 1 : -1;
    return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

static void add_kernels(struct kg_buf *out, const struct kg_feedback_opts *o,
                        struct kg_feedback_in *in)
{
    size_t n = in->n_kernels < (size_t)o->kernels ? in->n_kernels : (size_t)o->kernels;
    if (in->n_kernels)
        qsort(in->kernels, in->n_kernels, sizeof *in->kernels, longest_first);
    for (size_t i = 0; i < n; i++) {
        const struct kg_feedback_kernel *k = &in->kernels[i];
        kg_buf_adds(out, "\n  ");
        add_plain(out, k->name ? k->name : "?", NAME_CHARS);
        if (k->class_name) {
            kg_buf_adds(out, " (");
            add_plain(out, k->class_name, 20);
            kg_buf_adds(out, ")");
        }
        if (isfinite(k->device_us))
            kg_buf_addf(out, ": %.2f us", k->device_us);
        if (isfinite(k->share))
            kg_buf_addf(out, ", %.1f %%", 100 * k->share);
    }
}

static void add_speedup(struct kg_buf *out, const struct kg_feedback_in *in)
{
    if (!isfinite(in->speedup))
        return;
    kg_buf_addf(out, "%.2f", in->speedup);
    if (isfinite(in->speedup_lo) && isfinite(in->speedup_hi))
        kg_buf_addf(out, " (95 %% interval %.2f to %.2f)", in->speedup_lo, in->speedup_hi);
}

static void add_percent(struct kg_buf *out, double x)
{
    if (isfinite(x))
        kg_buf_addf(out, "%.1f %%", 100 * x);
}

static void add_errors(struct kg_buf *out, const struct kg_feedback_opts *o,
                       const struct kg_feedback_in *in)
{
    size_t start = out->len;
    kg_buf_addc(out, '\n');
    kg_feedback_errors(in->log, in->log_len, o->errors, out);
    if (out->len == start + 1)
        kg_buf_cut(out, start);
}

static void add_text(struct kg_buf *out, const char *s)
{
    if (s)
        add_plain(out, s, NAME_CHARS);
}

enum word {
    W_STATUS,
    W_ABOUT,
    W_ERRORS,
    W_OUTPUT,
    W_INDEX,
    W_GOT,
    W_WANT,
    W_SPEEDUP,
    W_COVERAGE,
    W_COVERAGE_COUNT,
    W_COVERAGE_REPLACED,
    W_KERNELS,
    W_COUNT
};
static const char *const words[W_COUNT] = {
    "status",
    "about",
    "errors",
    "output",
    "index",
    "got",
    "want",
    "speedup",
    "coverage",
    "coverage_count",
    "coverage_replaced",
    "kernels",
};

/* A word's value appended; nothing where there is none. */
static void add_word(struct kg_buf *out, enum word w, const struct kg_feedback_opts *o,
                     struct kg_feedback_in *in)
{
    switch (w) {
    case W_STATUS:
        kg_buf_adds(out, kg_verdict_name(in->verdict));
        break;
    case W_ABOUT:
        kg_buf_adds(out, kg_verdict_about(in->verdict));
        break;
    case W_ERRORS:
        if (in->log)
            add_errors(out, o, in);
        break;
    case W_OUTPUT:
        add_text(out, in->output);
        break;
    case W_INDEX:
        add_text(out, in->index);
        break;
    case W_GOT:
        add_text(out, in->got);
        break;
    case W_WANT:
        add_text(out, in->want);
        break;
    case W_SPEEDUP:
        add_speedup(out, in);
        break;
    case W_COVERAGE:
        add_percent(out, in->coverage.time);
        break;
    case W_COVERAGE_COUNT:
        add_percent(out, in->coverage.count);
        break;
    case W_COVERAGE_REPLACED:
        add_percent(out, in->coverage.replaced);
        break;
    case W_KERNELS:
        add_kernels(out, o, in);
        break;
    case W_COUNT:
        break;
    }
}

/* The word that begins at p, behind a '{'; *end: behind its '}'. W_COUNT: none that is known. */
static enum word parse_word(const char *p, const char *line_end, const char **end)
{
    const char *close = memchr(p, '}', (size_t)(line_end - p));
    if (!close)
        return W_COUNT;
    *end = close + 1;
    for (int i = 0; i < W_COUNT; i++)
        if (strlen(words[i]) == (size_t)(close - p) && !memcmp(words[i], p, strlen(words[i])))
            return (enum word)i;
    return W_COUNT;
}

static const char *line_end(const char *p)
{
    const char *nl = strchr(p, '\n');
    return nl ? nl : p + strlen(p);
}

int kg_feedback_check(const char *text, const char *source, struct kg_error *err)
{
    size_t line = 1;
    for (const char *p = text; *p; line++) {
        const char *end = line_end(p);
        for (const char *q = p, *next; q < end; q++) {
            if (*q != '{')
                continue;
            if (q[1] == '{') {
                q++;
                continue;
            }
            if (parse_word(q + 1, end, &next) == W_COUNT)
                return kg_error_at(err, KG_E_INPUT, source, line, (size_t)(q - p) + 1,
                                   "no such word '%.*s' in a feedback template",
                                   (int)(strcspn(q + 1, "}\n") < 40 ? strcspn(q + 1, "}\n") : 40),
                                   q + 1);
            q = next - 1;
        }
        p = *end ? end + 1 : end;
    }
    return 0;
}

/* One line of the template; false where a word has no value: the line is left out. */
static bool render_line(const char *p, const char *end, const struct kg_feedback_opts *o,
                        struct kg_feedback_in *in, struct kg_buf *out)
{
    size_t start = out->len;
    while (p < end) {
        const char *next;
        if (*p != '{') {
            kg_buf_addc(out, *p++);
            continue;
        }
        if (p + 1 < end && p[1] == '{') {
            kg_buf_addc(out, '{');
            p += 2;
            continue;
        }
        enum word w = parse_word(p + 1, end, &next);
        size_t before = out->len;
        if (w != W_COUNT)
            add_word(out, w, o, in);
        if (w == W_COUNT || out->len == before) {
            kg_buf_cut(out, start);
            return false;
        }
        p = next;
    }
    kg_buf_addc(out, '\n');
    return true;
}

/* Cuts out, from 'start' on, to so many characters. */
static void cut(struct kg_buf *out, size_t start, int64_t max)
{
    int64_t chars = 0, room = max - (int64_t)strlen(cut_mark);
    size_t keep = start;
    for (size_t i = start; i < out->len; i++) {
        if (((unsigned char)out->data[i] & 0xc0) == 0x80)
            continue;
        if (chars++ == room)
            keep = i;
        if (chars > max) {
            kg_buf_cut(out, keep);
            kg_buf_adds(out, cut_mark);
            return;
        }
    }
}

void kg_feedback_render(const char *text, const struct kg_feedback_opts *o,
                        struct kg_feedback_in *in, struct kg_buf *out)
{
    size_t start = out->len;
    for (const char *p = text; *p;) {
        const char *end = line_end(p);
        render_line(p, end, o, in, out);
        p = *end ? end + 1 : end;
    }
    while (out->len > start && out->data[out->len - 1] == '\n')
        kg_buf_cut(out, out->len - 1);
    if (out->len > start)
        kg_buf_addc(out, '\n');
    cut(out, start, o->max_chars);
}
