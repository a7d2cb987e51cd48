/*
 * Who else is on the device of a session, by the management library; nothing on host. What it says
 * is used only where it finds this process itself, so numbers of another pid namespace mean
 * nothing.
 */
#ifndef KG_JUDGE_WATCH_H
#define KG_JUDGE_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum kg_kin {
    KG_KIN_FAMILY,   /* the given process, or one that descends from it */
    KG_KIN_KG,       /* this or another program of kg, or a descendant of one: knows the locks */
    KG_KIN_STRANGER, /* somebody else's */
    KG_KIN_GONE,     /* no such process (any more), as far as can be seen from here */
};

/* By the parents of a process in /proc. A program of kg is one whose name begins with "kg-". */
enum kg_kin kg_watch_kin(pid_t pid, pid_t head);

/* How many processes that descend from 'head' hold a context on the device. 0: none, or not known.
 */
int kg_watch_family(const char *uuid, pid_t head);

/* A stranger who used the device after since_us (microseconds of CLOCK_REALTIME): his pid, with his
 * name; 0: nobody, or not known. Takes up to 1.5 s when strangers hold contexts, else no time. */
pid_t kg_watch_stranger(const char *uuid, uint64_t since_us, char name[64]);

uint64_t kg_watch_now_us(void);

#endif
