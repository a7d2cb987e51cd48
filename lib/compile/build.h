/*
 * Inside lib/compile: one compile on its way. compile.c decides what is built and by whom and keeps
 * the cache; build_program.c runs g++, nvcc and cc; build_nvrtc.c talks to kg-nvrtc.
 */
#ifndef KG_COMPILE_BUILD_H
#define KG_COMPILE_BUILD_H

#include "compile/compile.h"
#include "compile/log.h"
#include "compile/toolchain.h"

#define KG_BUILD_FILE_MAX ((size_t)256 << 20) /* largest artifact */
#define KG_BUILD_RAW_MAX  ((size_t)4 << 20)   /* of a compiler's words, before they are cleaned */
#define KG_BUILD_ARGS     64

enum kg_builder { KG_BUILD_HOST, KG_BUILD_NVCC, KG_BUILD_NVRTC, KG_BUILD_REFERENCE };

struct kg_build {
    enum kg_builder builder;
    const struct kg_task *task;
    const struct kg_compile_opts *opts;
    const struct kg_toolchain *tools;
    const char *program; /* the compiler, or NVRTC's library */
    const char *suffix;  /* of the artifact */
    const char *src;     /* the candidate's own text */
    size_t src_len;
    const char *input;               /* name of the file that the compiler reads */
    struct kg_buf text;              /* what the compiler gets: source and shim */
    const char *args[KG_BUILD_ARGS]; /* options; they are part of the key */
    size_t n_args;
    struct kg_arena arena;   /* of args */
    const char *hidden[8];   /* folders that the source must not read; NULL-terminated */
    const char *readable[8]; /* what the compiler needs though it may lie in a hidden folder */
    struct kg_buf raw;       /* the compiler's words */
    struct kg_buf file;      /* the artifact, when res->verdict is PASSED */
    bool transient;          /* the outcome says nothing about the source: not to be kept */
    bool killed;             /* NVRTC was ended by SIGKILL: perhaps for want of memory */
    struct kg_compile_result *res;
};

/* Both set b->res->verdict, and message where it cannot be read from b->raw. */
void kg_build_by_program(struct kg_build *b);
void kg_build_by_nvrtc(struct kg_build *b);

/* machine.c: was it the machine that failed, not the source? */
struct kg_machine {
    bool doubt;
    enum kg_log_machine why;
    uint64_t room;      /* free in the workplace when the compiler had ended */
    uint64_t oom_kills; /* of the kernel, before */
    char line[200];     /* the compiler's word that raised the doubt; may be empty */
};
void kg_machine_before(struct kg_machine *m);
/* After a failure; killed: the compiler itself was ended by SIGKILL. Sets doubt, why, room, line.
 */
bool kg_machine_is_doubted(struct kg_machine *m, const struct kg_buf *raw, bool killed,
                           const char *dir);
/* What is wrong with the machine: -1 with err; 0: nothing that can be seen. */
int kg_machine_check(const struct kg_machine *m, const char *dir, struct kg_error *err);

/* Has the kernel killed something for want of memory since kg_machine_before? Then -1 with err. */
int kg_machine_out_of_memory(const struct kg_machine *m, const char *line, struct kg_error *err);

/* A verdict of ours: JUDGE_FAULT with a code and err's text. */
void kg_build_fault(struct kg_build *b, const struct kg_error *err);

/* COMPILE_ERROR by the time limit; not kept. */
void kg_build_timed_out(struct kg_build *b);

/* JUDGE_FAULT 'interrupted': the program was told to end (kg_loop_stopping); not kept. */
void kg_build_interrupted(struct kg_build *b);

/* Limit of a compiler's address space: 8 GiB, or three quarters of the memory when that is less. */
uint64_t kg_build_memory(void);

#endif
