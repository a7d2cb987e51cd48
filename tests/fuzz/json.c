/*
 * Fuzzing of record/json.h and record/record.h. LLVMFuzzerTestOneInput holds one text against a
 * strict oracle that is written here from RFC 8259 and shares no code with the library:
 *   a line is accepted exactly when the oracle accepts it as one object;
 *   what is accepted comes out byte for byte, and with a field set it is still strict JSON;
 *   the members cover the object, and numbers read fast are those of the tree.
 *
 * Built with -DKG_LIBFUZZER (clang -fsanitize=fuzzer) it is a fuzzer; without, a program:
 *   json FILE ...    runs the files
 *   json [RUNS]      runs RUNS (default 100000) mutations of the texts below, the same each time
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/philox.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the oracle --------------------------------------------------------------------------- */

struct oracle {
    const unsigned char *p, *end;
};

static void blank(struct oracle *o)
{
    while (o->p < o->end && memchr(" \t\r\n", *o->p, 4))
        o->p++;
}

static int eat(struct oracle *o, const char *set)
{
    if (o->p == o->end || !*o->p || !strchr(set, *o->p))
        return 0;
    o->p++;
    return 1;
}

static int eat_digits(struct oracle *o)
{
    int n = 0;
    while (eat(o, "0123456789"))
        n++;
    return n;
}

static int oracle_number(struct oracle *o)
{
    eat(o, "-");
    if (!eat(o, "0") && !eat_digits(o))
        return 0;
    if (eat(o, ".") && !eat_digits(o))
        return 0;
    if (eat(o, "eE")) {
        eat(o, "+-");
        return eat_digits(o);
    }
    return 1;
}

/* one UTF-8 character: decoded, then held against the shortest form */
static int oracle_char(struct oracle *o)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned c = *o->p;
    int n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
    if (!n || o->end - o->p < n)
        return 0;
    uint32_t code = n == 1 ? c : c & (0xFFu >> (n + 1));
    for (int i = 1; i < n; i++) {
        if (o->p[i] >> 6 != 2)
            return 0;
        code = code << 6 | (o->p[i] & 63u);
    }
    o->p += n;
    return code >= least[n] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

static int oracle_string(struct oracle *o)
{
    if (!eat(o, "\""))
        return 0;
    while (o->p < o->end) {
        if (eat(o, "\""))
            return 1;
        if (*o->p < 32)
            return 0;
        if (!eat(o, "\\")) {
            if (!oracle_char(o))
                return 0;
        } else if (eat(o, "u")) {
            for (int i = 0; i < 4; i++)
                if (!eat(o, "0123456789abcdefABCDEF"))
                    return 0;
        } else if (!eat(o, "\"\\/bfnrt")) {
            return 0;
        }
    }
    return 0;
}

static int oracle_value(struct oracle *o, int depth);

static int oracle_items(struct oracle *o, int depth, const char *close)
{
    if (depth > 1024)
        return 0;
    blank(o);
    if (eat(o, close))
        return 1;
    do {
        blank(o);
        if (*close == '}') {
            if (!oracle_string(o))
                return 0;
            blank(o);
            if (!eat(o, ":"))
                return 0;
            blank(o);
        }
        if (!oracle_value(o, depth))
            return 0;
        blank(o);
    } while (eat(o, ","));
    return eat(o, close);
}

static int oracle_value(struct oracle *o, int depth)
{
    static const char *const words[] = {"null", "true", "false"};
    if (o->p == o->end)
        return 0;
    if (eat(o, "{"))
        return oracle_items(o, depth + 1, "}");
    if (eat(o, "["))
        return oracle_items(o, depth + 1, "]");
    if (*o->p == '"')
        return oracle_string(o);
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(o->end - o->p) >= n && !memcmp(o->p, words[i], n)) {
            o->p += n;
            return 1;
        }
    }
    return oracle_number(o);
}

static int is_object(const char *text, size_t n)
{
    struct oracle o = {(const unsigned char *)text, (const unsigned char *)text + n};
    blank(&o);
    if (o.p == o.end || *o.p != '{' || !oracle_value(&o, 0))
        return 0;
    blank(&o);
    return o.p == o.end;
}

