/* What a program on the machine of many CPUs may call (tests/many/README.md). */
#ifndef MANY_H
#define MANY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes for so long on the calling CPU; a busy sibling of its core makes it longer. */
void many_work(uint64_t nanoseconds);
/* The CPU's pause instruction. */
void many_pause(void);
/* Begins to fetch a line to write it. */
void many_prefetch_to_write(const void *line);
/* A counter with two steps a nanosecond. */
uint64_t many_cycles(void);
/* The time of the calling CPU; reading it costs nothing. */
uint64_t many_now_ns(void);
/* How many CPUs the machine has. */
unsigned many_cpus(void);
/* Names a range of memory in the report. `name` is kept, not copied. */
void many_name(const void *memory, uint64_t bytes, const char *name);
/* The counts of the report begin here; those before are forgotten. */
void many_begin(void);
/* The counts of the report end here. Without a call they end with the process. */
void many_end(void);
/* Between the two the calling OS thread runs alone and time stands still: for checks of answers. */
void many_stop_time(void);
void many_continue_time(void);
/* A number of the program's own in the report. `name` is kept, not copied. */
void many_tell(const char *name, double value);
/* What the report counts, so far. */
uint64_t many_heavy_fences(void);
uint64_t many_mm_calls(void);
uint64_t many_transfers(void);

#ifdef __cplusplus
}
#endif

#endif
