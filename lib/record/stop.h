/*
 * Signals of a run: SIGINT, SIGTERM and SIGHUP ask for an orderly end (a second one of them ends at
 * once), unless they were ignored when the program began. SIGPIPE and SIGXFSZ do nothing: writes
 * then fail with EPIPE and EFBIG. Also sees to it that descriptors 0, 1 and 2 exist, so that no
 * file of ours is taken for stdout.
 *
 * The terminal's SIGINT reaches all filters of a pipe at once. The first of them decides what the
 * end is: one whose input is a pipe goes on until that ends (kg_stop_drains), or what those before
 * it still answer would be lost. So its first SIGINT is no stop: kg_stop_signal() knows of it,
 * kg_stop_wanted() does not; the second one is what a first one is elsewhere.
 */
#ifndef KG_RECORD_STOP_H
#define KG_RECORD_STOP_H

#include <stdbool.h>

void kg_stop_install(void);
bool kg_stop_wanted(void); /* read no more */
int kg_stop_signal(void);  /* number of the latest, 0: none came: begin no work that takes long */

/* What is read now comes through a pipe or socket (true), or not. */
void kg_stop_drains(bool pipe);

/* Waits until fd is readable or a stop is wanted: true in the first case. */
bool kg_stop_wait(int fd);

#endif
