/* A hundred thousand threads made with one call, each with its own part of an array, and all of
 * them blocked at once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

#include "must.h"

enum { count = 100000 };

static weft_event gate = WEFT_EVENT_INIT;

static void square(void *argument) {
  uint64_t *mine = argument;
  must(weft_event_wait(&gate));
  *mine *= *mine;
}

int main(void) {
  must(weft_init(NULL));
  uint64_t *numbers = malloc(count * sizeof *numbers);
  weft_thread **threads = malloc(count * sizeof(weft_thread *));
  if (numbers == NULL || threads == NULL) return 1;
  for (uint64_t i = 0; i < count; ++i) numbers[i] = i;
  must(weft_thread_create_many(square, numbers, sizeof *numbers, count, NULL, threads));
  weft_event_set(&gate);
  must(weft_thread_join_many(threads, count));
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += numbers[i];
  printf("the sum of the squares below %d is %llu\n", count, (unsigned long long)sum);
  free(threads);
  free(numbers);
  must(weft_finalize());
  return 0;
}
