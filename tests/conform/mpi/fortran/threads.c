/* Weft threads that run Fortran procedures: what calls.F90 calls. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

#define OK(CALL)                                                        \
  do {                                                                  \
    if ((CALL) != WEFT_OK) {                                            \
      fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #CALL); \
      abort();                                                          \
    }                                                                   \
  } while (0)

typedef void procedure(int32_t number);

typedef struct job {
  procedure *run;
  int32_t number;
} job;

static void run_job(void *argument) {
  const job *const one = argument;
  one->run(one->number);
}

void start_threads(void) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 1;
  OK(weft_init(&config));
}

void end_threads(void) { OK(weft_finalize()); }

/* On one worker, which starts them in this order. */
void run_many(procedure *first, procedure *second, int32_t count) {
  const size_t total = 2 * (size_t)count;
  job *const jobs = malloc(total * sizeof *jobs);
  weft_thread **const threads = malloc(total * sizeof *threads);
  if (jobs == NULL || threads == NULL) abort();
  for (size_t i = 0; i < total; ++i) {
    const int32_t number = (int32_t)i % count + 1;
    jobs[i] = (job){i < (size_t)count ? first : second, number};
    OK(weft_thread_create(run_job, &jobs[i], NULL, &threads[i]));
  }
  OK(weft_thread_join_many(threads, total));
  free(threads);
  free(jobs);
}