/* ---- the checks --------------------------------------------------------------------------- */

static void must(int ok, const char *what, const char *text, size_t n)
{
    if (ok)
        return;
    printf("FAILED: %s\n%zu bytes: ", what, n);
    fwrite(text, 1, n, stdout);
    printf("\n");
    fflush(stdout);
    abort();
}

static void check_numbers(struct kg_record *r, const struct kg_json_member *m)
{
    const double *v;
    size_t n, k = 0;
    const struct kg_value *tree = kg_json_value(r->json, m, &r->arena);
    must(tree && tree->type == m->type, "type of a member", r->line, r->len);
    if (m->type != KG_VALUE_ARRAY)
        return;
    while (k < tree->len &&
           (tree->items[k]->type == KG_VALUE_NUMBER || tree->items[k]->type == KG_VALUE_NULL))
        k++;
    int rc = kg_json_numbers(r->json, m, 3, &v, &n, NULL);
    must((rc == 0) == (k == tree->len), "is an array of numbers", r->line, r->len);
    must(rc || n == tree->len, "how many numbers", r->line, r->len);
    for (size_t i = 0; !rc && i < n; i++)
        must(tree->items[i]->type == KG_VALUE_NULL ? isnan(v[i]) : v[i] == tree->items[i]->number,
             "a number", r->line, r->len);
}

static void check_members(struct kg_record *r)
{
    size_t at = 0;
    for (size_t i = 0; i < r->n_members; i++) {
        const struct kg_json_member *m = &r->members[i];
        struct oracle o = {(const unsigned char *)r->line + m->begin,
                           (const unsigned char *)r->line + m->end};
        must(m->key_begin > at && m->begin > m->key_begin && m->end > m->begin, "order of members",
             r->line, r->len);
        must(r->line[m->key_begin] == '"' && oracle_value(&o, 0) && o.p == o.end,
             "the bytes of a member", r->line, r->len);
        at = m->end;
        check_numbers(r, m);
    }
    must(r->line[kg_json_close(r->json)] == '}' && kg_json_close(r->json) >= at, "closing brace",
         r->line, r->len);
}

/* Half of a surrogate pair is the one fault that a line has when nothing was asked of it: what is
 * written has another escape there, and nothing else that differs. */
