/* Bound workers: the caller of weft_init is one of them only for as long as the runtime lives. */
#define _GNU_SOURCE
#include <sched.h>

#include "check.h"

static cpu_set_t mask_now(void) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0);
  return mask;
}

static void live_once(const cpu_set_t *inherited) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = 2;
  config.bind = true;
  OK(weft_init(&config));
  const cpu_set_t bound = mask_now();
  CHECK(CPU_COUNT(&bound) == 1);
  atomic_int ran = 0;
  OK(weft_thread_join(start_pinned(add_one, &ran, 1)));
  OK(weft_finalize());
  const cpu_set_t after = mask_now();
  CHECK(CPU_EQUAL(&after, inherited));
}

int main(void) {
  const cpu_set_t inherited = mask_now();
  for (int life = 0; life < 3; ++life) live_once(&inherited);
  return 0;
}
