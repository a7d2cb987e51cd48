/*
 * Signals of a run: SIGINT and SIGTERM ask for an orderly end (a second one ends at once); SIGPIPE
 * is ignored, writes then fail with EPIPE. Also sees to it that descriptors 0, 1 and 2 exist, so
 * that no file of ours is taken for stdout.
 */
#ifndef KG_RECORD_STOP_H
#define KG_RECORD_STOP_H

#include <stdbool.h>

void kg_stop_install(void);
bool kg_stop_wanted(void);
int kg_stop_signal(void); /* its number, 0: none came */

/* Waits until fd is readable or a stop is wanted: true in the first case. */
bool kg_stop_wait(int fd);

#endif
