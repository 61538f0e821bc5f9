/* weft_kinds.c: threads whose attributes take them off the shortest way. */
#ifndef WEFT_BENCH_MICRO_WEFT_KINDS_H
#define WEFT_BENCH_MICRO_WEFT_KINDS_H

double create_join_sized(void);
double create_join_fifo(void);
double create_join_priority(void);

#endif
