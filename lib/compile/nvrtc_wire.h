/*
 * What kg-compile's library and libexec/kg/kg-nvrtc say to each other over a stream socket
 * (descriptor 3 of kg-nvrtc): fixed heads, each followed by its bytes. Both sides are of one build
 * and one machine, so structs travel as they are; the reader still checks magic and lengths, since
 * a source that makes NVRTC run wild could have written the answer.
 *
 * On start kg-nvrtc sends one reply: KG_NVRTC_BUILT with "13.0" as log, or KG_NVRTC_FAILED.
 */
#ifndef KG_COMPILE_NVRTC_WIRE_H
#define KG_COMPILE_NVRTC_WIRE_H

#include <stdint.h>

#define KG_NVRTC_MAGIC     0x6b676e76u
#define KG_NVRTC_FD        3
#define KG_NVRTC_CUBIN_MAX ((uint64_t)256 << 20)
#define KG_NVRTC_LOG_MAX   ((uint64_t)4 << 20)
#define KG_NVRTC_NAME_MAX  ((uint64_t)64 << 10)

struct kg_nvrtc_request {
    uint32_t magic;
    uint32_t n_options;
    uint64_t text_bytes;    /* the source and its NUL */
    uint64_t kernel_bytes;  /* name expression and NUL; 0: none */
    uint64_t option_bytes;  /* n_options texts, each with its NUL */
    uint64_t address_bytes; /* limit of the address space; 0: none */
};

enum kg_nvrtc_status {
    KG_NVRTC_BUILT,
    KG_NVRTC_REFUSED, /* by the compiler; log says why */
    KG_NVRTC_FAILED,  /* the library failed; log says how */
    KG_NVRTC_CRASHED, /* the compiling process died; signal, or 0 when it left */
};

struct kg_nvrtc_reply {
    uint32_t magic;
    int32_t status; /* enum kg_nvrtc_status */
    int32_t signal;
    uint64_t cubin_bytes, log_bytes, symbol_bytes; /* follow in this order */
};

#endif
