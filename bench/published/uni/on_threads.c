#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

#include "root.h"

static void need(weft_status status, const char *call) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "uni: %s: %s\n", call, weft_status_text(status));
  exit(1);
}

bool run_root(unsigned workers, void (*run)(void *work), void *work, size_t bytes) {
  (void)bytes;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  need(weft_init(&config), "weft_init");
  run(work);
  need(weft_finalize(), "weft_finalize");
  return true;
}

int root_ranks(unsigned workers) { return (int)workers; }

struct root_counts read_root_counts(void) { return (struct root_counts){0, 0}; }