static void check_mended(const struct kg_buf *out, const char *line)
{
    static struct kg_record again;
    size_t n = out->len - 1;
    if (!again.json)
        kg_record_init(&again);
    char *padded = calloc(1, n + KG_JSON_PADDING);
    if (!padded)
        return;
    memcpy(padded, out->data, n);
    must(!kg_record_parse(&again, "fuzz", 1, padded, n, NULL) && !again.error.code,
         "half a surrogate pair is left", line, n);
    for (size_t i = 0; i < n; i++)
        if (padded[i] != line[i]) {
            must(i > 1 && !memcmp(padded + i - 1, "ufffd", 5) && line[i - 1] == 'u' &&
                     (line[i] | 0x20) == 'd',
                 "only half a surrogate pair is replaced", line, n);
            i += 3;
        }
    free(padded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct kg_record r;
    struct kg_buf out = KG_BUF_INIT;
    struct kg_error err = KG_ERROR_INIT;
    if (!r.json)
        kg_record_init(&r);
    /* of the exact size, so that a sanitizer sees a read beyond the padding */
    char *line = malloc(size + KG_JSON_PADDING);
    if (!line)
        return 0;
    if (size)
        memcpy(line, data, size);
    memset(line + size, size % 2 ? '1' : '"', KG_JSON_PADDING); /* rubbish may follow a line */
    int rc = kg_record_parse(&r, "fuzz", 1, line, size, &err);
    must((rc == 0) == is_object(line, size), rc ? err.text : "accepted, the oracle refuses", line,
         size);
    must(rc == 0 || !strncmp(err.text, "not a JSON object: byte ", 24), "text of an error", line,
         size);
    if (rc == 0) {
        kg_record_write(&r, &out);
        must(out.len == size + 1 && out.data[size] == '\n', "comes out as long", line, size);
        if (r.error.code)
            check_mended(&out, line);
        else
            must(!memcmp(out.data, line, size), "comes out unchanged", line, size);
        check_members(&r);
        kg_buf_reset(&out);
        kg_record_set_str(&r, "a", "\x01\xff\"\\");
        kg_record_set_num(&r, "new", 0.1);
        kg_record_write(&r, &out);
        must(is_object(out.data, out.len), "still JSON with fields set", out.data, out.len);
    }
    kg_buf_release(&out);
    free(line);
    return 0;
}

#ifndef KG_LIBFUZZER

static const char *const texts[] = {
    "{}",
    " { } ",
    "{\"a\":1}",
    "{\"a\" : [1, 2.5,-0,1e5, null] , \"b\":{\"c\":[]}}\t",
    "{\"a\":[0.1,-3.25E+2,123456789012345678901234567890,1e400,5e-324]}",
    "{\"a\":\"x\\n\\u0000\\ud83d\\ude00\\\\\",\"b\":[[],[{}],\"]\"],\"\\u0061\":true}",
    "{\"new\":false,\"a\":null,\"k\\\"\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}",
    "{\"a\":NaN}",
    "{\"a\":01,\"b\":1.,\"c\":.5,\"d\":-,\"e\":1e}",
    "[1]",
    "{\"a\":1}{}",
    "{\"a\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30]}",
    "{\"a\":18446744073709551615,\"b\":18446744073709551616,\"c\":-9223372036854775809}",
    "{\"\":\"\",\"\\ud800\":\"\\udc00\",\"t\":[true,false,null,\"\"]}",
};
static const char pieces[] =
    "{}[]:,\"\\ \t\r\n0123456789-+.eEuntf/\x7f\x80\xc3\xa9\xed\xa0\xff\x1f";

/* a few random cuts, repeats and replacements */
static size_t mutate(uint32_t run, char *out, size_t cap)
{
    uint32_t count = 0;
#define RANDOM(n) (kg_philox(1, 2, run, count++, 0, 0).v[0] % (uint32_t)(n))
    const char *text = texts[RANDOM(sizeof texts / sizeof *texts)];
    size_t n = strlen(text);
    memcpy(out, text, n);
    for (uint32_t k = RANDOM(5); k > 0; k--) {
        size_t at = RANDOM(n + 1), len = n > at ? 1 + RANDOM(n - at) : 0;
        switch (RANDOM(4)) {
        case 0: /* replace a byte */
            if (at < n)
                out[at] = pieces[RANDOM(sizeof pieces - 1)];
            break;
        case 1: /* insert a byte */
            memmove(out + at + 1, out + at, n - at);
            out[at] = pieces[RANDOM(sizeof pieces - 1)];
            n++;
            break;
        case 2: /* cut */
            len = len > 4 ? 1 + len % 4 : len;
            memmove(out + at, out + at + len, n - at - len);
            n -= len;
            break;
        default: /* repeat a part */
            if (n + len + 8 > cap)
                break;
            memmove(out + at + len, out + at, n - at);
            n += len;
        }
    }
#undef RANDOM
    return n;
}

static int run_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    static uint8_t data[1 << 20];
    if (!f) {
        printf("cannot open '%s'\n", name);
        return 1;
    }
    size_t n = fread(data, 1, sizeof data, f);
    fclose(f);
    return LLVMFuzzerTestOneInput(data, n);
}

int main(int argc, char **argv)
{
    int rc = 0;
    int64_t runs = 100000;
    if (argc > 1 && kg_num_int(argv[1], 1, INT32_MAX, &runs, NULL)) {
        for (int i = 1; i < argc; i++)
            rc |= run_file(argv[i]);
        return rc;
    }
    for (int64_t i = 0; i < runs; i++) {
        static char text[1 << 16];
        size_t n = mutate((uint32_t)i, text, sizeof text);
        LLVMFuzzerTestOneInput((const uint8_t *)text, n);
    }
    printf("%lld texts, no difference\n", (long long)runs);
    return 0;
}

#endif
