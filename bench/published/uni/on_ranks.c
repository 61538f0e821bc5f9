#include <stdio.h>
#include <stdlib.h>

#include <weft/dist.h>

#include "root.h"

bool run_root(unsigned workers, void (*run)(void *work), void *work, size_t bytes) {
  (void)workers;
  const weft_status status = weft_dist_root(run, work, bytes);
  if (status != WEFT_OK) {
    fprintf(stderr, "uni: weft_dist_root: %s\n", weft_status_text(status));
    exit(1);
  }
  return weft_dist_rank() == 0;
}

int root_ranks(unsigned workers) {
  (void)workers;
  return weft_dist_ranks();
}

struct root_counts read_root_counts(void) {
  weft_dist_counts counts;
  weft_dist_read_counts(&counts);
  return (struct root_counts){counts.kept, counts.steals};
}
