/* The translator's promises: lines are kept, text is left alone, what is missing is named. */
#include <stdlib.h>

#include "base/buf.h"
#include "host/host.h"
#include "tap.h"

static struct kg_buf out;
static struct kg_error err;

static int translate(const char *src)
{
    kg_buf_reset(&out);
    kg_error_clear(&err);
    return kg_host_translate(src, strlen(src), "a.cu", &out, &err);
}

/* The body behind the '#line' head. */
static const char *body(void)
{
    const char *s = strstr(kg_buf_str(&out), "#line 1 \"a.cu\"\n");
    return s ? s + strlen("#line 1 \"a.cu\"\n") : "(no head)";
}

static size_t lines(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += *s == '\n';
    return n;
}

/* Same line count, and what does not concern us stays byte for byte. */
static void keeps(const char *src)
{
    EQ_INT(translate(src), 0);
    EQ_INT(lines(body()), lines(src) + 1);
}

static void same(const char *src)
{
    EQ_INT(translate(src), 0);
    tap_result(!strncmp(body(), src, strlen(src)) && !strcmp(body() + strlen(src), "\n"), __FILE__,
               __LINE__, src);
}

static void lacks(const char *src, const char *what, size_t line)
{
    EQ_INT(translate(src), -1);
    EQ_INT(err.code, KG_E_UNSUPPORTED);
    tap_result(strstr(err.text, what) != NULL, __FILE__, __LINE__, what);
    EQ_INT(err.line, line);
    EQ_STR(err.source, "a.cu");
}

static void test_untouched(void)
{
    same("");
    same("int x = 1 << 3 >> 1;\nconst char *s = \"k<<<1, 1>>>(x)\";");
    same("// k<<<1, 1>>>(x) \\\n __shared__ int a[3]; asm\nint y;");
    same("/* k<<<1,1>>>(x);\n asm(\"\") */ int y;");
    same("const char *r = R\"(asm(\"x\") k<<<1,1>>>())\";");
    same("std::vector<std::vector<std::vector<int>>> v;");
    same("char q = '\"', p = '\\''; int big = 1'000'000;");
    same("for (int i = 0; i < n; i++) x[i] = i;");
    same("unterminated \" string\nnext");
    same("R\"( never closed");
    same("((([[[{{{");
    same("#define asm_name 1\nint basm, asm1;");
}

static void test_launches(void)
{
    keeps("void f() {\n  k<<<1,\n 2>>>(\n a,\n b);\n}\n");
    HAS(body(), "\"k\", 2)");
    keeps("void f() { ns::k<float, 4><<<dim3(1, 2), {3, 4}, sizeof(A<B<int>>)>>>(x); }\n");
    HAS(body(), "ns::k<float, 4>(kg_a...)");
    HAS(body(), "(dim3(1, 2), {3, 4}, sizeof(A<B<int>>))(x)");
    keeps("void f() { k<A<B<int>>><<<1, 2>>>(x); }\n");
    HAS(body(), "k<A<B<int>>>(kg_a...)");
    keeps("#define RUN(k, x) \\\n  k<<<1, \\\n  2>>>(x)\nint z;\n");
    HAS(body(), "kg_kernel");
    keeps("void f() { if (a) return k<<<1, 2>>>(x); else g[i]<<<1, 2>>>(x); }\n");
    HAS(body(), "return  ::kg_kernel");
    HAS(body(), "g[i](kg_a...)");
    /* what is no launch is left to the compiler */
    same("void f() { <<<1, 2>>>(x); k<<<1, 2>>>; }");
}

static void test_shared(void)
{
    keeps("void f() {\n  __shared__ float a[3],\n    b;\n  a[0] = b;\n}\n");
    HAS(body(), "auto &a = kg_r1.a;");
    HAS(body(), "auto &b = kg_r1.b;");
    keeps("void f() {\n  extern __shared__ __align__(16) unsigned char s[];\n}\n");
    HAS(body(), "auto &s = *(kg_d1 *)::kg_host_dynamic_shared();");
    keeps("extern __shared__ float s[];\nvoid f() { s[1] = p->s + q.s; }\n");
    HAS(body(), "(*(kg_d1 *)::kg_host_dynamic_shared())[1] = p->s + q.s");
    keeps("void f() { __shared__ int n = 3; }\n");
    HAS(body(), "cannot have an initializer");
    keeps("#define SHARED __shared__\nvoid f() { SHARED int n; }\n");
}

static void test_spins(void)
{
    keeps("void f() { while (*(volatile int *)p == 0)\n ;\n}\n");
    HAS(body(), "::kg_host_spin();");
    keeps("void f(volatile int *flag) { do { x++; } while (flag[0] == 0); }\n");
    HAS(body(), "{ ::kg_host_spin(); x++; }");
    keeps("void f(volatile int *flag) { while (flag[0] == 0) x++; }\n");
    HAS(body(), "if (::kg_host_spin(), true) ");
    keeps("void f(volatile int *v) { if (a) v[t] += v[t + 1]; else *v = 2; }\n");
    HAS(body(), "v[t] += v[t + 1], ::kg_host_together(__LINE__); else *v = 2, ::kg_host_together");
    same("void f(volatile int *v) { g(v[0] = 1); int x = v[1]; x = v[2] == 3; }");
    same("void f(int *flag) { do { x++; } while (flag[0] == 0); }");
}

