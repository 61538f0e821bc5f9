/* weft_waits.c: waits without a thread, beside what a thread does for the same; copied
 * arguments. */
#ifndef WEFT_BENCH_MICRO_WEFT_WAITS_H
#define WEFT_BENCH_MICRO_WEFT_WAITS_H

double park_unpark(void);
double await_set(void);
double create_join_copied(void);
double timer_awaiter(void);
double timer_sleep(void);

#endif
