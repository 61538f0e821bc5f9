#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <weft/weft.h>

#include "lowered.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 30;
  int q = argc > 2 ? atoi(argv[2]) : 10;
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = argc > 3 ? (unsigned)atoi(argv[3]) : 2;
  if (weft_init(&config) != WEFT_OK) return 1;
  fib_task *f = (fib_task *)weft_tascell_task_make(NULL, &fib_kind);
  f->n = n;
  double start = now();
  if (weft_tascell_run(&f->header, NULL) != WEFT_OK) return 2;
  printf("fib %ld %.4f\n", f->result, now() - start);
  weft_tascell_task_free(&f->header);
  queens_task *k = (queens_task *)weft_tascell_task_make(NULL, &queens_kind);
  queens_start(k, q);
  start = now();
  if (weft_tascell_run(&k->header, NULL) != WEFT_OK) return 2;
  printf("queens %ld %.4f\n", k->result, now() - start);
  weft_tascell_task_free(&k->header);
  return weft_finalize() == WEFT_OK ? 0 : 3;
}
