/* The loops that are measured. call_loops.c and inlined_loops.c have the same ones; nothing but
 * the loop is in each function, so that its disassembly shows what a call is. */
#ifndef WEFT_BENCH_LOOPS_H
#define WEFT_BENCH_LOOPS_H

#include "tally.h"

void loop_add(struct tally *tally, long rounds);
void loop_pair(struct tally *tally, long rounds);
void loop_fork(struct tally *tally, long rounds);

/* What a fork of loop_fork runs: adds 1. */
void add_one(void *work);

/* So that no round is computed from the one before without touching memory. */
#define AS_IF_OTHERS_LOOKED() __asm__ volatile("" ::: "memory")

#endif
