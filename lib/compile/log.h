/*
 * What compilers say: cut to size, the first error as one line, the kernels' resources from ptxas.
 * The words of g++, nvcc's front end (EDG), NVRTC, ptxas, nvlink and the linker are understood.
 */
#ifndef KG_COMPILE_LOG_H
#define KG_COMPILE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "compile/compile.h"

/*
 * Appends the log without ptxas's resource report (it is in the kernels) and without complaints
 * about the shim (the verdict's line says what they mean), as valid UTF-8, at most max bytes: three
 * quarters of its head, a line that says how much is left out, and its tail.
 */
void kg_log_clean(const char *raw, size_t n, size_t max, struct kg_buf *out);

enum kg_log_error {
    KG_LOG_NONE,   /* no line looks like an error */
    KG_LOG_PLACED, /* in a file: "candidate.cu:12: identifier \"x\" is undefined" */
    KG_LOG_SHIM,   /* only behind the candidate's text, in the shim */
    KG_LOG_OTHER,  /* without a place: ptxas, the linker */
};

/* The first error as one line; the first kind above that occurs is taken. */
enum kg_log_error kg_log_first_error(const char *raw, size_t n, struct kg_buf *message);

/* What a compiler's words say of the machine. A source can print them too: a doubt, no proof. */
enum kg_log_machine {
    KG_LOG_SOURCE,    /* nothing */
    KG_LOG_NO_ROOM,   /* the disk or a quota */
    KG_LOG_FILE_SIZE, /* the limit on file sizes */
    KG_LOG_MACHINE,   /* memory, processes, descriptors, a program killed or not started */
};

/* The first such line is appended to 'line'. */
enum kg_log_machine kg_log_machine(const char *raw, size_t n, struct kg_buf *line);

/* The kernels of ptxas's -v report: malloc'ed, names demangled and without parameters. */
void kg_log_kernels(const char *raw, size_t n, struct kg_compile_kernel **kernels, size_t *count);

/* The symbol of the kernel of that plain name in ptxas's report; false when there is none. */
bool kg_log_symbol(const char *raw, size_t n, const char *name, char *out, size_t size);

/* "void k<4>(float*)" for "_Z1kILi4EEvPf" becomes "k<4>". */
void kg_log_kernel_name(const char *symbol, size_t n, char *out, size_t size);

#endif