static void test_unsupported(void)
{
    lacks("int a;\n\n  asm volatile(\"bar.sync 1;\");", "PTX", 3);
    lacks("#include <cstdio>\n#include <mma.h>\n", "wmma", 2);
    lacks("#include \"cublas_v2.h\"\n", "cuBLAS", 1);
    lacks("using namespace nvcuda;\nnvcuda::wmma::fill_fragment(f, 0);", "wmma", 2);
    lacks("\ncub::BlockReduce<float, 256> r;", "CUB", 2);
    lacks("thrust::sort(a, b);", "Thrust", 1);
    lacks("#include <cuda/barrier>\n", "libcu++", 1);
    lacks("\n\n\nCUtensorMap m;", "TMA", 4);
    lacks("#include <torch/extension.h>", "PyTorch", 1);
    lacks("cudaGraphExec_t g; cudaGraphLaunch(g, 0);", "graphs", 1);
    lacks("__global__ void a() { b<<<1, 1>>>(); }", "dynamic parallelism", 1);
    lacks("void __cluster_dims__(2) k();", "clusters", 1);
    lacks("#if __CUDA_ARCH__ < 900\nasm(\"x\");\n#endif\n", "PTX", 2);
    lacks("#if FANCY\nasm(\"x\");\n#endif\n", "PTX", 2);
    /* dead branches, own names, members */
    EQ_INT(translate("#if 0\nasm(\"x\");\n#endif\n"), 0);
    EQ_INT(translate("#ifdef __CUDA_ARCH__\nasm(\"x\");\n#else\nint x;\n#endif\n"), 0);
    EQ_INT(translate("#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 800)\nasm(\"x\");\n#endif\n"),
           0);
    EQ_INT(translate("#if 1\nint x;\n#elif FOO\nasm(\"x\");\n#else\nasm(\"y\");\n#endif\n"), 0);
    EQ_INT(translate("#ifndef __CUDACC__\n#if X\nasm(\"x\");\n#endif\n#endif\n"), 0);
    lacks("#ifndef __CUDA_ARCH__\nasm(\"x\");\n#endif\n", "PTX", 2);
    EQ_INT(translate("namespace cub {\nint f();\n}\nint x = cub::f();"), 0);
    EQ_INT(translate("float tex2D(int a) { return a; }\nfloat y = tex2D(3);"), 0);
    EQ_INT(translate("int x = p.asm1 + a->cuda;"), 0);
}

static void kernels(const char *src, const char *want)
{
    struct kg_buf names = KG_BUF_INIT;
    kg_host_kernels(src, strlen(src), &names);
    for (size_t i = 0; i < names.len; i++)
        if (!names.data[i])
            names.data[i] = ' ';
    EQ_STR(kg_buf_str(&names), want);
    kg_buf_release(&names);
}

static void test_kernels(void)
{
    kernels("", "");
    kernels("__global__ void a(int *p) {}\n// __global__ void no() {}\n", "a ");
    kernels("template <int N> __global__ static void __launch_bounds__(256, 2) b(float (*f)[3]) { }"
            "extern \"C\" __global__ __attribute__((used)) void c() {}",
            "b c ");
    kernels("__global__ void declared(int);\n__global__ void declared(int x) { }", "declared ");
    kernels("#define K __global__ void\n#if 0\n__global__ void d() {}\n#endif\n", "");
}

/* Broken sources must not break the translator: every prefix, and many with one byte changed. */
static void test_broken(void)
{
    static const char sample[] =
        "#if defined(A) && __CUDA_ARCH__ >= 800\n#define L(k) k<<<1, 2>>>(x)\n#else\n#endif\n"
        "extern __shared__ float s[];\ntemplate <int N> __global__ void k(volatile int *f) {\n"
        "__shared__ struct { int a[N][2]; } t, *u;\nwhile (f[0] == 0) ;\ns[1] = R\"x(\")x\"[0];\n"
        "do { f[1] += 'a'; } while (*f); }\nvoid g() { ns::k<A<B<(1 > 0)>>, 4><<<{1}, dim3(2, 3),\n"
        "0>>>(a[1], b); cudaLaunchKernel((void *)k, 1, 1, 0); /* } */ }\n";
    size_t n = strlen(sample), done = 0;
    unsigned state = 1;
    EQ_INT(translate(sample), 0);
    for (size_t len = 0; len <= n; len++, done++) {
        kg_buf_reset(&out);
        kg_error_clear(&err);
        char *copy = malloc(len + 1); /* of its own, so that a sanitizer sees reads beyond it */
        memcpy(copy, sample, len);
        kg_host_translate(copy, len, "a.cu", &out, &err);
        for (int k = 0; len && k < 8; k++, done++) {
            static const char bytes[] = "<>(){}[];:\"'\\\n#,*/=. aR0_\xff";
            state = state * 1664525u + 1013904223u;
            copy[(state >> 8) % len] = bytes[(state >> 4) % (sizeof bytes - 1)];
            kg_buf_reset(&out);
            kg_error_clear(&err);
            kg_host_translate(copy, len, "a.cu", &out, &err);
        }
        free(copy);
    }
    OK(done > 8 * n);
}

int main(void)
{
    test_broken();
    test_untouched();
    test_launches();
    test_shared();
    test_spins();
    test_unsupported();
    test_kernels();
    kg_buf_release(&out);
    return tap_done();
}
