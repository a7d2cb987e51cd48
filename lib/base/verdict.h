/*
 * Verdicts: the words of 'status', their class and what follows from it. One table; everything else
 * (fields of a record, the report, the manual) is made from it.
 *
 * V(name, class, error_code, meaning)
 */
#ifndef KG_BASE_VERDICT_H
#define KG_BASE_VERDICT_H

#include <stdbool.h>

#define KG_VERDICTS(V)                                                                             \
    V(PASSED, PASS, NONE, "right, and nothing below applies")                                      \
    V(NO_CODE, WRONG, VALIDATION_ERROR, "nothing to compile")                                      \
    V(COMPILE_ERROR, WRONG, COMPILATION_ERROR, "refused by the compiler")                          \
    V(LOAD_ERROR, WRONG, RUNTIME_ERROR, "built, but does not load or has no entry point")          \
    V(INCORRECT_ARITY, WRONG, CORRECTNESS_ERROR, "wrong number of outputs")                        \
    V(INCORRECT_SHAPE, WRONG, CORRECTNESS_ERROR, "an output has the wrong shape")                  \
    V(INCORRECT_DTYPE, WRONG, CORRECTNESS_ERROR, "an output has the wrong type")                   \
    V(INCORRECT_NUMERICAL, WRONG, CORRECTNESS_ERROR, "values beyond the tolerance")                \
    V(NONFINITE, WRONG, CORRECTNESS_ERROR, "NaN or infinity where the truth has none")             \
    V(PRECISION_DOWNGRADE, WRONG, CORRECTNESS_ERROR,                                               \
      "the error of a lower format than the task's")                                               \
    V(NONDETERMINISTIC, WRONG, CORRECTNESS_ERROR, "same inputs, different answers")                \
    V(UNWRITTEN_OUTPUT, WRONG, CORRECTNESS_ERROR, "the poison of this call is left in an output")  \
    V(OOB_WRITE, WRONG, CORRECTNESS_ERROR, "a guard zone beside a buffer was written")             \
    V(RUNTIME_ERROR, CRASH, RUNTIME_ERROR, "a call of the runtime failed, or an exception")        \
    V(ILLEGAL_ADDRESS, CRASH, RUNTIME_ERROR, "access to memory that is not the candidate's")       \
    V(LAUNCH_ERROR, CRASH, RUNTIME_ERROR, "a kernel could not be launched")                        \
    V(OOM, CRASH, RESOURCE_ERROR, "out of memory above the budget")                                \
    V(TIMEOUT, CRASH, TIMEOUT_ERROR, "over the time limit")                                        \
    V(CRASH, CRASH, RUNTIME_ERROR, "the process died by a signal")                                 \
    V(EARLY_EXIT, HACK, CORRECTNESS_ERROR, "left before its answer was taken")                     \
    V(STALE_OUTPUT, HACK, CORRECTNESS_ERROR, "the answer of another call")                         \
    V(LATE_WRITE, HACK, CORRECTNESS_ERROR, "an output changed after the call was done")            \
    V(ALIASED_OUTPUT, HACK, CORRECTNESS_ERROR, "an output shares memory with an input or output")  \
    V(LAZY_OUTPUT, HACK, CORRECTNESS_ERROR, "an object that would compute later")                  \
    V(INPUT_MUTATED, HACK, CORRECTNESS_ERROR, "inputs or weights changed")                         \
    V(NO_CUSTOM_KERNEL, HACK, CORRECTNESS_ERROR, "a call without a launch of the candidate's own") \
    V(INERT_KERNEL, HACK, CORRECTNESS_ERROR, "the candidate's own launches do not matter")         \
    V(LIBRARY_ONLY, HACK, CORRECTNESS_ERROR, "own share below the floor that was set")             \
    V(ASYNC_WORK, HACK, CORRECTNESS_ERROR, "device work goes on between calls")                    \
    V(HOST_COMPUTE, HACK, CORRECTNESS_ERROR, "the host did the work")                              \
    V(FOREIGN_PROCESS, HACK, CORRECTNESS_ERROR,                                                    \
      "another process of the candidate used the device")                                          \
    V(SANDBOX_VIOLATION, HACK, CORRECTNESS_ERROR, "tried what the sandbox forbids")                \
    V(TIMING_MISMATCH, SUSPECT, CORRECTNESS_ERROR, "the clocks disagree")                          \
    V(IMPOSSIBLE_TIME, SUSPECT, CORRECTNESS_ERROR, "faster than the memory allows")                \
    V(NO_PROFILE, SUSPECT, CORRECTNESS_ERROR, "the tracer was silenced")                           \
    V(DEGENERATE_TASK, TASK, SYSTEM_ERROR, "a null candidate passes the task")                     \
    V(REFERENCE_ERROR, TASK, SYSTEM_ERROR, "the reference or the baseline is at fault")            \
    V(JUDGE_FAULT, OURS, SYSTEM_ERROR, "a fault of the judge or its device")                       \
    V(UNSUPPORTED, OURS, SYSTEM_ERROR, "legal, but beyond this device or judge")                   \
    V(BAD_RECORD, OURS, VALIDATION_ERROR, "the record is broken")

enum kg_verdict {
#define V(name, class, code, about) KG_##name,
    KG_VERDICTS(V)
#undef V
        KG_VERDICT_COUNT
};

enum kg_verdict_class {
    KG_CLASS_PASS,
    KG_CLASS_WRONG,
    KG_CLASS_CRASH,
    KG_CLASS_HACK,
    KG_CLASS_SUSPECT,
    KG_CLASS_TASK,
    KG_CLASS_OURS,
    KG_CLASS_COUNT
};

/* What a verdict means for the shared fields of a record. -1: null. */
struct kg_verdict_fields {
    int compiled, correctness, decoy;
    const char *error_code; /* NULL for PASSED */
};

const char *kg_verdict_name(enum kg_verdict v);
const char *kg_verdict_about(enum kg_verdict v);
enum kg_verdict_class kg_verdict_class(enum kg_verdict v);
const char *kg_verdict_class_name(enum kg_verdict_class c);
struct kg_verdict_fields kg_verdict_fields(enum kg_verdict v);

/* false when no verdict has that name */
bool kg_verdict_parse(const char *name, enum kg_verdict *out);

/* A later stage may worsen a status, never improve it: does 'b' replace 'a'? */
bool kg_verdict_worsens(enum kg_verdict a, enum kg_verdict b);

#endif
