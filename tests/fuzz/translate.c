/*
 * Fuzzing of host/host.h: whatever a source is, translating it ends, and either gives a text with
 * the source's lines (line n is line n, behind '#line 1') or an error that says something.
 */
#include "host/host.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#include "plain.h"

static size_t lines(const char *s, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += s[i] == '\n';
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kg_buf out = KG_BUF_INIT, names = KG_BUF_INIT;
    struct kg_error err = KG_ERROR_INIT;
    /* of the exact size, so that a sanitizer sees a read behind it */
    char *src = malloc(size ? size : 1);
    if (size)
        memcpy(src, data, size);
    int rc = kg_host_translate(src, size, "fuzz.cu", &out, &err);
    if (rc) {
        fuzz_must(err.code != KG_OK && err.text[0], "an error without a text", data, size);
    } else {
        static const char mark[] = "#line 1 \"fuzz.cu\"\n";
        const char *at = strstr(kg_buf_str(&out), mark);
        fuzz_must(at != NULL, "the output has a #line", data, size);
        size_t head = (size_t)(at - out.data) + sizeof mark - 1;
        size_t got = lines(out.data + head, out.len - head), want = lines(src, size);
        fuzz_must(got == want || got == want + 1, "lines are kept", data, size);
    }
    kg_host_kernels(src, size, &names);
    fuzz_must(names.len <= 2 * size, "names of kernels come from the source", data, size);
    kg_buf_release(&names);
    kg_buf_release(&out);
    free(src);
    return 0;
}
