/* Runs measured(size), and prints what bench/published reads. tascell-NAME SIZE WORKERS runs
 * NAME.tc as `weft tascell` compiles it; plain-NAME SIZE the same text without its constructs
 * (IS_PLAIN), as plain C. The time is that of a whole run, its start and end included. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "answers.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void print(int is_right, double seconds, unsigned long long given, unsigned long long backtracks) {
  printf(
      "{\"format\": \"weft-figures-1\", \"correct\": %s, \"figures\": {\"seconds\": %.9f, \"given\": %llu, \"backtracks\": "
      "%llu}, "
      "\"facts\": {}}\n",
      is_right ? "true" : "false", seconds, given, backtracks);
}

static int refuse(const char *program, const char *words) {
  fprintf(stderr, "usage: %s %s, with a SIZE whose answer is known\n", program, words);
  return 2;
}

#ifdef IS_PLAIN

long measured(long size);

int main(int argc, char **argv) {
  const long size = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
  if (answer_of(NAME, size) == 0) return refuse(argv[0], "SIZE");
  measured(size); /* a warm-up */
  const double start = now();
  const long found = measured(size);
  print(found == answer_of(NAME, size), now() - start, 0, 0);
  return 0;
}

#else

#include <weft/tascell.h>
#include <weft/weft.h>

long measured(weft_tascell_worker *worker, weft_tascell_record *up, long size);

struct work {
  weft_tascell_task header;
  long size, result;
};

static void run(weft_tascell_task *task, weft_tascell_worker *worker, weft_tascell_record *up) {
  struct work *const work = (struct work *)(void *)task;
  work->result = measured(worker, up, work->size);
}

static const weft_tascell_kind kind = {
    "measured", sizeof(struct work), _Alignof(struct work), {NULL, NULL, 0}, run, NULL, NULL, NULL, NULL, NULL, 0};

static void must(weft_status status, const char *call) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "%s: %s\n", call, weft_status_text(status));
  exit(1);
}

static long run_once(long size) {
  weft_tascell_task *const task = weft_tascell_task_make(NULL, &kind);
  if (task == NULL) must(WEFT_NOMEM, "weft_tascell_task_make");
  struct work *const work = (struct work *)(void *)task;
  work->size = size;
  must(weft_tascell_run(task, NULL), "weft_tascell_run");
  const long found = work->result;
  weft_tascell_task_free(task);
  return found;
}

int main(int argc, char **argv) {
  const long size = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
  const unsigned long workers = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
  if (answer_of(NAME, size) == 0 || workers == 0 || workers > 1024) return refuse(argv[0], "SIZE WORKERS");
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = (unsigned)workers;
  must(weft_init(&config), "weft_init");
  run_once(size); /* a warm-up */
  const double start = now();
  const long found = run_once(size);
  const double seconds = now() - start;
  weft_tascell_counts counts;
  weft_tascell_last_counts(&counts);
  print(found == answer_of(NAME, size), seconds, counts.given, counts.backtracks);
  must(weft_finalize(), "weft_finalize");
  return 0;
}

#endif
