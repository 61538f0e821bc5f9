/* What a call costs: `call-VARIANT NAME ROUNDS` does an operation so many times and prints what
 * one took; without arguments, the names. The variants are this file with other libraries, other
 * options, or inlined_loops.c: see CMakeLists.txt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "../../micro/cycles.h"
#include "loops.h"

static void must(weft_status status) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "call: %s\n", weft_status_name(status));
  exit(1);
}

void add_one(void *work) {
  struct tally *const tally = *(struct tally **)work;
  ++tally->sum;
}

/* Not in two files: Weft's lock has no inlined form. */
static void loop_lock(struct tally *tally, long rounds) {
  static weft_mutex mutex = WEFT_MUTEX_INIT;
  for (long i = 0; i < rounds; ++i) {
    must(weft_mutex_lock(&mutex));
    ++tally->sum;
    must(weft_mutex_unlock(&mutex));
  }
}

struct operation {
  const char *name;
  void (*run)(struct tally *tally, long rounds);
};
static const struct operation operations[] = {{"add", loop_add}, {"pair", loop_pair}, {"fork", loop_fork}, {"lock", loop_lock}};
enum { operation_count = sizeof operations / sizeof *operations, warm_up_rounds = 1000, batches = 50 };

static int list(void) {
  for (int i = 0; i < operation_count; ++i) puts(operations[i].name);
  return 0;
}

static int refuse(void) {
  fprintf(stderr, "usage: call-VARIANT NAME ROUNDS (a multiple of %d), or call-VARIANT alone for the names\n", batches);
  return 2;
}

/* The ticks of one in the fastest batch: every batch does the same, and what else ran on this
 * CPU is in the others. */
static double least_ticks(const struct operation *operation, struct tally *tally, long rounds) {
  double least = 0;
  for (int batch = 0; batch < batches; ++batch) {
    const uint64_t start = cycles_ticks();
    operation->run(tally, rounds / batches);
    const double ticks = (double)(cycles_ticks() - start);
    if (batch == 0 || ticks < least) least = ticks;
  }
  return least / (double)(rounds / batches);
}

static int measure(const struct operation *operation, long rounds) {
  struct tally tally = {0, 0};
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  must(weft_init(&config));
  operation->run(&tally, warm_up_rounds);
  const double ticks = least_ticks(operation, &tally, rounds);
  const struct cycles_rates rates = cycles_find_rates();
  must(weft_finalize());
  cycles_print_figures(tally.sum == rounds + warm_up_rounds, ticks, rates);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 1) return list();
  const long rounds = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (rounds <= 0 || rounds % batches != 0) return refuse();
  for (int i = 0; i < operation_count; ++i) {
    if (strcmp(operations[i].name, argv[1]) == 0) return measure(&operations[i], rounds);
  }
  return refuse();
}
