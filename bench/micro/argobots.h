/* What the files of this program share. Its text is for whatever abt.h it is compiled with:
 * Argobots, or Weft's face of it. */
#ifndef WEFT_BENCH_MICRO_ARGOBOTS_H
#define WEFT_BENCH_MICRO_ARGOBOTS_H

#include <abt.h>

#include "micro.h"

static inline void must(int code) { micro_check(code == ABT_SUCCESS, "an Argobots call failed"); }
static inline void nothing(void *argument) { (void)argument; }

/* One pool and one stream a worker. */
extern ABT_pool pools[64];
extern unsigned stream_count;

/* Two ULTs, to their ends. */
void pair(void (*function)(void *), ABT_pool first_pool, void *first, ABT_pool second_pool, void *second);

/* argobots_objects.c: what ULTs wait at, and what they keep. */
double mutex_alone(void);
double mutex_64(void);
double eventual_alone(void);
double cond_ping_pong(void);
double cond_ping_pong_across(void);
double blocked_first(void);
double blocked_bytes(void);
double blocked_recycled(void);
double blocked_release(void);
double blocked_million(void);
double key_get(void);
double pop_push(void);

#endif
