// What the programs of this folder share. Each makes calls of one library, each in a thread whose
// function bears the name of the call, so that `weft stacks` prints a row for each (table.py).
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

#define NEED(condition) need(condition, #condition)

static inline void need(bool holds, const char *condition) {
  if (holds) return;
  (void)fprintf(stderr, "%s does not hold\n", condition);
  abort();
}

// One worker, since some of the libraries keep state by OS thread. The yield lets the thread start
// on a stack of its own: a joiner may run it on the joiner's.
static inline void run_calls(const char *version, const weft_function *calls, size_t count) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  NEED(weft_init(&config) == WEFT_OK);
  for (size_t each = 0; each < count; ++each) {
    weft_thread *thread;
    NEED(weft_thread_create(calls[each], NULL, NULL, &thread) == WEFT_OK);
    weft_yield();
    NEED(weft_thread_join(thread) == WEFT_OK);
  }
  NEED(weft_finalize() == WEFT_OK);
  printf("\nversion: %s\n", version);
}
