/* For the examples in C: a call that fails ends the program and says why. */
#ifndef EXAMPLES_MUST_H
#define EXAMPLES_MUST_H

#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

static inline void must(weft_status status) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "%s: %s\n", weft_status_name(status), weft_last_error());
  exit(1);
}

#endif
