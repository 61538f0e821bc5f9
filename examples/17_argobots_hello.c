/* Argobots' interface on Weft: execution streams with a pool each, and ULTs that each say where
 * they are from. Nothing here is Weft's own: the program is compiled for the one or the other by
 * the abt.h that it finds. */
#include <stdio.h>

#include "must_abt.h"

enum { streams = 4, ults = 8 };

struct greeting {
  int ult;
  char text[64];
};

static void greet(void *argument) {
  struct greeting *greeting = argument;
  int rank;
  must(ABT_xstream_self_rank(&rank));
  snprintf(greeting->text, sizeof greeting->text, "hello from ULT %d on stream %d", greeting->ult, rank);
}

int main(int argc, char **argv) {
  ABT_xstream stream[streams];
  ABT_pool pool[streams];
  ABT_thread thread[ults];
  struct greeting greeting[ults];

  must(ABT_init(argc, argv)); /* main is now a ULT, and its OS thread stream 0 */
  must(ABT_xstream_self(&stream[0]));
  for (int i = 1; i < streams; ++i) must(ABT_xstream_create(ABT_SCHED_NULL, &stream[i]));
  for (int i = 0; i < streams; ++i) must(ABT_xstream_get_main_pools(stream[i], 1, &pool[i]));

  for (int i = 0; i < ults; ++i) {
    greeting[i].ult = i;
    must(ABT_thread_create(pool[i % streams], greet, &greeting[i], ABT_THREAD_ATTR_NULL, &thread[i]));
  }
  for (int i = 0; i < ults; ++i) {
    must(ABT_thread_free(&thread[i])); /* waits for its end */
    printf("%s\n", greeting[i].text);
  }

  for (int i = 1; i < streams; ++i) must(ABT_xstream_free(&stream[i]));
  must(ABT_finalize());
  return 0;
}
