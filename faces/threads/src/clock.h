/* The clock of threads_now_ns, for parts that are loaded as modules too. */
#ifndef WEFT_THREADS_SRC_CLOCK_H
#define WEFT_THREADS_SRC_CLOCK_H

#include <stdint.h>

uint64_t clock_now_ns(void);
uint64_t clock_deadline_in(uint64_t interval_ns); /* saturates */
void clock_sleep_until(uint64_t deadline_ns);     /* the OS thread */

#endif
