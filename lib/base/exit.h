/*
 * The exit status of every kg program. Appended only; documented in kg(7).
 */
#ifndef KG_BASE_EXIT_H
#define KG_BASE_EXIT_H

enum kg_exit {
    KG_EXIT_OK = 0,      /* every record handled, whatever its verdict */
    KG_EXIT_VERDICT = 1, /* with --fail: some verdict is not PASSED */
    KG_EXIT_INPUT = 2,   /* wrong usage or bad input; the rest was still handled */
    KG_EXIT_MISSING = 3, /* a device, compiler or library that is needed is missing */
    KG_EXIT_LOST = 4,    /* a device was lost during the run */
    KG_EXIT_OUTPUT = 5,  /* output could not be written, or a fault of ours */
};

#endif
