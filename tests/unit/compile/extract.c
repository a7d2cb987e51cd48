#include "tap.h"

#include "compile/extract.h"

static char got[4096], why[1024];

static const char *fenced(const char *text, const char *backend)
{
    struct kg_buf out = KG_BUF_INIT;
    struct kg_error err = KG_ERROR_INIT;
    int r = kg_extract_fenced(text, strlen(text), backend, &out, &err);
    snprintf(got, sizeof got, "%s", kg_buf_str(&out));
    snprintf(why, sizeof why, "%s", err.text);
    kg_buf_release(&out);
    return r ? NULL : got;
}

static const char *kernelgym(const char *text)
{
    struct kg_buf out = KG_BUF_INIT;
    struct kg_error err = KG_ERROR_INIT;
    int r = kg_extract_kernelgym(text, strlen(text), &out, &err);
    snprintf(got, sizeof got, "%s", kg_buf_str(&out));
    kg_buf_release(&out);
    return r ? NULL : got;
}

static void fences(void)
{
    EQ_STR(fenced("Here:\n```cuda\nint a;\n```\nDone.", "cuda"), "int a;\n");
    EQ_STR(fenced("```cpp\nold\n```\n```C++\nnew\n```\n", "cuda"), "new\n");
    /* the last block in the backend's language, not the last block */
    EQ_STR(fenced("```cuda\nk\n```\n```bash\nmake\n```\n", "cuda"), "k\n");
    EQ_STR(fenced("```cuda\nk\n```\n```python\np\n```\n", "triton"), "p\n");
    /* no block in it: the last one */
    EQ_STR(fenced("```\na\n```\n```text\nb\n```\n", "cuda"), "b\n");
    EQ_STR(fenced("~~~cu\n```\n~~~\n", "cuda"), "```\n");
    EQ_STR(fenced("````cuda\n```\nx\n```\n````\n", "cuda"), "```\nx\n```\n");
    EQ_STR(fenced("1. list\n   ```cuda\n   a\n     b\n   ```\n", "cuda"), "a\n  b\n");
    EQ_STR(fenced("```cuda title=x\na\n```", "cuda"), "a\n");
    EQ_STR(fenced("```cuda\r\na\r\n```\r\n", "cuda"), "a\r\n");
    /* a lone fence after a whole answer is a slip of the pen, not an answer cut off */
    EQ_STR(fenced("```cuda\na\n```\n```\n", "cuda"), "a\n");
    EQ_STR(fenced("`x` and ```inline``` are no fences\n```cuda\na\n```\n", "cuda"), "a\n");
}

static void faults(void)
{
    OK(!fenced("no code at all", "cuda"));
    HAS(why, "no fenced code block");
    OK(!fenced("", "cuda"));
    OK(!fenced("```cuda\nint a;\n", "cuda"));
    HAS(why, "truncated");
    OK(!fenced("```cuda\ndraft\n```\nBetter:\n```cuda\nint a", "cuda"));
    HAS(why, "truncated");
    OK(!fenced("<think>hm ```cuda\na\n```", "cuda"));
    HAS(why, "truncated");
}

static void thoughts_in_code(void)
{
    EQ_STR(fenced("```cuda\nint a; // <think>\n```\n", "cuda"), "int a; // <think>\n");
    EQ_STR(fenced("```cuda\n// <think> x </think>\nint a;\n```\n", "cuda"),
           "// <think> x </think>\nint a;\n");
    EQ_STR(fenced("~~~cu\n<think>\n```\n~~~\nDone.\n", "cuda"), "<think>\n```\n");
    /* a fence inside a thought is none, wherever the thought began */
    EQ_STR(fenced("<think>\n```cuda\n</think>\n```cuda\na\n```\n", "cuda"), "a\n");
    EQ_STR(fenced("hm\n```cuda\n</think>\n```cuda\na\n```\n", "cuda"), "a\n");
    EQ_STR(fenced("```cuda\n// <think>\n```\n</think>```cuda\na\n```\n", "cuda"), "a\n");
    EQ_STR(fenced("<think>x</think>```cuda\n// <think>\n```", "cuda"), "// <think>\n");
    OK(!fenced("```cuda\na\n```\n<think>better", "cuda"));
    HAS(why, "truncated: the response ends inside <think>");
}

static void thoughts(void)
{
    EQ_STR(fenced("<think>```cuda\nbad\n```</think>\n```cuda\ngood\n```", "cuda"), "good\n");
    EQ_STR(fenced("so ```cuda\nbad\n```\n</think>\n```cuda\ngood\n```", "cuda"), "good\n");
    EQ_STR(fenced("<think>a</think><think>b</think>\n```cuda\ngood\n```", "cuda"), "good\n");
    OK(!fenced("<think>\n```cuda\nbad\n```\n</think>\nSorry.", "cuda"));
    HAS(why, "no fenced code block");
}

static void markers(void)
{
    EQ_STR(kernelgym("x\n# Kernel Implementation\n\nint a;\n# End\nrest"), "int a;");
    EQ_STR(kernelgym("# Kernel Implementation\n int a;\n\n"), "int a;");
    EQ_STR(kernelgym("```python\n# Kernel\nk = 1\n```\n```\nother\n```"), "k = 1");
    EQ_STR(kernelgym("# Your implementation:\nz\n# End"), "z");
    EQ_STR(kernelgym("# Generated kernel:\nz"), "z");
    /* the first rule that fits wins, whatever stands first */
    EQ_STR(kernelgym("# Generated kernel:\nz\n# End\n# Kernel Implementation\ny"), "y");
    /* a marker without a line end after it is none */
    EQ_STR(kernelgym("# Kernel Implementation here ```cpp\na\n``` ```\nb\n```"), "b");
    EQ_STR(kernelgym("a ```int b;``` c"), "b;");
    EQ_STR(kernelgym("just code"), "just code");
    OK(!kernelgym(" \n "));
}

int main(void)
{
    fences();
    faults();
    thoughts();
    thoughts_in_code();
    markers();
    return tap_done();
}
