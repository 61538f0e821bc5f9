/* For the examples on Argobots' interface: a call that fails ends the program and says why. */
#ifndef EXAMPLES_MUST_ABT_H
#define EXAMPLES_MUST_ABT_H

#include <stdio.h>
#include <stdlib.h>

#include <abt.h>

static inline void must(int status) {
  if (status == ABT_SUCCESS) return;
  char name[64] = "no error code of Argobots";
  ABT_error_get_str(status, name, NULL);
  fprintf(stderr, "%s\n", name);
  exit(1);
}

#endif
