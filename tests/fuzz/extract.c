/*
 * Fuzzing of compile/extract.h: what is extracted was in the answer, line by line, and where there
 * is nothing the error says so.
 */
#include "compile/extract.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#include "plain.h"

static int contains(const char *text, size_t n, const char *part, size_t len)
{
    for (size_t i = 0; len <= n && i <= n - len; i++)
        if (!len || !memcmp(text + i, part, len))
            return 1;
    return 0;
}

static void check(int rc, const char *text, size_t n, struct kg_buf *out, struct kg_error *err)
{
    const uint8_t *data = (const uint8_t *)text;
    if (rc) {
        fuzz_must(err->text[0] != 0, "an error without a text", data, n);
    } else {
        fuzz_must(out->len <= n + 1, "not longer than the answer", data, n);
        for (size_t at = 0; at < out->len;) {
            const char *line = out->data + at;
            const char *end = memchr(line, '\n', out->len - at);
            size_t len = end ? (size_t)(end - line) : out->len - at;
            fuzz_must(contains(text, n, line, len), "every line was in the answer", data, n);
            at += len + 1;
        }
    }
    kg_buf_release(out);
    kg_error_clear(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kg_buf out = KG_BUF_INIT;
    struct kg_error err = KG_ERROR_INIT;
    char *text = malloc(size ? size : 1);
    if (size)
        memcpy(text, data, size);
    check(kg_extract_fenced(text, size, "cuda", &out, &err), text, size, &out, &err);
    check(kg_extract_fenced(text, size, "triton", &out, &err), text, size, &out, &err);
    check(kg_extract_kernelgym(text, size, &out, &err), text, size, &out, &err);
    free(text);
    return 0;
}
