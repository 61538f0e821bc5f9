/* Two Weft threads on one worker, for halves.f90. Returns 0 if they have run. */
#include <stddef.h>
#include <weft/weft.h>

int run_two(weft_function first, weft_function second) {
  weft_config config = WEFT_CONFIG_INIT;
  weft_thread *threads[2];
  config.workers = 1;
  if (weft_init(&config) != WEFT_OK) return 1;
  if (weft_thread_create(first, NULL, NULL, &threads[0]) != WEFT_OK) return 1;
  weft_yield();
  if (weft_thread_create(second, NULL, NULL, &threads[1]) != WEFT_OK) return 1;
  if (weft_thread_join_many(threads, 2) != WEFT_OK) return 1;
  return weft_finalize() == WEFT_OK ? 0 : 1;
}
