#include "tap.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "compile/log.h"

static char line[1024];

static int first(const char *raw)
{
    struct kg_buf b = KG_BUF_INIT;
    int r = (int)kg_log_first_error(raw, strlen(raw), &b);
    snprintf(line, sizeof line, "%s", kg_buf_str(&b));
    kg_buf_release(&b);
    return r;
}

static void errors(void)
{
    EQ_INT(
        first(
            "candidate.cu(3): warning: w\ncandidate.cu(12): error: identifier \"x\" is undefined\n"
            "candidate.cu(13): error: other\n"),
        KG_LOG_PLACED);
    EQ_STR(line, "candidate.cu:12: identifier \"x\" is undefined");
    first("candidate.cu:7:9: error: expected ';'\n");
    EQ_STR(line, "candidate.cu:7: expected ';'");
    first("candidate.cu:1:10: fatal error: no.h: No such file or directory\n");
    EQ_STR(line, "candidate.cu:1: no.h: No such file or directory");
    first("candidate.cu(2): catastrophic error: cannot open source file \"no.h\"\n");
    EQ_STR(line, "candidate.cu:2: cannot open source file \"no.h\"");
    first("{standard input}: Assembler messages:\n{standard input}:4: Error: file not found: x\n");
    EQ_STR(line, "{standard input}:4: file not found: x");
    first("/usr/include/c++/12/bits/x.h:33:2: error: no match\n");
    EQ_STR(line, "x.h:33: no match");
    /* the candidate's own error before the shim's, wherever they stand */
    EQ_INT(first("kg_call(3): error: a\ncandidate.cu(9): error: b\n"), KG_LOG_PLACED);
    EQ_STR(line, "candidate.cu:9: b");
    EQ_INT(first("kg_call(3): error: a\n"), KG_LOG_SHIM);
    EQ_INT(first("ptxas error   : too much shared data\n"), KG_LOG_OTHER);
    EQ_STR(line, "ptxas error   : too much shared data");
    first("/usr/bin/ld: /tmp/c.o: in function `f':\nx.c:(.text+0x5): undefined reference to `g'\n");
    EQ_STR(line, "undefined reference to `g'");
    EQ_INT(first("candidate.cu:1: warning: 'error' is a word\nall is well\n"), KG_LOG_NONE);
    EQ_INT(first(""), KG_LOG_NONE);
}

static void report(void)
{
    static const char raw[] =
        "ptxas info    : 0 bytes gmem, 24 bytes cmem[4]\n"
        "ptxas info    : Compiling entry function '_Z1kILi4EEvPf' for 'sm_90'\n"
        "ptxas info    : Function properties for _Z1kILi4EEvPf\n"
        "    800 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
        "ptxas info    : Function properties for _Z1fv\n"
        "    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 30 registers, used 1 barriers, 4096 bytes smem, 400 bytes cmem[0], 8 "
        "bytes cmem[2]\n"
        "ptxas info    : Compiling entry function 'it's' for 'odd' for 'sm_90'\n"
        "ptxas info    : Used 9 registers, used 0 barriers\n";
    struct kg_compile_kernel *k;
    size_t n;
    struct kg_buf log = KG_BUF_INIT;
    kg_log_kernels(raw, sizeof raw - 1, &k, &n);
    EQ_INT(n, 2);
    EQ_STR(k[0].name, "k<4>");
    EQ_INT(k[0].registers, 30);
    EQ_INT(k[0].shared_bytes, 4096);
    EQ_INT(k[0].local_bytes, 800);
    EQ_INT(k[0].const_bytes, 408);
    EQ_INT(k[0].spill_bytes, 20);
    EQ_STR(k[1].name, "it's' for 'odd");
    EQ_INT(k[1].registers, 9);
    EQ_INT(k[1].local_bytes, -1);
    free(k);
    kg_log_clean(raw, sizeof raw - 1, 1000, &log);
    EQ_INT(log.len, 0);
    kg_buf_release(&log);
}

static const char *name(const char *symbol)
{
    kg_log_kernel_name(symbol, strlen(symbol), line, sizeof line);
    return line;
}

static void names(void)
{
    EQ_STR(name("plain"), "plain");
    EQ_STR(name("_Z4axpyfPKfPf"), "axpy");
    EQ_STR(name("_ZN12_GLOBAL__N_11kEPf"), "(anonymous namespace)::k");
    EQ_STR(name("_Zbroken"), "_Zbroken");
}

static void clean(void)
{
    struct kg_buf b = KG_BUF_INIT, big = KG_BUF_INIT;
    static const char raw[] =
        "kg_call:33: error: a\n   more of it\ncandidate.cu:1:1: error: b\xff\n"
        "  ^\n\nkg_call(2): error: c\n";
    kg_log_clean(raw, sizeof raw - 1, 1000, &b);
    EQ_STR(kg_buf_str(&b), "candidate.cu:1:1: error: b\xEF\xBF\xBD\n  ^\n");
    kg_buf_reset(&b);
    for (int i = 0; i < 100000; i++)
        kg_buf_addf(&big, "candidate.cu:%d: \xC3\xA9\n", i);
    kg_log_clean(big.data, big.len, KG_COMPILE_LOG_MAX, &b);
    OK(b.len <= KG_COMPILE_LOG_MAX && b.len > KG_COMPILE_LOG_MAX * 9 / 10);
    OK(kg_utf8_valid(b.data, b.len));
    OK(!strncmp(b.data, "candidate.cu:0:", 15));
    HAS(b.data, "bytes left out");
    HAS(b.data, "candidate.cu:99999: ");
    kg_buf_release(&b);
    kg_buf_release(&big);
}

static void machine(void)
{
    static const struct {
        const char *raw;
        enum kg_log_machine what;
    } table[] = {
        {"{standard input}: Fatal error: can't close a.o: No space left on device", KG_LOG_NO_ROOM},
        {"g++: fatal error: Killed signal terminated program cc1plus", KG_LOG_MACHINE},
        {"g++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable",
         KG_LOG_MACHINE},
        {"collect2: fatal error: ld terminated with signal 25 [File size limit exceeded]",
         KG_LOG_FILE_SIZE},
        {"candidate.cu:1:1: error: expected ';'\n    1 | // No space left on device",
         KG_LOG_SOURCE},
        {"cc1plus: out of memory allocating 65536 bytes", KG_LOG_SOURCE}, /* its own limit */
        {"", KG_LOG_SOURCE},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct kg_buf said = KG_BUF_INIT;
        EQ_INT(kg_log_machine(table[i].raw, strlen(table[i].raw), &said), table[i].what);
        EQ_STR(kg_buf_str(&said), table[i].what == KG_LOG_SOURCE ? "" : table[i].raw);
        kg_buf_release(&said);
    }
}

int main(void)
{
    machine();
    errors();
    report();
    names();
    clean();
    return tap_done();
}
