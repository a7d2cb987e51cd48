/* Clocks. */
#ifndef KG_BASE_CLOCK_H
#define KG_BASE_CLOCK_H

/* Seconds on the monotonic clock. */
double kg_clock_now(void);

#endif
