/*
 * Calling what may throw or fault. C++ exceptions are caught here; faults are told to the judge and
 * then kill the process as they would have: the wait status is the fact, the message a claim.
 */
#ifndef KG_WORKER_GUARDED_H
#define KG_WORKER_GUARDED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kg_caught { KG_CAUGHT_NONE, KG_CAUGHT_MEMORY, KG_CAUGHT_OTHER };

/* Exactly one of the two functions is given; result is that of the second. text: what was thrown.
 */
enum kg_caught kg_guarded_call(void (*f)(void **), int (*g)(void **), void **args, int *result,
                               char *text, size_t size);

#ifdef __cplusplus
}
#else

#include "worker/wire.h"

/* Memory that faults are looked up in. */
struct kg_guarded_slot {
    const unsigned char *map; /* NULL: none */
    size_t bytes, offset;
    int read_only;
};
extern struct kg_guarded_slot kg_guarded_slots[KG_WIRE_SETS][KG_WIRE_ARGS];
extern uint64_t kg_guarded_token; /* of the last order */

/* Handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT that tell the judge at 'fd'. */
int kg_guarded_install(int fd);

#endif
#endif
