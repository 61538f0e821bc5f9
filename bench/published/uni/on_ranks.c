#include <stdio.h>
#include <stdlib.h>

#include <weft/dist.h>

#include "root.h"

bool run_root(void (*run)(void *work), void *work, size_t bytes) {
  const weft_status status = weft_dist_root(run, work, bytes);
  if (status != WEFT_OK) {
    fprintf(stderr, "uni: weft_dist_root: %s\n", weft_status_text(status));
    exit(1);
  }
  return weft_dist_rank() == 0;
}
